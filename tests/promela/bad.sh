#!/bin/sh
# Promela: the files of bad/TOPIC.txt, each behind a line "=== NAME", give the messages of bad/TOPIC.expected.
# FLOE_GOLDEN_WRITE=1 writes them.
. "${top_srcdir:-.}/tests/cmd/common.sh"
count=0
for topic in "$here"/tests/promela/bad/*.txt; do
  expected=${topic%.txt}.expected
  : >messages
  awk '/^=== / { close(file); file = $2 ".pml"; print file; printf "" > file; next } { print > file }' "$topic" >list
  while read -r file; do
    count=$((count + 1))
    "$floe" plan "$file" >out 2>err </dev/null
    code=$?
    [ $code -eq 3 ] || fail "$file: exit code $code instead of 3"
    cut -c 1-200 err >>messages
  done <list
  if [ "${FLOE_GOLDEN_WRITE:-0}" = 1 ]; then
    cp messages "$expected"
  fi
  diff "$expected" messages || fail "$topic: other messages (<: expected)"
done
[ $count -ge 60 ] || fail "only $count files"
finish
