#!/bin/sh
# floe and Spin's pan on twin models, side by side: millions of states per second, median of several rounds in which all
# take turns, and the ratio of floe's rate to that of the fastest pan.
#     bench/engine/spin.sh [ROUNDS]        FLOE: the command (./floe)
#     SET      small (seconds, to try this script), first (3 models) or full (6 models of 7 to 14 million states)
#     CASES    instead of a set: lines of "model constants", "counters -DN=6 -DK=14" for one
#     THREADS  floe's numbers of threads, "1 2" for instance, and then the scaling from the first to the last (default 1);
#              if the greatest is 2 or more, pan's BFS_PAR runs with so many workers
#     ROUNDS   of floe (default 5);  PAN_ROUNDS: pan runs in the first so many of them (default 1 with SET=full,
#              which is about 6 minutes, 8 with BFS_PAR; else as many as ROUNDS)
# pan is generated with -o1 -o2 -o3, so that its states are the model's, compiled with -O2 -DSAFETY -DNOREDUCE and run
# with -E -n -w26. The depth-first stack gets the depth that a first run reached, because a larger one costs pan seconds
# of set-up. That first run also warms up and is not counted. Both sides must store the same number of states, else
# there is no figure. "-": not possible with pan (breadth first with hidden variables). PAN_LIMIT (300): seconds after
# which a pan is stopped and has no figure; BFS_PAR may never end. Rates: of the whole command, from start to exit;
# pan's own is the one that pan prints, without its set-up. floe's compiled model comes from the cache (bench/engine/startup.sh
# measures without). Ratios: to the fastest pan of one thread (dfs, bfs) if floe has one, else to the fastest of all; of
# the whole commands, and of floe's whole command to pan's own rate.
set -eu
rounds=${1:-5}
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
threads=${THREADS:-1}
set=${SET:-first}
if [ "$set" = full ]; then pan_rounds=${PAN_ROUNDS:-1}; else pan_rounds=${PAN_ROUNDS:-$rounds}; fi
command -v spin >/dev/null || { echo "spin.sh: Spin is not installed"; exit 77; }
[ -x "$floe" ] || { echo "spin.sh: no floe at $floe (set FLOE)"; exit 99; }
# shellcheck disable=SC2086 # a list of words
workers=$(printf '%s\n' $threads | sort -n | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cases() { # model and constants, of floe and of the twin
  if [ -n "${CASES:-}" ]; then
    printf '%s\n' "$CASES"
    return
  fi
  case $set in
  small) echo 'counters -DN=5 -DK=8
peterson -DN=4 -DLEVELS=3
bakery -DN=3 -DMAX=4 -DBROKEN=0' ;;
  first) echo 'counters -DN=6 -DK=14
peterson -DN=6 -DLEVELS=5
bakery -DN=4 -DMAX=31 -DBROKEN=0' ;;
  full) echo 'counters -DN=6 -DK=14
peterson -DN=7 -DLEVELS=4
bakery -DN=4 -DMAX=31 -DBROKEN=0
philosophers -DN=18 -DLEFT=0
lamport -DN=5 -DBROKEN=0
havi -DN=3 -DRESETS=4 -DCAP=1 -DCURED=1 -DFULL=1 -DONLINE=1' ;;
  *) echo "spin.sh: no set $set" >&2 && exit 99 ;;
  esac
}

# Both print "states seconds own-rate"; nothing for a missing pan.
run_pan() { # $1: program, rest: arguments
  [ -x "$1" ] || return 0
  start=$(date +%s.%N)
  timeout "${PAN_LIMIT:-300}" "$@" >"$work/out" 2>&1 || [ $? -ne 124 ] || return 0
  end=$(date +%s.%N)
  awk -v s="$start" -v e="$end" '/states, stored/ { n = $1 }
    /max search depth too small|out of memory|memory limit/ { bad = 1 }
    $2 == "rate" { own = $3 }
    END { if (bad) n = 0; printf "%d %.3f %s\n", n, e - s, own == "" ? "-" : own / 1e6 }' "$work/out"
}
run_floe() { # $1: threads, $2: model, rest: options
  count=$1 model=$2
  shift 2
  start=$(date +%s.%N)
  "$floe" count --quiet --threads="$count" --json="$work/json" "$@" "$top/models/$model.xml" >/dev/null
  end=$(date +%s.%N)
  awk -v s="$start" -v e="$end" 'match($0, /"states": *[0-9]+/) { n = substr($0, RSTART + 9, RLENGTH - 9) + 0; exit }
    END { printf "%d %.3f -\n", n, e - s }' "$work/json"
}
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

