#!/bin/sh
# Models with known counts: floe's counts against these, and times of each search.
#     bench/engine/counts.sh FOLDER MODELS COUNTS [INSTANCE]...
# COUNTS: instance, states, transitions, levels, deadlock states, ...; separated by tabs or commas, with a first line of
# names. MODELS has a file INSTANCE or INSTANCE.*, in any language, for each line. Without INSTANCE: all of at least LEAST
# states that have a file, largest first.
#     FLOE: the command (./floe)   OPTIONS: of every run, such as --engine=gpu or '--engine=cpu --threads=2'   LEAST: 0
#     SECONDS_EACH: 60, limit of a run   SECONDS_ALL: 450, no run starts later
# FOLDER gets runs.csv, a line for each run. Instances with a line there are skipped, so a second call continues. Exit code
# 0: all were exact; 1: one differs or failed; 2: some did not end in time.
#     result    exact; wrong: another count; timeout; failed: see FOLDER/INSTANCE.err
#     explore   seconds from the first state to the last   build: compiling, or reading from the cache
#     wall      the whole command   processor: its processor seconds, of all threads and compilers
set -u
LC_ALL=C
export LC_ALL
[ $# -ge 3 ] || { sed -n '2,15p' "$0" && exit 2; }
folder=$1 models=$2 counts=$3
shift 3
floe=${FLOE:-$PWD/floe}
deadline=$(($(date +%s) + ${SECONDS_ALL:-450}))
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
[ -x "$floe" ] || { echo "counts.sh: no floe at $floe (set FLOE)" && exit 99; }
[ -r "$counts" ] || { echo "counts.sh: no file of counts $counts" && exit 99; }
mkdir -p "$folder" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
FLOE_CACHE_DIR=${FLOE_CACHE_DIR:-$work/cache}
export FLOE_CACHE_DIR
case ${OPTIONS:-} in
*--engine=gpu*)
  if ! "$floe" devices --json 2>/dev/null | grep -q '"no_gpu": null'; then
    echo "SKIP: $("$floe" devices | grep -i gpu)"
    exit 77
  fi
  ;;
esac
csv=$folder/runs.csv
[ -s "$csv" ] || echo 'instance,result,states,transitions,levels,deadlocks,explore,build,wall,processor,engine,key_bits,table_bytes' >"$csv"

model_of() { # $1: instance
  for model in "$models/$1" "$models/$1".*; do
    [ -f "$model" ] && echo "$model" && return
  done
}

# states, transitions, levels, deadlocks of a run
found() {
  awk '/^states: / { states = $2 } /^transitions: / { transitions = $2 } /^depth: / { levels = $2 + 1 }
       /^deadlocks: / { deadlocks = $2 } END { print states, transitions, levels, deadlocks }' "$work/out"
}

# Processor seconds of all commands so far. `times` in a pipe would count those of a subshell.
processor_seconds() {
  times >"$work/times"
  awk 'NR == 2 { split($1 " " $2, t, /[ms ]+/); print t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$work/times"
}

json() { figure "$1" "$work/json"; }

run() { # $1: instance  $2: its model  rest: what is known
  instance=$1 model=$2
  shift 2
  left=$((deadline - $(date +%s)))
  each=${SECONDS_EACH:-60}
  : >"$work/json"
  processor_seconds >"$work/before"
  begun=$(date +%s.%N)
  # shellcheck disable=SC2086 # several options
  timeout -k 10 $((each + 20)) "$floe" count --no-trace --timeout=$((left < each ? left : each)) --json="$work/json" \
    ${OPTIONS:-} "$model" >"$work/out" 2>"$folder/$instance.err" </dev/null
  wall=$(awk "BEGIN { printf \"%.3f\", $(date +%s.%N) - $begun }")
  processor_seconds >"$work/after"
  processor=$(paste "$work/before" "$work/after" | awk '{ printf "%.2f", $2 - $1 }')
  if ! grep -q '^end: ' "$work/out"; then
    result=failed
  elif ! grep -q '^end: every reachable state' "$work/out"; then
    result=timeout
  elif [ "$(found)" = "$*" ]; then
    result=exact
  else
    result=wrong
  fi
  echo "$instance,$result,$(found | tr ' ' ','),$(json explore),$(json compile),$wall,$processor,$(json engine),$(json key_bits),$(json table_bytes)" >>"$csv"
  echo "$instance: $result, $(found | cut -d ' ' -f 1) states, explored in $(json explore) s, $wall s"
  [ "$result" != wrong ] || echo "  $(found), not $*"
  [ "$result" != failed ] || head -n 3 "$folder/$instance.err"
}

tail -n +2 "$counts" | tr ',' '\t' | cut -f 1-5 | sort -t '	' -k 2,2 -n -r >"$work/counts"
unstarted=0
while IFS='	' read -r name states transitions levels deadlocks; do
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  elif [ "$states" -lt "${LEAST:-0}" ]; then
    continue
  fi
  grep -q "^$name," "$csv" && continue
  file=$(model_of "$name")
  if [ -z "$file" ]; then
    [ $# -eq 0 ] || echo "counts.sh: $models has no file of $name"
    continue
  fi
  if [ "$((deadline - $(date +%s)))" -lt 5 ]; then
    unstarted=$((unstarted + 1))
    continue
  fi
  run "$name" "$file" "$states" "$transitions" "$levels" "$deadlocks"
done <"$work/counts"

number() { grep -c "^[^,]*,$1," "$csv"; }
echo "$(number exact) exact, $(number wrong) wrong, $(number failed) failed, $(number timeout) timeouts, $unstarted not started in time"
[ "$(($(number wrong) + $(number failed)))" -eq 0 ] || exit 1
[ "$(($(number timeout) + unstarted))" -eq 0 ] || exit 2
