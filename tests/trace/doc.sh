#!/bin/sh
# doc/traces.md: its models, and every command with its output. FLOE_DOC_WRITE=FILE writes the page with the present output.
. "${top_srcdir:-.}/tests/cmd/common.sh"
page=$here/doc/traces.md
mkdir bin
ln -s "$floe" bin/floe
PATH=$PWD/bin:$PATH
export PATH
awk '/^```xml$/ { on = 1; next } /^```$/ { on = 0 } on && /^<model/ { split($0, part, "\""); file = part[2] ".xml" } on { print >file }' "$page"

n=0
while IFS= read -r line; do
  case $line in
  '```console') printf '%s\n' "$line"; console=1 ;;
  '```') printf '%s\n' "$line"; console=0 ;;
  '$ '*)
    printf '%s\n' "$line"
    sh -c "${line#??}" 2>&1 </dev/null
    n=$((n + 1))
    echo "$n" >commands
    ;;
  *) [ "${console:-0}" -eq 1 ] || printf '%s\n' "$line" ;;
  esac
done <"$page" >found
[ "$(cat commands)" -ge 6 ] || fail "only $(cat commands) commands found"
if [ -n "${FLOE_DOC_WRITE:-}" ]; then
  cp found "$FLOE_DOC_WRITE"
else
  diff -u "$page" found >difference || fail "$(cat difference)"
fi
finish
