#!/bin/sh
# Searches beyond the GPU's memory, compared with the same searches in memory and on the CPU. Every model is explored in
# one memory, then with PART of the bytes that table and queue took there, then on all cores; states, levels and
# certificates must be equal.
#     bench/gpu/beyond_gpu.sh FOLDER [GROUP]...   groups: models forced largest; all by default
#     FLOE: the command (./floe)   ROUNDS: 3   PART: 8, an eighth   SECONDS_ALL: 450   THREADS: all   LARGEST: constants of counters
#     WITHOUT_CPU: 1, no runs on the CPU   OPTIONS: of the runs with part of the memory   GPU_OPTIONS: of all on the GPU
#     MODELS: "counters peterson bakery havi", of the group models
# FOLDER gets runs.csv, a line for each run, and summary.txt (the output).
#     unresolved   keys looked up in host memory, per new state there: 1 is the least possible
#     there    MB of the host's tables
#     explore, select, wait, apply   seconds of the device's work, of its lookups, of waiting for the host's answers, of applying them
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,12p' "$0" && exit 2; }
script=beyond_gpu.sh all='models forced largest' seconds=450
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
part=${PART:-8} threads=${THREADS:+--threads=$THREADS}
csv=$folder/runs.csv
echo 'group,model,constants,memory,bytes,states,levels,end,explore,table,certificate,two' >"$csv"

json() { figure "$1" "$work/json"; }

explore() { # $1: group  $2: memory, a word  $3: model  $4: constants  rest: options; sets seconds, bytes, certificate
  name=$1 memory=$2 model=$3 constants=$4
  shift 4
  left || return 1
  : >"$work/json"
  # shellcheck disable=SC2086 # lists of words
  FLOE_GPU_TEST=${TUNING:+$TUNING,}tell=1 timeout --preserve-status -s INT -k 20 $left "$floe" check --quiet --no-trace --continue \
    --json="$work/json" $threads "$@" $constants "$models/$model.xml" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code -lt 3 ] || { say "$model $constants: exit code $code: $(head -n 3 "$work/err")" && return 1; }
  took=$(json explore)
  bytes=$(($(json table_bytes) + $(json frontier_bytes)))
  certificate=$(sed -n 's/^ *"certificate": "\(.*\)",*$/\1/p' "$work/json" | tr ' ' ';')
  set_figures=$(sed -n 's/.*host-backed set: //p' "$work/err" | tr -d ',')
  echo "$name,$model,$constants,$memory,$bytes,$(json states),$(json levels),$(json end),$took,$(json table),$certificate,$set_figures" >>"$csv"
}

repeated() { # $1: group  $2: memory  $3: model  $4: constants  rest: options; sets typical, the median of the rounds
  i=0 list=
  while [ $i -lt "$rounds" ]; do
    explore "$@" || return 1
    list="$list $took"
    i=$((i + 1))
  done
  # shellcheck disable=SC2086
  typical=$(printf '%s\n' $list | median)
}

set_figure() { echo "$set_figures" | tr ' ' '\n' | sed -n "s/^$1=//p"; }

row() { # $1: what  $2: seconds in one memory
  say "$(awk -v what="$1" -v model="$model" -v constants="$constants" -v table="$(json table)" -v states="$(json states)" -v s="$typical" -v one="$2" \
    -v unresolved="$(set_figure unresolved)" -v host="$(set_figure host_keys)" -v there="$(set_figure host_bytes)" -v e="$(set_figure explore)" -v a="$(set_figure select)" -v w="$(set_figure wait)" -v f="$(set_figure apply)" \
    'BEGIN { printf "%-12s %-22s %-10s %14d %8.3f s %7.3f G/s %5.0f %%  %s  unresolved %5.2f there %.0f explore %.2f select %.2f wait %.2f apply %.2f", model, constants, what, states, s, states / s / 1e9, 100 * one / s, table, host ? unresolved / host : 0, there / 1e6, e, a, w, f }')"
}

same() { # $1: the certificate of the first run
  [ "$certificate" = "$1" ] || say "$model $constants: ANOTHER CERTIFICATE: $certificate, not $1"
}

compare() { # $1: group  $2: model  $3: constants  rest: options
  of=$1 m=$2 c=$3
  shift 3
  # shellcheck disable=SC2086 # a list of words
  repeated "$of" one "$m" "$c" --engine=gpu ${GPU_OPTIONS:-} "$@" || return
  one=$typical needed=$bytes first=$certificate
  row "one memory" "$one"
  # shellcheck disable=SC2086 # a list of words
  repeated "$of" part "$m" "$c" --engine=gpu --gpu-memory=$((needed / part)) ${GPU_OPTIONS:-} ${OPTIONS:-} "$@" || return
  row "1/$part" "$one"
  same "$first"
  [ -z "${WITHOUT_CPU:-}" ] || return
  explore "$of" cpu "$m" "$c" --engine=cpu "$@" || return
  typical=$took
  row "CPU" "$one"
  same "$first"
}

group_models() {
  for chosen in ${MODELS:-counters peterson bakery havi}; do
    case $chosen in
    counters) compare models counters "-DN=8 -DK=14" ;;
    peterson) compare models peterson "-DN=8" ;;
    bakery) compare models bakery "-DN=5 -DMAX=5 -DBROKEN=1" ;;
    havi) compare models havi "-DN=2 -DRESETS=34" ;;
    *) say "no model $chosen" ;;
    esac
  done
}

group_forced() { # the default memory, every key looked up in host memory
  for case in "counters:-DN=8 -DK=12" "peterson:-DN=7"; do
    repeated forced one "${case%%:*}" "${case#*:}" --engine=gpu || return
    one=$typical first=$certificate
    repeated forced forced "${case%%:*}" "${case#*:}" --engine=gpu --table=working-set || return
    row forced "$one"
    same "$first"
  done
}

# States that fit only into both memories: counters of 40 bits
group_largest() {
  explore largest both counters "${LARGEST:--DN=4 -DK=540}" --engine=gpu || return
  typical=$took
  row both 0
  expected=$(awk -v c="${LARGEST:--DN=4 -DK=540}" 'BEGIN { split(c, w, /[= ]/); printf "%.0f", w[4] ^ w[2] }')
  [ "$(json states)" = "$expected" ] || say "$(json states) states, not $expected"
}

run_groups "; PART=$part; unresolved: keys looked up in host memory, by new states there" "$@"
