#!/bin/sh
# Documents have at most so many words. Bars and rules of tables do not count.
set -u
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 99
passed=0 failed=0

words() { grep -hvE '^\|[-|: ]*\|$' "$@" | tr '|' ' ' | wc -w; }

# limit COUNT WHAT LIMIT
limit() {
  if [ "$1" -le "$3" ]; then
    passed=$((passed + 1))
  else
    echo "$2: $1, the limit is $3"
    failed=$((failed + 1))
  fi
}

# words_of FILE LIMIT
words_of() {
  if [ -f "$1" ]; then
    limit "$(words "$1")" "words of $1" "$2"
  else
    echo "$1: missing"
    failed=$((failed + 1))
  fi
}

words_of doc/architecture.md 1600
for page in doc/design/*.md; do
  [ "$page" = doc/design/gpu-multi.md ] || words_of "$page" 1200
done
words_of doc/design/gpu-multi.md 1500
words_of doc/gpu.md 3100
words_of doc/limits.md 1780
words_of doc/extending.md 1400
words_of tests/README.md 810
limit "$(words doc/results/*.md)" 'words of doc/results/*.md' 15000
limit "$(awk '/^0\.1\.0/ { found = 1; next } /^[0-9]/ { found = 0 } found && NF' NEWS | wc -l)" 'lines of NEWS about 0.1.0' 28

[ "$passed" -ge 20 ] || { echo "only $passed documents found"; failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