build_pans() { # $1: model, rest: macros
  model=$1
  shift
  mkdir -p "$work/$model"
  (cd "$work/$model" && spin -a -o1 -o2 -o3 "$@" "$top/tests/peers/$model.pml" >/dev/null
    gcc -w -O2 -DSAFETY -DNOREDUCE -o dfs pan.c
    gcc -w -O2 -DSAFETY -DNOREDUCE -DBFS -o bfs pan.c || true
    [ "$workers" -lt 2 ] || gcc -w -O2 -DSAFETY -DNOREDUCE -DBFS_PAR -o par pan.c || true) 2>/dev/null
}

# A line for each run: side, states, seconds, pan's own rate.
take_turns() { # $1: model, rest: constants
  model=$1
  shift
  run_pan "$work/$model/dfs" -E -n -w26 -m20000000 >/dev/null
  depth=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' "$work/out")
  run_floe "$workers" "$model" "$@" >/dev/null # fills the cache of compiled models
  round=0
  while [ $round -lt "$rounds" ]; do
    for count in $threads; do echo "floe$count $(run_floe "$count" "$model" "$@")"; done
    if [ $round -lt "$pan_rounds" ]; then
      echo "dfs $(run_pan "$work/$model/dfs" -E -n -w26 -m"$((depth + 10))")"
      echo "bfs $(run_pan "$work/$model/bfs" -E -n -w26)"
      echo "par $(run_pan "$work/$model/par" -E -n -w26 -u"$workers")"
    fi
    round=$((round + 1))
  done | awk 'NF > 1'
}

rate_of() { # $1: side; of the whole command
  awk -v s="$1" '$1 == s { print $2 / $3 / 1e6 }' "$work/times" | median
}
own_of() { awk -v s="$1" '$1 == s && $4 != "-" { print $4 }' "$work/times" | median; }
greatest() { printf '%s\n' "$@" 0 | sort -g | tail -n 1; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%s", (b > 0) ? sprintf("%.1f", a / b) : "-" }'; }

one_case() { # $1: model  $2: constants
  # shellcheck disable=SC2086
  build_pans "$1" $2
  # shellcheck disable=SC2086
  take_turns "$1" $2 >"$work/times"
  # Parallel breadth-first search may store a state twice; the others' numbers must be the same.
  if [ "$(awk '$1 != "par" { print $2 }' "$work/times" | sort -u | wc -l)" != 1 ]; then
    echo "$1 $2: the numbers of states differ:" && cat "$work/times" && return 1
  fi
  dfs=$(rate_of dfs) bfs=$(rate_of bfs) par=$(rate_of par)
  dfs_own=$(own_of dfs) bfs_own=$(own_of bfs) par_own=$(own_of par)
  # shellcheck disable=SC2086 # missing values are no argument
  alone=$(greatest $dfs $bfs) alone_own=$(greatest $dfs_own $bfs_own)
  first=
  for count in $threads; do
    mine=$(rate_of "floe$count")
    # shellcheck disable=SC2086
    if [ "$count" = 1 ]; then best=$alone best_own=$alone_own
    else best=$(greatest $alone $par) best_own=$(greatest $alone_own $par_own); fi
    printf '%-12s %-32s %9d %3d %8.3f' "$1" "$(echo "$2" | sed 's/-D//g' | cut -c1-32)" \
      "$(awk 'NR == 1 { print $2 }' "$work/times")" "$count" "$mine"
    for side in "$dfs" "$dfs_own" "$bfs" "$bfs_own" "$par" "$par_own"; do
      if [ -n "$side" ]; then printf ' %7.3f' "$side"; else printf ' %7s' -; fi
    done
    scaling=-
    if [ -n "$first" ]; then scaling=$(awk -v a="$mine" -v b="$first" 'BEGIN { printf "%.2f", a / b }'); fi
    first=${first:-$mine}
    printf ' %7s %7s %7s\n' "$(ratio "$mine" "$best")" "$(ratio "$mine" "$best_own")" "$scaling"
  done
}

printf '%s, %s cores; floe %s; Spin %s; %s; M states/s, medians of %s rounds (pan %s)\n' \
  "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
  "$(cd "$top" && git rev-parse --short HEAD 2>/dev/null || echo '(release)')" \
  "$(spin -V | sed 's/Spin Version \([0-9.]*\).*/\1/')" "$(gcc --version | head -n 1)" "$rounds" "$pan_rounds"
printf '%-12s %-32s %9s %3s %8s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n' model constants states thr floe \
  dfs own bfs own par own ratio to-own scaling
cases >"$work/cases" || exit 99
while read -r model constants; do one_case "$model" "$constants"; done <"$work/cases"
