#!/bin/sh
# Promela: the twins of floe's own models (tests/peers) have the states and transitions of the models, with the constants with
# which compare.sh compares them with Spin. Not those with hidden variables that steps read, which are in floe's states, and not
# iceberg, whose twin lacks a constant. By default every fourth comparison, FLOE_TEST_LONG=1: all.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# counts FILE OPTION...: "STATES TRANSITIONS"
counts() {
  file=$1
  shift
  "$floe" count --engine=interpreter --continue "$@" "$file" 2>err </dev/null | awk '/^states: / { s = $2 } /^transitions: / { print s, $2 }'
}

every=4
[ "${FLOE_TEST_LONG:-0}" = 0 ] || every=1
n=0 compared=0
sed -n 's/^\(compare\|also\) //p' "$here/tests/peers/compare.sh" >list
while read -r name options; do
  case $name in havi | hierarchy | vote | protocols/iceberg) continue ;; esac
  n=$((n + 1))
  [ $((n % every)) -eq 0 ] || continue
  # shellcheck disable=SC2086 # options are words
  ours=$(counts "$here/models/$name.xml" $options)
  # shellcheck disable=SC2086
  twin=$(counts "$here/tests/peers/$name.pml" $options)
  compared=$((compared + 1))
  [ -n "$ours" ] && [ "$ours" = "$twin" ] || fail "$name $options: Promela ${twin:-$(head -n 3 err)}, XML $ours"
done <list
[ $compared -ge 10 ] || fail "only $compared comparisons"
finish
