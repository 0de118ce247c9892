#!/bin/sh
# doc/protocols.md against the code and the models: every place in the code that its tables give, by file and text, has
# that text; the document has exactly the transitions of the models (except those without access); every mistake that a
# model's description lists has an expected result with a violation.
set -u
floe=${FLOE:-./floe}
top=${top_srcdir:-.}
document=$top/doc/protocols.md
passed=0
failed=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

fail() {
  failed=$((failed + 1))
  printf '%s\n' "$*"
}

squeeze() { tr -s ' \t\n' '   ' <"$1"; }

# Rows "| `label`, ... | file | `text` |": the file contains the text, apart from line breaks.
check_places() {
  sed -n 's/^| `[^|]*| \([a-z][a-z0-9_/]*\.[ch]\) | `\([^`]*\)` |$/\1 \2/p' "$document" >"$work/places"
  [ "$(wc -l <"$work/places")" -eq "$(grep -c '^| `[a-z][a-z_]*`.*|.*|.*|$' "$document")" ] || fail "a row is not of the form that is looked for"
  while read -r file text; do
    if [ -f "$top/$file" ] && squeeze "$top/$file" | grep -qF -- "$text"; then
      passed=$((passed + 1))
    else
      fail "$file has no \"$text\""
    fi
  done <"$work/places"
}

# The first columns of the tables under a model's heading
rows() { # $1: model's name
  awk -v heading="## \`$1.xml\`" '/^## / { on = $0 == heading } on && /^\| `/ { print }' "$document" | cut -d '|' -f 2
}

check_labels() { # $1: model's name
  grep -o 'label="[a-z_]*"' "$top/models/protocols/$1.xml" | cut -d '"' -f 2 | sort -u >"$work/labels"
  rows "$1" | grep -o '`[a-z_]*`' | tr -d '`' | sort -u >"$work/named"
  if diff "$work/labels" "$work/named" >"$work/why"; then
    passed=$((passed + 1))
  else
    fail "$1: labels of the model (<) and of the document (>): $(cat "$work/why")"
  fi
}

# The case of a mistake, in which it is the only one
check_mistakes() { # $1: model's name
  model=$top/models/protocols/$1.xml
  mistakes=$(sed -n '/Mistakes:/,/<\/description>/p' "$model" | grep -o '[A-Z_]*=1' | sort -u)
  rows "$1" | grep -o '`[A-Z_]*`' | tr -d '`' | sed 's/$/=1/' | sort -u >"$work/named"
  if [ "$mistakes" != "$(cat "$work/named")" ] || [ -z "$mistakes" ]; then
    fail "$1: mistakes of the model: $mistakes; of the document: $(cat "$work/named")"
  fi
  for mistake in $mistakes; do
    found=$(awk -v mistake="$mistake" '
      /<expect/ { on = 0; n = split($0, part, /[", ]+/); for (i = 1; i <= n; i++) if (part[i] == mistake) on = 1 }
      on && /value="violated"/ { print "yes"; exit }' "$model")
    if [ "$found" = yes ]; then
      passed=$((passed + 1))
    else
      fail "$1: no violation is expected of $mistake"
    fi
  done
}

# The state graph has no cycle.
check_end() { # $1: model, rest: -D NAME=VALUE
  if "$floe" export --format=aut -o - "$@" 2>"$work/why" | sed -n 's/^(\([0-9]*\),.*, *\([0-9]*\))$/\1 \2/p' >"$work/edges" &&
    [ "$(wc -l <"$work/edges")" -gt 100 ] && tsort "$work/edges" >/dev/null 2>>"$work/why"; then
    passed=$((passed + 1))
  else
    fail "$* has no graph, or a cycle: $(head -3 "$work/why")"
  fi
}

check_places
for model in "$top"/models/protocols/*.xml; do
  name=$(basename "$model" .xml)
  check_labels "$name"
  check_mistakes "$name"
  check_end "$model"
done
check_end "$top/models/protocols/robin_hood.xml" -D WIDE=1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 100 ]
