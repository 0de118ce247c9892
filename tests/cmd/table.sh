#!/bin/sh
# Every table that can hold the visited set gives the same result, also if it starts tiny and grows repeatedly;
# the others are rejected with a reason.
. "${top_srcdir:-.}/tests/cmd/common.sh"
large=$here/models

# the names, from the message about an unknown one
run 3 --table=no-such-table "$models/ring.xml"
says err "floe: error: there is no table 'no-such-table'"
says err 'there is iceberg, linear, bitmap, host-backed'
schemes="iceberg linear bitmap cuckoo robin-hood"

can_explore() { # can_explore SCHEME
  "$floe" count -q --table="$1" "$models/ring.xml" >out 2>err </dev/null
}

for scheme in $schemes; do
  if can_explore "$scheme"; then
    run 0 help check
    grep -- '--table=NAME' out | grep -qF " $scheme" || fail "--help does not name $scheme"
  else
    run 3 --table="$scheme" "$models/ring.xml"
    silent out
    says err "floe: error: a '$scheme' table cannot hold the visited set: "
    says err 'tables that can: iceberg, linear, bitmap'
  fi
done
can_explore iceberg || fail "iceberg does not explore: $(cat err)"
can_explore linear || fail "linear does not explore: $(cat err)"

# The forms of the scan, from the message about an unknown one; each exploration below uses the next one
in_form() { # in_form FORM CODE ARGUMENT...
  FLOE_TEST_SIMD=$1
  export FLOE_TEST_SIMD
  shift
  run "$@"
  unset FLOE_TEST_SIMD
}
unset FLOE_TEST_SIMD
in_form mmx 3 "$models/ring.xml"
silent out
says err "floe: error: FLOE_TEST_SIMD: this machine has no table scan 'mmx'"
forms=$(sed -n 's/^ *\(there is\|available:\) \(.*portable\)$/\2/p' err | tr -d ,)
[ -n "$forms" ] || fail "no forms of the scan: $(cat err)"
in_form mmx 3 bench --engine=cpu
says err "floe: error: FLOE_TEST_SIMD: this machine has no table scan 'mmx'"
for form in $forms; do
  in_form $form 0 --json --engine=cpu --table=iceberg "$models/ring.xml"
  says out "  \"simd\": \"$form\","
  in_form $form 0 --engine=cpu --table=iceberg "$models/ring.xml"
  says out "table scan $form"
done
run 0 --json --engine=cpu --table=iceberg "$models/ring.xml"
says out "  \"simd\": \"${forms%% *}\","

next_form() {
  # shellcheck disable=SC2086
  set -- ${left:-$forms}
  FLOE_TEST_SIMD=$1
  export FLOE_TEST_SIMD
  shift
  left=$*
}
left=

# certificate SCHEME ARGUMENT...: the line, in the file line
certificate() {
  scheme=$1
  shift
  "$floe" check --json --engine=cpu --continue --table="$scheme" "$@" >out 2>err </dev/null
  sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out >line
  sed -n 's/.*"table_growths": \([0-9]*\).*/\1/p' out >growths
  sed -n 's/.*"table": "\([a-z-]*\)".*/\1/p' out >used
  [ -s line ] || fail "no certificate of $scheme $*: $(cat err)"
}

same() { # same GROWTHS MODEL ARGUMENT...: at least so many growths
  least=$1
  shift
  certificate iceberg "$@"
  cp line wanted
  for scheme in $schemes; do
    can_explore "$scheme" || continue
    next_form
    fewest=$least slots=--initial-slots=8
    [ "$scheme" != bitmap ] || fewest=0 slots= # it has them all
    certificate "$scheme" $slots --threads=2 "$@"
    cmp -s wanted line || fail "$scheme, $FLOE_TEST_SIMD, of $*: $(cat line) instead of $(cat wanted)"
    [ "$(cat used)" = "$scheme" ] || fail "$scheme of $*: explored with $(cat used)"
    [ "$(cat growths)" -ge "$fewest" ] || fail "$scheme of $*: $(cat growths) growths"
  done
}
same 4 "$large/peterson.xml" # 22 bits
same 3 "$large/rwlock.xml"
same 4 "$large/philosophers.xml"
same 3 "$large/bakery.xml" # 60 bits
same 2 "$large/brp.xml"

