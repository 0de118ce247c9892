#!/bin/sh
# A table with wrong results has no figures: the row states the error, and the exit code is 4.
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
  grep -q "wrong: .*$text" out || fail "not '$text': $(cat out)"
  grep -q ',wrong,' rows.csv || fail "no wrong row in the file: $(cat rows.csv)"
  unset FLOE_BROKEN
}
run 0 bench $small # the same program, not broken
broken lost 'keys found' --operation=find --positive=1
broken lost 'present keys found' --operation=put
broken stray 'keys found' --operation=find --positive=0
broken twice 'new keys'
broken silent 'keys without an answer'

# a table with room must take the keys, and a full one must have all others
broken refuses 'keys have no place at fill factor 0.100' --after=0.1
broken refuses 'keys have no place at fill factor 0.9' --after=0.9 --operation=put --table=cuckoo
broken refuses 'keys have no place' --operation=find # while filling
full="--after=1 --key-bits=30 --slot-bits=32 --bucket-slots=8"
run 0 bench $small --table=cuckoo --operation=put $full
says out 'full:'
for table in cuckoo iceberg; do
  broken lost 'present keys found' --table=$table --operation=put $full
  broken stray 'absent keys that were found' --table=$table --operation=put $full
  broken refuses 'keys in the table' --table=$table --operation=put $full
done
broken lost 'present keys found' --table=iceberg --operation=find-or-put $full
broken refuses 'keys in the table' --table=iceberg --operation=find-or-put $full
broken mistaken 'returned keys found in the table' --table=cuckoo --operation=put $full

# mixed queries
mixed="ws-crossover --engine=cpu --threads=2 --repetitions=2 --vary=pairs=3000 --vary=recent=300 --vary=queries=24000 --vary=hot=0.2"
run 0 bench $mixed
for fault in lost value put delete forgets; do
  FLOE_BROKEN=mixed-$fault
  export FLOE_BROKEN
  run 4 bench $mixed --csv=rows.csv
  grep -q 'wrong: wrong answers: [1-9]' out || fail "mixed-$fault: $(cat out)"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["verdict"] == "wrong" && $at["rate"] == 0 { n++ } END { exit n != 1 }' rows.csv ||
    fail "mixed-$fault: $(cat rows.csv)"
done
unset FLOE_BROKEN

# a wrong row does not affect the others
FLOE_BROKEN=stray
export FLOE_BROKEN
run 4 bench $small --operation=find --positive=1,0 --before=0.5 --key-bits=13 --csv=rows.csv
grep -q ',wrong,' rows.csv || fail "no wrong row: $(cat rows.csv)"
awk -F, '$3 == "wrong" && $27 + 0 != 0' rows.csv | grep . && fail 'a wrong row has a figure'
finish
