#!/bin/sh
# Every bad/NAME.m gives the messages of bad/NAME.expected; the first line of a file may have options:
# -- -D NAME=VALUE, or -- --symmetry=on
. "${top_srcdir:-.}/tests/cmd/common.sh"
cd "$here/tests/murphi/bad" || exit 99
count=0
for file in *.m; do
  count=$((count + 1))
  options=$(sed -n '1s/^-- \(-.*\)/\1/p' "$file")
  command=plan
  case $options in --symmetry*) command=count ;; esac
  # shellcheck disable=SC2086 # the options are words
  "$floe" $command $options "$file" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -eq 3 ] || fail "$file: exit code $code instead of 3"
  if [ "${FLOE_GOLDEN_WRITE:-0}" = 1 ]; then
    cp "$work/err" "${file%.m}.expected"
  fi
  diff "${file%.m}.expected" "$work/err" || fail "$file: other messages (<: expected)"
done
[ $count -ge 20 ] || fail "only $count files"
finish
