#!/bin/sh
# Promela: the small models of micro/*.txt have the states and transitions that the tables state (pan counts the initial state
# as a transition), and invalid end states and failing assertions if these have some; spin.sh compares the tables with Spin.
# $MICRO_OPTIONS has options for floe, $MICRO_CASE the name of one case.
. "${top_srcdir:-.}/tests/cmd/common.sh"
cat "$here"/tests/promela/micro/*.txt | awk '
  /^=== / { close(file); file = $2 ".pml"; print file, $3, $4, $5, $6 > "list"; next }
  { print > file }' || exit 99

# check_model FILE STATES TRANSITIONS ENDS ASSERTIONS
check_model() {
  # shellcheck disable=SC2086 # options are words
  "$floe" check --continue --no-trace -j1 ${MICRO_OPTIONS:---engine=interpreter} "$1" >out 2>err </dev/null
  code=$?
  found=$(awk '/^(states|transitions): / { printf "%s ", $2 } /^deadlock: violated/ { end = 1 } /^errors: violated/ { bad = 1 } END { print end + 0, bad + 0 }' out)
  expected="$2 $(($3 - 1)) $(($4 > 0)) $(($5 > 0))"
  [ $code -le 1 ] || fail "$1: exit code $code: $(cat err)"
  [ "$found" = "$expected" ] || fail "$1: $found, not $expected"
}

count=0
while read -r file figures; do
  [ "${MICRO_CASE:-${file%.pml}}" = "${file%.pml}" ] || continue
  # shellcheck disable=SC2086 # several numbers
  check_model "$file" $figures
  count=$((count + 1))
done <list
[ -n "${MICRO_CASE:-}" ] || [ $count -ge 60 ] || fail "only $count models"
finish