unset FLOE_TEST_SIMD

# forced widths
for bits in 32 64; do
  run 0 count -q --table=linear --slot-bits=$bits --engine=cpu "$models/ring.xml"
  [ "$(cat out)" = 6 ] || fail "with slots of $bits bits: $(cat out)"
done
run 3 --table=linear --slot-bits=16 --engine=cpu "$models/ring.xml"
says err 'no "linear" table with the requested slots holds keys of'
run 3 --table=linear --bucket-slots=8 --engine=cpu "$models/ring.xml"
says err 'no "linear" table with the requested slots holds keys of'

# Without --table: a bitmap from the start or instead of growth; never if a table or options of hash tables
# are given. The <expected> blocks of the models do not apply here.
in_table() { # in_table TABLE GROWTHS ARGUMENT...
  table=$1
  times=$2
  shift 2
  certificate iceberg "$@"
  cp line wanted
  "$floe" check --json --engine=cpu --continue "$@" >out 2>err </dev/null
  sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out >line
  [ -s line ] && cmp -s wanted line || fail "any table of $*: $(cat line err) instead of $(cat wanted)"
  says out "  \"table\": \"$table\","
  says out "  \"table_growths\": $times,"
}
in_table bitmap 0 -D N=6 -D K=8 "$large/counters.xml"
in_table bitmap 2 -D N=6 -D K=10 "$large/counters.xml"
in_table iceberg 0 "$large/tiles.xml"
in_table iceberg 0 "$large/coherence.xml"
for option in --slot-bits=32 --bucket-slots=16 --initial-slots=100000 --permutation=mix --table=iceberg; do
  run 0 count --json --engine=cpu $option -D N=6 -D K=8 "$large/counters.xml"
  says out '  "table": "iceberg",'
done
for option in --slot-bits=32 --bucket-slots=16 --initial-slots=100000 --permutation=mix; do
  run 3 --table=bitmap $option "$models/ring.xml"
  says err "floe: error: a 'bitmap' has a bit for every key, and no such options"
done
run 0 count --json --engine=cpu --table=auto "$models/ring.xml"
says out '  "table": "bitmap",'
# a bitmap of index keys, if one of fields has no room
run 0 -v --table=bitmap --memory=1G --engine=cpu "$large/tiles.xml"
says out 'table: bitmap, a bit for each of'
says out 'keys of 32 bits (index keys)'
run 3 --table=bitmap --encoding=fields --memory=1G --engine=cpu "$large/tiles.xml"
silent out
says err 'floe: error: a bitmap of 73300775186 bytes, a bit for each key that the model'
says err 'does not fit in the limit of 1073741824 bytes'
run 3 --table=bitmap --engine=cpu "$large/havi.xml"
says err 'floe: error: a bitmap of 8.961e+15 bytes'
run 0 plan --memory=1G "$large/tiles.xml"
says out '; a bitmap of all keys does not fit in memory'
run 0 plan --memory=1G -D N=6 -D K=8 "$large/counters.xml"
says out 'visited set on the CPU: bitmap, initially 32.0 KiB; a bitmap of all keys is tiny'
says out '  bitmap of all keys: '

