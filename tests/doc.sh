#!/bin/sh
# The examples of the documentation: every block between ```xml and ``` is a complete model, whose expected
# results are compared, or begins with the name of an included file in a comment, as blocks of automata (```hoa) do;
# every element and attribute of the schema occurs in one of them and in the table of elements. Pictures of documents exist.
set -u
floe=${FLOE:-./floe}
top=${top_srcdir:-.}
passed=0
failed=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

fail() {
  failed=$((failed + 1))
  printf '%s\n' "$*"
}

extract() { # $1: a document; one file for each example, named after its line
  mkdir -p "$work/parts"
  awk -v dir="$work" -v out="$work/$(basename "$1")" '
    /^```xml$/ { file = out "." NR ".xml"; next }
    /^```hoa$/ { file = dir "/unnamed"; next }
    /^```/     { file = "" }
    /^<!-- parts\/[a-z]*\.xml -->$/ || /^\/\* parts\/[a-z]*\.hoa \*\/$/ { file = dir "/" $2 }
    file       { print >file }' "$1"
}

run_examples() {
  for example in "$work"/*.xml; do
    if output=$("$floe" check --expect "$example" 2>&1) && ! echo "$output" | grep -q 'warning:'; then
      passed=$((passed + 1))
    else
      fail "$(basename "$example" .xml) (document and line): $output"
    fi
  done
}

# Names of the schema, and their uses in the examples
cover() { # $1: element or attribute, $2: what stands before the name, $3: what stands after it
  for name in $(sed -n "s/.*<$1 name=\"\([a-z]*\)\".*/\1/p" "$top/frontend/xml/floe.rng" | sort -u); do
    if cat "$work"/*.xml "$work"/parts/*.xml | grep -q "$2$name$3"; then
      passed=$((passed + 1))
    else
      fail "no example has the $1 $name"
    fi
  done
}

# The table of elements has each attribute of the schema, and each kind of property.
check_table() {
  {
    sed -n 's/^ATTRIBUTE(\([a-z]*\), \([a-z]*\),.*/\1 \2/p' "${top_builddir:-.}/frontend/schema.def"
    sed -n 's/^WORD(KIND, \([a-z]*\))$/property \1/p' "${top_builddir:-.}/frontend/schema.def"
  } >"$work/attributes"
  [ "$(wc -l <"$work/attributes")" -ge 50 ] || fail "no list of attributes: $(cat "$work/attributes")"
  while read -r element name; do
    row=$(grep "^| \`$element\`" "$top/doc/language.md" | head -1)
    [ "$element" != field ] || row="$name" # those of a variable
    if echo "$row" | grep -qw "$name"; then
      passed=$((passed + 1))
    else
      fail "doc/language.md: the table of elements has no $name of $element"
    fi
  done <"$work/attributes"
}

# Pictures exist and are small.
check_pictures() {
  for document in "$top"/doc/*.md; do
    for picture in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$document"); do
      size=$(wc -c <"$top/doc/$picture") || size=0
      if [ "$size" -gt 0 ] && [ "$size" -le 60000 ]; then
        passed=$((passed + 1))
      else
        fail "$document: $picture has $size bytes"
      fi
    done
  done
}

extract "$top/doc/language.md"
extract "$top/doc/semantics.md"
run_examples
check_pictures
check_table
cover element '<' '[ />]'
cover attribute '[[:space:]]' '="'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
