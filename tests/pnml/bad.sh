#!/bin/sh
# Every bad/NAME.pnml, with the properties of bad/NAME.xml if there are any, gives the messages of bad/NAME.expected.
. "${top_srcdir:-.}/tests/cmd/common.sh"
cd "$here/tests/pnml/bad" || exit 99
count=0
for net in *.pnml; do
  name=${net%.pnml}
  count=$((count + 1))
  set -- plan "$net"
  [ ! -f "$name.xml" ] || set -- "$@" --properties="$name.xml"
  [ "$name" != constant ] || set -- "$@" -D tokens=0
  [ "$name" != units ] || set -- "$@" -D units=2
  "$floe" "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -eq 3 ] || fail "$net: exit code $code instead of 3"
  silent "$work/out"
  diff "$name.expected" "$work/err" || fail "$net: other messages (<: expected)"
done
echo "$count bad nets"
finish
