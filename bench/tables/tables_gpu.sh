#!/bin/sh
# The hash tables measured on one GPU by floe bench, which checks every result (doc/bench.md).
#     bench/tables/tables_gpu.sh FOLDER [GROUP]...   groups: compile limits reached cuckoo figures real others host maps sums largest profile; all by default
#     FLOE: the command (./floe)   ROUNDS: 3 repetitions   SECONDS_ALL: 500, no run starts later
#     compile   the kernels of all layouts, on all cores, into the cache: else the first measurement of each waits for NVRTC
#     reached   iceberg with slots of 16 and 32 bits at 2^27 and 2^31 slots: put, find, find-or-put of every key five times
#     figures   fig1, fig2, fig3; real: fig4, with the lookups of a HAVi exploration; others: probe, reduce; host: remark1
#     maps      linear probing and Robin Hood hashing at 2^27 slots: put, find, find-or-put; sums: of keys drawn by Zipf's law
#     largest   as reached, at 2^34 slots
# FOLDER gets a CSV and a JSON file for each run of floe bench, summary.txt (the output), profile.txt (ncu's figures),
# plots/.
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,11p' "$0" && exit 2; }
script=tables_gpu.sh all='compile limits reached cuckoo figures real others host maps sums largest profile' seconds=500
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
repetitions=--repetitions=$rounds

bench() { # $1: name of the CSV file  $2: time limit in seconds  rest: options
  name=$1 most=$2
  shift 2
  left || return 1
  begun=$(date +%s)
  say "-- $name: floe bench $*"
  # a run that takes too long is interrupted, and reports its results so far
  # shellcheck disable=SC2086 # no word or one
  timeout --preserve-status -s INT -k 10 $((left < most ? left : most)) "$floe" bench --engine=gpu $repetitions --csv="$folder/$name.csv" \
    --json="$folder/$name.json" "$@" \
    >"$work/out" 2>"$work/err" </dev/null
  code=$?
  cat "$work/out" >>"$summary"
  [ $code = 0 ] || say "exit code $code: $(tail -n 3 "$work/err")"
  say "   $(($(date +%s) - begun)) s"
}

# ---- groups ------------------------------------------------------------------------------------------------------------

group_compile() {
  for table in iceberg cuckoo; do
    for bits in 16 32 64; do
      for slots in 8 16 32; do
        "$floe" bench --engine=gpu --repetitions=1 --slots=2^16 --table=$table --slot-bits=$bits --bucket-slots=$slots --key-bits=37 >/dev/null 2>&1 &
      done
    done
  done
  for table in linear robin-hood; do
    "$floe" bench --engine=gpu --repetitions=1 --slots=2^16 --table=$table --value-bits=32 --reduction=sum --operation=add >/dev/null 2>&1 &
  done
  "$floe" bench --engine=gpu --repetitions=1 --slots=2^16 --table=linear --key-bits=37 >/dev/null 2>&1 &
  wait
}

group_limits() { (repetitions= && bench limits 60 limits); } # limits has no repetitions

reached() { # $1: name  $2: slots of level 1  $3: width of the keys  $4: seconds each
  set -- "$1" "$4" "--slots=$2" --slot-bits=16 --bucket-slots=32 "--key-bits=$3"
  to=$1 most=$2
  shift 2
  bench "$to-put" "$most" --operation=put --after=0.8,0.9 "$@"
  bench "$to-find" "$most" --operation=find --before=0.8,0.9 --positive=1,0 "$@"
  bench "$to-find-or-put" "$most" --operation=find-or-put --times=5 --after=0.8,0.9 "$@"
}
group_reached() {
  reached reached-27 2^27 37 60
  reached reached-31 2^31 41 100
}
group_largest() { reached largest-34 2^34 44 150; }

group_cuckoo() {
  for slots in 8 16 32; do
    bench cuckoo-put-$slots 40 --table=cuckoo --operation=put --after=0.8,0.9,0.95 --slots=2^27 --slot-bits=32 --bucket-slots=$slots --key-bits=37
    bench cuckoo-find-$slots 40 --table=cuckoo --operation=find --before=0.8,0.9,0.95 --positive=1,0 --slots=2^27 --slot-bits=32 --bucket-slots=$slots --key-bits=37
  done
}

