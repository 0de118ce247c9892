#!/bin/sh
# A table that gives wrong results has no figure: the row says what is wrong, and the exit code is 4.
. "${top_srcdir:-.}/tests/cmd/common.sh"
floe=${top_builddir:-.}/tests/bench/floe_broken
case $floe in /*) ;; *) floe=$OLDPWD/$floe ;; esac
[ -x "$floe" ] || skip 'there is no tests/bench/floe_broken'
small="--engine=cpu --threads=2 --repetitions=3 --slots=2^12"

# broken FAULT TEXT ARGUMENT...
broken() {
  FLOE_BROKEN=$1
  export FLOE_BROKEN
  text=$2
  shift 2
  run 4 bench $small --csv=rows.csv "$@"
  says out "wrong: $text"
  grep -q ',wrong,' rows.csv || fail "no wrong row in the file: $(cat rows.csv)"
  unset FLOE_BROKEN
}
run 0 bench $small # the same program, not broken
broken lost 'keys found' --operation=find --positive=1
broken lost 'keys found that are there' --operation=put
broken stray 'keys found' --operation=find --positive=0
broken twice 'new keys'
broken silent 'keys without an answer'

# a row that is wrong does not spoil the others
FLOE_BROKEN=stray
export FLOE_BROKEN
run 4 bench $small --operation=find --positive=1,0 --before=0.5 --key-bits=13 --csv=rows.csv
grep -q ',wrong,' rows.csv || fail "no wrong row: $(cat rows.csv)"
awk -F, '$3 == "wrong" && $27 + 0 != 0' rows.csv | grep . && fail 'a wrong row has a figure'
finish
