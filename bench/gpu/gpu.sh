#!/bin/sh
# The GPU engine on one GPU: every figure is the median of ROUNDS runs of the command, phases separately.
#     bench/gpu/gpu.sh FOLDER [GROUP]...   groups: counters models levels totals memory profile largest; all by default
#     FLOE: the command (./floe)   ROUNDS: 3   OPTIONS: further options of every run   SECONDS_ALL: 450, no run starts later
# FOLDER gets runs.csv (a line for each run), summary.txt (the output) and profile.txt (ncu's figures).
#     explore   seconds from the first state to the last; rates are over this time
#     kernels   of these, waiting for the exploration kernel; grow: moving the table's keys to a larger one
#     start     driver, context, first table and queue; build: kernels compiled, or read from the cache, and loaded
#     wall      the whole command
# All runs of a case must have the same certificate, else there is no figure.
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,10p' "$0" && exit 2; }
script=gpu.sh all='counters models levels totals memory profile largest' seconds=450
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
options=${OPTIONS:-}
csv=$folder/runs.csv
echo 'group,model,constants,state,end,states,transitions,levels,explore,kernels,grow,start,build,parse,total,wall,launches,growths,refused,spilled,table_bytes,frontier_bytes,slot_bits,certificate' >"$csv"

json() { figure "$1" "$work/json"; } # of the last run
note() { gpu_figure "$1" "$work/err"; }

run() { # $1: group  $2: model  $3: constants  $4: state of the cache  rest: options
  part=$1 model=$2 constants=$3 state=$4
  shift 4
  left || return 1
  : >"$work/json"
  begun=$(date +%s.%N)
  # a run that takes too long is interrupted, and reports its results so far
  # shellcheck disable=SC2086 # lists of words
  FLOE_GPU_TEST=${TUNING:+$TUNING,}tell=1 timeout --preserve-status -s INT -k 10 $((left < 90 ? left : 90)) "$floe" check --engine=gpu --quiet --no-trace --continue --json="$work/json" "$@" $options $constants \
    "$models/$model.xml" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  ended=$(date +%s.%N)
  [ $code -lt 3 ] || { say "$model $constants: exit code $code: $(head -n 3 "$work/err")" && return 1; }
  wall=$(awk "BEGIN { printf \"%.3f\", $ended - $begun }")
  certificate=$(sed -n 's/^ *"certificate": "\(.*\)",*$/\1/p' "$work/json" | tr ' ' ';')
  echo "$part,$model,$constants,$state,$(json end),$(json states),$(json transitions),$(json levels),$(note explore),$(note kernels),$(note grow),$(json start),$(json compile),$(json parse),$(json total),$wall,$(note launches),$(note growths),$(note refused),$(note spilled),$(json table_bytes),$(json frontier_bytes),$(json slot_bits),$certificate" >>"$csv"
}

column() { # $1: number  $2: lines: the median
  echo "$2" | cut -d, -f"$1" | median
}

header() {
  say "$(printf '%-14s %-22s %14s %15s %7s %8s %8s %8s %7s %7s %7s %6s %6s %7s' model constants states transitions levels explore G/s GT/s kernels grow wall b/st f/st growths)"
}

tell() { # $1: group  $2: model  $3: constants  $4: state: the medians of its runs
  lines=$(awk -F, -v g="$1" -v m="$2" -v c="$3" -v s="$4" '$1 == g && $2 == m && $3 == c && $4 == s' "$csv")
  [ -n "$lines" ] || return
  if [ "$(echo "$lines" | cut -d, -f24 | sort -u | wc -l)" != 1 ]; then
    say "$2 $3: runs differ: $(echo "$lines" | cut -d, -f5,24)"
    return
  fi
  first=$(echo "$lines" | head -n 1)
  say "$(echo "$first" | awk -F, -v explore="$(column 9 "$lines")" -v kernels="$(column 10 "$lines")" -v grow="$(column 11 "$lines")" -v wall="$(column 16 "$lines")" \
    '{ printf "%-14s %-22s %14.0f %15.0f %7d %8.4f %8.3f %8.2f %7.3f %7.3f %7.3f %6.2f %6.2f %7d", $2, $3, $6, $7, $8, explore, $6 / explore / 1e9, $7 / explore / 1e9, kernels, grow, wall, $21 / $6, $22 / $6, $18 }')"
}

several() { # $1: group  $2: model  $3: constants  rest: options
  of=$1 what=$2 with=$3
  shift 3
  for _ in $(seq "$rounds"); do
    run "$of" "$what" "$with" warm "$@" || break
  done
  tell "$of" "$what" "$with" warm
}

# ---- groups ------------------------------------------------------------------------------------------------------------

group_counters() { # the reference of hand-written code: 3.15 G states/s
  header
  several counters counters '-DN=8 -DK=12'
  several counters counters '-DN=8 -DK=14'
  say 'with the table at its full size from the start:'
  several sized counters '-DN=8 -DK=12' --initial-slots=600000000
  several sized counters '-DN=8 -DK=14' --initial-slots=2000000000
}

