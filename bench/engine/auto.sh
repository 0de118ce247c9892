#!/bin/sh
# Time of --engine=auto beside the engine that it selects, with empty and with filled caches; and the delay between a
# stop request and the end of a run. Figures are wall seconds of the whole command, medians of ROUNDS, the variants in
# turn.
#     bench/engine/auto.sh FOLDER [GROUP]...   groups: small large ends; all by default
#     FLOE: the command (./floe)   ROUNDS: 3   SECONDS_ALL: 240, no run starts later
# FOLDER gets auto.csv (a line for each run) and summary.txt (the output).
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,7p' "$0" && exit 2; }
script=auto.sh all='small large ends' seconds=240
# shellcheck source=bench/on_gpu.sh
. "$(dirname "$0")/../on_gpu.sh"
csv=$folder/auto.csv
echo 'group,model,constants,cache,way,wall,states,engine,detail' >"$csv"

# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
now() { date +%s.%N; }

# measure GROUP MODEL CONSTANTS CACHE WAY: one run; CACHE cold: an empty folder
measure() {
  cache=$work/cache-$2
  [ "$4" = warm ] || { cache=$work/cold && rm -rf "$cache"; }
  CUDA_CACHE_PATH=$cache/nvidia # NVRTC's own
  export CUDA_CACHE_PATH
  begun=$(now)
  # shellcheck disable=SC2086 # a list of words
  "$floe" check --engine="$5" --cache-dir="$cache" --quiet --no-trace --continue --json="$work/json" $3 "$models/$2.xml" >/dev/null 2>"$work/err" </dev/null
  code=$?
  ended=$(now)
  [ $code -lt 3 ] || say "$2 $3 --engine=$5: exit code $code: $(head -n 2 "$work/err")"
  text() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" "$work/json" | head -n 1; }
  echo "$1,$2,$3,$4,$5,$(awk "BEGIN { printf \"%.3f\", $ended - $begun }"),$(text states),$(text engine),$(text engine_detail | tr , ';')" >>"$csv"
}

# compare GROUP MODEL CONSTANTS CACHE WAY...
compare() {
  group=$1 model=$2 constants=$3 cached=$4
  shift 4
  left || return
  [ "$cached" = cold ] || for way in "$@"; do measure warming "$model" "$constants" warm "$way"; done
  round=0
  while [ $round -lt "$rounds" ]; do
    for way in "$@"; do measure "$group" "$model" "$constants" "$cached" "$way"; done
    round=$((round + 1))
  done
  line=
  for way in "$@"; do
    rows=$(awk -F, -v g="$group" -v m="$model" -v c="$constants" -v k="$cached" -v w="$way" '$1 == g && $2 == m && $3 == c && $4 == k && $5 == w' "$csv")
    line="$line  $way $(echo "$rows" | cut -d, -f6 | median) ($(echo "$rows" | cut -d, -f8 | sort | uniq -c | awk '{ printf "%s%s x%s", (NR > 1) ? " " : "", $2, $1 }'))"
  done
  say "$(printf '%-10s %-22s %-4s %14s states%s' "$model" "$constants" "$cached" "$(echo "$rows" | cut -d, -f7 | head -n 1)" "$line")"
}

group_small() {
  compare small peterson '-D N=3' cold auto interpreter cpu
  compare small havi '-D N=2 -D RESETS=1' cold auto interpreter cpu gpu
  compare small counters '-D N=5' cold auto cpu gpu
}

group_large() {
  compare large counters '-D N=9 -D K=10' cold gpu auto
  compare large counters '-D N=9 -D K=10' warm gpu auto
  compare large havi '-D N=2 -D RESETS=25' cold gpu auto
  compare large havi '-D N=2 -D RESETS=25' warm gpu auto
  compare large peterson '-D N=7' cold gpu auto cpu
}

# ends NAME AT ARGUMENT...: SIGINT so many seconds after the start: delay until the end, and exit code
ends() {
  name=$1 at=$2
  shift 2
  left || return
  CUDA_CACHE_PATH=$work/cold/nvidia
  rm -rf "$work/cold"
  "$floe" check --cache-dir="$work/cold" --quiet --no-trace --continue "$@" >/dev/null 2>"$work/err" </dev/null &
  pid=$!
  sleep "$at"
  begun=$(now)
  kill -s TERM $pid
  wait $pid
  code=$?
  say "$(printf '%-48s SIGTERM at %4s s: ends %.3f s later, exit code %d' "$name" "$at" "$(awk "BEGIN { print $(now) - $begun }")" $code)"
}

late() { # late NAME ARGUMENT...: --timeout=3
  name=$1
  shift
  left || return
  CUDA_CACHE_PATH=$work/cold/nvidia
  rm -rf "$work/cold"
  begun=$(now)
  "$floe" check --timeout=3 --cache-dir="$work/cold" --quiet --no-trace --continue "$@" >/dev/null 2>"$work/err" </dev/null
  code=$?
  say "$(printf '%-48s --timeout=3: ends after %.3f s, exit code %d' "$name" "$(awk "BEGIN { print $(now) - $begun }")" $code)"
}

group_ends() {
  for at in 0.05 0.15 0.5 1 1.5; do
    ends 'havi N=3, --engine=gpu' $at --engine=gpu -D N=3 "$models/havi.xml"
  done
  ends 'havi N=3, auto' 0.5 -D N=3 "$models/havi.xml"
  ends 'counters 10^11, auto' 3 -D N=11 -D K=10 "$models/counters.xml"
  ends 'counters 10^11, --engine=cpu' 3 --engine=cpu -D N=11 -D K=10 "$models/counters.xml"
  late 'havi N=3, --engine=gpu' --engine=gpu -D N=3 "$models/havi.xml"
  late 'havi N=3, auto' -D N=3 "$models/havi.xml"
  late 'counters 10^11, auto' -D N=11 -D K=10 "$models/counters.xml"
  late 'counters 10^11, --engine=cpu' --engine=cpu -D N=11 -D K=10 "$models/counters.xml"
}

run_groups ' runs, wall seconds of the whole command' "$@"