# Every model that has no more than 2^32 keys; every sixth one by `make check`. At least 4 of 9 fit.
step=6
[ -z "${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}" ] || step=1
for model in "$large"/*.xml "$large"/protocols/*.xml; do
  number=$((${number:-0} + 1))
  [ $((number % step)) -eq 0 ] || continue
  "$floe" count --engine=cpu --table=bitmap --memory=700M --json "$model" >out 2>err </dev/null ||
    { grep -qE 'floe: error: a bitmap (of|table cannot hold states of [0-9]+ bits)' err || fail "$model: $(cat err)"; continue; }
  sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out >wanted
  "$floe" count --engine=cpu --table=iceberg --json "$model" >out 2>err </dev/null
  sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out >line
  [ -s line ] && cmp -s wanted line || fail "$model: $(cat line err) instead of $(cat wanted)"
  bitmaps=$((${bitmaps:-0} + 1))
done
[ "${bitmaps:-0}" -ge $((number * 4 / 9 / step)) ] || fail "${bitmaps:-0} models in a bitmap"

# With one thread the order of keys is that of the search
for table in iceberg bitmap; do
  run 0 count -q --engine=cpu --table=$table --threads=1 --visited-order=order.$table "$large/hanoi.xml"
  "$floe" order --text order.$table >keys.$table 2>err || fail "floe order: $(cat err)"
done
[ -s keys.iceberg ] && cmp -s keys.iceberg keys.bitmap || fail "the orders differ"

# A search resumes in another table than it began with
for pair in iceberg:bitmap bitmap:iceberg bitmap:bitmap bitmap:auto iceberg:auto; do
  rm -f kept
  certificate iceberg -D N=6 -D K=8 "$large/counters.xml"
  cp line wanted
  run 2 count --engine=cpu --table=${pair%:*} --max-states=20000 --checkpoint=kept -D N=6 -D K=8 "$large/counters.xml"
  run 0 resume --json --engine=cpu --table=${pair#*:} --max-states=1000000000 kept
  sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out >line
  cmp -s wanted line || fail "$pair: $(cat line) instead of $(cat wanted)"
done

# at the memory limit: the results so far are printed
run 2 count --table=linear --engine=cpu --memory=3M -D N=4 -D MAX=14 "$large/bakery.xml"
says out 'end: ended at the memory limit'

# on a GPU: the same tables, or the same reason why there is no GPU
for scheme in iceberg linear; do
  "$floe" check --json --engine=gpu --gpu-memory=64M --table=$scheme "$models/ring.xml" >out 2>err </dev/null
  { echo "exit code $?" && cat err && sed -n 's/.*"certificate": "\(.*\)".*/\1/p' out; } >said.$scheme
done
cmp -s said.iceberg said.linear || fail "linear on a GPU: $(cat said.linear) instead of $(cat said.iceberg)"
run 3 --table=cuckoo --engine=gpu "$models/ring.xml"
says err "floe: error: a 'cuckoo' table cannot hold the visited set: "
run 0 --table=linear --engine=auto "$models/ring.xml"

# host-backed and its former name working-set: the same run
for name in host-backed working-set; do
  run 0 check --table=$name --json "$models/ring.xml"
  sed -n '/"table/p; /"certificate"/p' out >by.$name
done
[ -s by.host-backed ] && cmp -s by.host-backed by.working-set ||
  fail "--table=working-set is not --table=host-backed: $(cat by.host-backed by.working-set)"

# plan
run 0 plan --memory=1G "$large/bakery.xml"
says out '  iceberg with slots of 64 bits: '
says out '  linear with slots of 64 bits: '
run 0 plan --memory=1G --gpu-memory=2G "$large/bakery.xml"
[ "$(grep -c '  linear with' out)" -eq 4 ] || fail "linear is not planned for the GPU: $(cat out)"
says out 'states that fit in a host-backed set (--table=host-backed, or when the GPU is full): 10077696 (all)'
says out '  about 10077696 in 2.0 GiB of GPU memory, which also caches the newest states'
says out "  10077696 in 1.0 GiB of host memory, in 256 tables with slots of 21 bits, 3.03 bytes per state"
run 0 plan --memory=1K --gpu-memory=2G "$large/bakery.xml"
says out 'when the GPU is full): none, 1.0 KiB of host memory is too little'
finish