group_models() {
  header
  gpu_models >"$work/models"
  while read -r model constants; do
    several models "$model" "$constants"
  done <"$work/models"
}

group_totals() { # the whole command, with empty and with filled caches
  say "$(printf '%-8s %-8s %14s %8s %8s %8s %8s %8s %8s' cache engine states wall total parse start build explore)"
  for n in 6 7 8 9; do
    rm -rf "$work/cold"
    kept=$FLOE_CACHE_DIR
    FLOE_CACHE_DIR=$work/cold
    run totals counters "-DN=$n -DK=10" cold
    tell_phases cold "-DN=$n -DK=10"
    for _ in $(seq "$rounds"); do
      run totals counters "-DN=$n -DK=10" warm
    done
    FLOE_CACHE_DIR=$kept
    left || return
    tell_phases warm "-DN=$n -DK=10"
    begun=$(date +%s.%N)
    "$floe" check --engine=auto --quiet --no-trace --json="$work/json" "-DN=$n" -DK=10 "$models/counters.xml" >/dev/null 2>&1
    say "$(printf '%-8s %-8s %14s %8.3f' auto "$(json engine)" "$(json states)" "$(awk "BEGIN { print $(date +%s.%N) - $begun }")")"
  done
}

tell_phases() { # $1: state of the cache  $2: constants
  lines=$(awk -F, -v c="$2" -v s="$1" '$1 == "totals" && $3 == c && $4 == s' "$csv")
  [ -n "$lines" ] || return
  say "$(printf '%-8s %-8s %14s %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f' "$1" gpu "$(column 6 "$lines")" "$(column 16 "$lines")" "$(column 15 "$lines")" \
    "$(column 14 "$lines")" "$(column 12 "$lines")" "$(column 13 "$lines")" "$(column 9 "$lines")")"
}

group_levels() { # deep and narrow: the cost of a level
  header
  several levels hanoi '-DN=10'
  several levels hanoi '-DN=15'
  several levels altbit '-DD=1024'
  awk -F, '$1 == "levels" { printf "%s %s: %.2f us a level\n", $2, $3, 1e6 * $9 / $8 }' "$csv" | sort -u | tee -a "$summary"
}

group_memory() { # bytes a state, and the behaviour of a small card: growth and spilling at 1 G states
  header
  several memory counters '-DN=9 -DK=10'
  for limit in 16G 4G; do
    say "with $limit of the device's memory:"
    run limited counters '-DN=9 -DK=10' "limit-$limit" "--gpu-memory=$limit" && tell limited counters '-DN=9 -DK=10' "limit-$limit"
  done
}

group_largest() { # keys of 40 bits until the card is full
  header
  run largest counters '-DN=4 -DK=1024' once && tell largest counters '-DN=4 -DK=1024' once
  say "ended by $(json end), complete up to depth $(json complete_depth), table $(json table_fill) full"
}

group_profile() { # one launch of each by ncu: a slice of some ms, small tables, since ncu restores memory for every pass
  command -v ncu >/dev/null || { say 'profile: there is no ncu' && return; }
  metrics=gpu__time_duration.sum,dram__bytes.sum.per_second,lts__t_sectors_op_read.sum,lts__t_sectors_op_atom.sum
  metrics=$metrics,lts__t_sector_hit_rate.pct,smsp__thread_inst_executed_per_inst_executed.ratio,smsp__inst_executed.sum
  metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.pct_of_peak_sustained_active
  metrics=$metrics,launch__registers_per_thread,launch__shared_mem_per_block_static
  for stall in long_scoreboard short_scoreboard lg_throttle mio_throttle barrier membar wait branch_resolving not_selected no_instruction; do
    metrics=$metrics,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
  done
  : >"$folder/profile.txt"
  while read -r memory model constants; do
    left || return
    # shellcheck disable=SC2086
    FLOE_GPU_TEST=slice_us=4000 timeout -k 5 $((left < 60 ? left : 60)) ncu --clock-control none --kernel-name floe_explore --launch-skip 4 --launch-count 1 --metrics $metrics \
      "$floe" check --engine=gpu --quiet --no-trace --continue --gpu-memory=$memory $options $constants "$models/$model.xml" >"$work/ncu" 2>&1 </dev/null
    code=$?
    { echo "== $model $constants (ncu ended with $code)" && grep -E 'floe_explore|__|==ERROR==|==WARNING==' "$work/ncu"; } | tee -a "$folder/profile.txt" "$summary"
  done <<END
3G counters -DN=8 -DK=10
3G peterson -DN=7
3G tiles -DW=4 -DH=3
8G havi -DN=2 -DRESETS=25
END
}

run_groups '; G/s: 10^9 states a second of explore, GT/s: transitions; b/st, f/st: bytes of table and frontier a state' "$@"