group_figures() { for preset in fig1 fig2 fig3; do bench $preset 240 $preset --plot="$folder/plots"; done; }

group_real() {
  left || return
  "$floe" count --engine=gpu --quiet --order-kind=lookups --visited-order="$work/havi.order" -D RESETS=4 "$models/havi.xml" >"$work/out" 2>&1 ||
    { say "no lookups of HAVi: $(tail -n 2 "$work/out")" && return; }
  bench fig4 120 fig4 --keys="$work/havi.order" --plot="$folder/plots"
}

group_others() {
  bench reduce 120 reduce --plot="$folder/plots"
  bench probe 150 probe --plot="$folder/plots"
}
group_host() { (repetitions=--repetitions=1 && bench remark1 100 remark1 --slots=2^27 --plot="$folder/plots"); } # the bus is slow

map() { # $1: name  rest: the table
  to=$1
  shift
  bench "map-$to-put" 40 --operation=put --after=0.8,0.9 --slots=2^27 "$@"
  bench "map-$to-find" 40 --operation=find --before=0.8,0.9 --positive=1,0 --slots=2^27 "$@"
}
group_maps() {
  each='--operation=find-or-put --times=5 --after=0.8 --slots=2^27'
  map linear-32 --table=linear --key-bits=32
  map linear-64 --table=linear --key-bits=37
  map linear-pairs --table=linear --value-bits=32
  map robin-hood --table=robin-hood --value-bits=32
  # shellcheck disable=SC2086 # lists of words
  {
    bench map-linear-32-find-or-put 40 $each --table=linear --key-bits=32
    bench map-linear-64-find-or-put 40 $each --table=linear --key-bits=37
    bench map-linear-pairs-find-or-put 40 $each --table=linear --value-bits=32
  }
}

group_sums() {
  set -- --operation=add --reduction=sum --times=10 --after=0.8 --slots=2^27 --zipf=0,0.5,0.75,1,1.25,1.5
  bench sums-robin-hood 60 "$@" --table=robin-hood --value-bits=32
  bench sums-robin-hood-64 60 "$@" --table=robin-hood --value-bits=64 --key-bits=40
  bench sums-linear 60 "$@" --table=linear --value-bits=32
  bench sums-iceberg 60 "$@" --table=iceberg --value-bits=32
}

group_profile() { # one launch of each by ncu
  command -v ncu >/dev/null || { say 'profile: there is no ncu' && return; }
  metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed
  metrics=$metrics,lts__t_sectors_op_read.sum,lts__t_sectors_op_atom.sum,lts__t_sector_hit_rate.pct,lts__throughput.avg.pct_of_peak_sustained_elapsed
  metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.pct_of_peak_sustained_active
  metrics=$metrics,smsp__thread_inst_executed_per_inst_executed.ratio,launch__registers_per_thread
  for stall in long_scoreboard short_scoreboard lg_throttle mio_throttle wait branch_resolving not_selected; do
    metrics=$metrics,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
  done
  : >"$folder/profile.txt"
  while read -r kernel arguments; do
    left || return
    # shellcheck disable=SC2086
    timeout -k 5 $((left < 60 ? left : 60)) ncu --clock-control none --kernel-name "$kernel" --launch-count 1 --metrics $metrics \
      "$floe" bench --engine=gpu --repetitions=1 $arguments >"$work/ncu" 2>&1 </dev/null
    code=$?
    { echo "== $kernel $arguments (ncu ended with $code)" && grep -E 'floe_table|__|==ERROR==|==WARNING==' "$work/ncu"; } | tee -a "$folder/profile.txt" >>"$summary"
  done <<END
floe_table_put --operation=put --after=0.9 --slots=2^27 --slot-bits=16 --bucket-slots=32 --key-bits=37
floe_table_find --operation=find --before=0.9 --positive=1 --slots=2^27 --slot-bits=16 --bucket-slots=32 --key-bits=37
floe_table_find --operation=find --before=0.9 --positive=0 --slots=2^27 --slot-bits=16 --bucket-slots=32 --key-bits=37
floe_table_find_or_put --operation=find-or-put --times=5 --after=0.8 --slots=2^27 --slot-bits=16 --bucket-slots=32 --key-bits=37
END
}

run_groups '' "$@"
