#!/bin/sh
# floe and Spin's pan on twin models, side by side: states per second of the whole command, median of several
# rounds in which all take turns, and the ratio of floe to the fastest pan.
#   tests/bench/spin.sh [ROUNDS]        FLOE: the command (./floe)   SET: small, first (default) or full
#   THREADS: floe's threads and, where 2 or more, pan's BFS_PAR workers (default 1)
# pan is generated with -o1 -o2 -o3, so that its states are the model's, compiled with -O2 -DSAFETY -DNOREDUCE and
# run with -E -n -w26; the depth-first stack gets the depth that a first run reached, as a larger one costs pan seconds
# of set-up. Both sides must store the same number of states, else there is no figure.
set -eu
rounds=${1:-3}
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
threads=${THREADS:-1}
command -v spin >/dev/null || { echo "spin.sh: Spin is not installed"; exit 77; }
[ -x "$floe" ] || { echo "spin.sh: no floe at $floe (set FLOE)"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases() { # model and constants, of floe and of the twin
  case ${SET:-first} in
  small) echo 'counters -DN=5 -DK=8
peterson -DN=4 -DLEVELS=3
bakery -DN=3 -DMAX=4 -DBROKEN=0' ;;
  first) echo 'counters -DN=6 -DK=16
peterson -DN=6 -DLEVELS=5
bakery -DN=4 -DMAX=31 -DBROKEN=0' ;;
  *) echo 'counters -DN=6 -DK=16
peterson -DN=6 -DLEVELS=5
bakery -DN=4 -DMAX=31 -DBROKEN=0
philosophers -DN=18 -DLEFT=0
lamport -DN=5 -DBROKEN=0
havi -DN=3 -DRESETS=3 -DCAP=1 -DCURED=1 -DFULL=1 -DONLINE=1' ;;
  esac
}

# Each prints "states seconds"
run_pan() { # $1: program, rest: arguments
  start=$(date +%s.%N)
  "$@" >"$work/out" 2>&1 || true
  end=$(date +%s.%N)
  awk -v s="$start" -v e="$end" '/states, stored/ { n = $1 } END { printf "%d %.3f\n", n, e - s }' "$work/out"
}
run_floe() { # $1: model, rest: options
  model=$1
  shift
  start=$(date +%s.%N)
  # shellcheck disable=SC2086 # a list of words
  "$floe" count --quiet --threads="$threads" --json="$work/json" "$@" "$top/models/$model.xml" >/dev/null
  end=$(date +%s.%N)
  awk -v s="$start" -v e="$end" 'match($0, /"states": *[0-9]+/) { n = substr($0, RSTART + 9, RLENGTH - 9) + 0; exit }
    END { printf "%d %.3f\n", n, e - s }' "$work/json"
}
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

build_pans() { # $1: model, rest: macros
  model=$1
  shift
  mkdir -p "$work/$model"
  (cd "$work/$model" && spin -a -o1 -o2 -o3 "$@" "$top/tests/peers/$model.pml" >/dev/null
    gcc -O2 -DSAFETY -DNOREDUCE -o dfs pan.c
    gcc -O2 -DSAFETY -DNOREDUCE -DBFS -o bfs pan.c
    [ "$threads" -lt 2 ] || gcc -O2 -DSAFETY -DNOREDUCE -DBFS_PAR -o par pan.c) 2>/dev/null
}

one_case() { # $1: model  $2: constants
  # shellcheck disable=SC2086
  build_pans "$1" $2
  run_pan "$work/$1/dfs" -E -n -w26 -m20000000 >/dev/null
  depth=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' "$work/out")
  # shellcheck disable=SC2086
  run_floe "$1" $2 >/dev/null # fills the cache of compiled models
  round=0
  while [ $round -lt "$rounds" ]; do
    # shellcheck disable=SC2086
    echo "floe $(run_floe "$1" $2)"
    echo "dfs $(run_pan "$work/$1/dfs" -E -n -w26 -m"$((depth + 10))")"
    echo "bfs $(run_pan "$work/$1/bfs" -E -n -w26)"
    [ ! -x "$work/$1/par" ] || echo "par $(run_pan "$work/$1/par" -E -n -w26 -u"$threads")"
    round=$((round + 1))
  done >"$work/times"
  if [ "$(awk '$1 != "par" { print $2 }' "$work/times" | sort -u | wc -l)" != 1 ]; then
    echo "$1 $2: the numbers of states differ:" && cat "$work/times" && return 1
  fi
  states=$(awk 'NR == 1 { print $2 }' "$work/times")
  printf '%-12s %-32s %9d' "$1" "$(echo "$2" | sed 's/-D//g')" "$states"
  best=
  for side in floe dfs bfs par; do
    seconds=$(awk -v s=$side -v n="$states" '$1 == s && $2 == n { print $3 }' "$work/times" | median)
    if [ -z "$seconds" ]; then
      printf ' %8s' -
      continue
    fi
    rate=$(awk -v n="$states" -v t="$seconds" 'BEGIN { printf "%.3f", n / t / 1e6 }')
    printf ' %8s' "$rate"
    if [ $side = floe ]; then mine=$rate; else best=$(printf '%s\n%s\n' "$rate" "${best:-0}" | sort -g | tail -n 1); fi
  done
  awk -v a="$mine" -v b="$best" 'BEGIN { printf " %7.1f\n", a / b }'
}

printf '%s, %s cores; floe %s, %s thread(s); M states/s of the whole command, median of %s\n' \
  "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
  "$(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)')" "$threads" "$rounds"
printf '%-12s %-32s %9s %8s %8s %8s %8s %7s\n' model constants states floe pan-dfs pan-bfs pan-par ratio
cases | while read -r model constants; do one_case "$model" "$constants"; done
