#!/bin/sh
# Start-up: wall time of whole commands on models of some 1,000 states, with and without the compiled model in the
# cache, interpreted, and with floe's own choice (with that cache); least and median of several rounds in which all take
# turns. Fails if the least time is above LIMIT_CACHED (default 0.3 s) or LIMIT_COMPILED (default 1.5 s).
#     bench/engine/startup.sh [ROUNDS]     FLOE: the command (./floe)   ROUNDS: default 7
set -eu
rounds=${1:-7}
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
limit_cached=${LIMIT_CACHED:-0.3}
limit_compiled=${LIMIT_COMPILED:-1.5}
[ -x "$floe" ] || { echo "startup.sh: no floe at $floe (set FLOE)"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$top/tests/state_models.sh" "$work/state_models"

timed() { # $1: label, rest: options and model; prints "label seconds states detail"
  label=$1
  shift
  start=$(date +%s.%N)
  "$floe" check --quiet --json="$work/json" "$@" >/dev/null 2>"$work/err" || [ $? -le 1 ] || { cat "$work/err" >&2 && return 1; }
  end=$(date +%s.%N)
  awk -v l="$label" -v s="$start" -v e="$end" '/"states": *[0-9]/ { n = $2 + 0 }
    /"engine_detail"/ { cached = /cached/ }
    END { printf "%s %.4f %d %s\n", l, e - s, n, cached ? "cached" : "-" }' "$work/json"
}

# Checks that the model was compiled once and then taken from the cache; else the figures would be meaningless.
check_labels() {
  awk '$1 == "cached" && $4 != "cached" || $1 == "compiled" && $4 == "cached" { print "startup.sh: not as labelled: " $0; bad = 1 } END { exit bad }' "$work/times"
}

summary() { # $1: label
  awk -v l="$1" '$1 == l { print $2 }' "$work/times" | sort -g |
    awk '{ v[NR] = $1 } END { printf " %7.3f %7.3f", v[1], (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
least() { awk -v l="$1" '$1 == l { print $2 }' "$work/times" | sort -g | head -n 1; }

failed=0
within() { # $1: what, $2: seconds, $3: limit
  awk -v a="$2" -v b="$3" 'BEGIN { exit !(a <= b) }' && return
  echo "startup.sh: $1 takes $2 s, more than $3 s"
  failed=1
}

printf '%s, %s cores; seconds of the whole command, least and median of %s rounds\n' \
  "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" "$rounds"
printf '%-14s %-18s %6s %15s %15s %15s %15s\n' model constants states cached compiled interpreted chosen
while read -r model constants; do
  cache=$work/$model
  # shellcheck disable=SC2086 # a list of words
  set -- $constants "$work/state_models/$model.xml"
  timed warm --engine=cpu --cache-dir="$cache" "$@" >/dev/null
  round=0
  while [ "$round" -lt "$rounds" ]; do
    timed cached --engine=cpu --cache-dir="$cache" "$@"
    rm -rf "$work/empty"
    timed compiled --engine=cpu --cache-dir="$work/empty" "$@"
    timed interpreted --engine=interpreter "$@"
    timed chosen --cache-dir="$cache" "$@"
    round=$((round + 1))
  done >"$work/times"
  check_labels || exit 1
  printf '%-14s %-18s %6d%s%s%s%s\n' "$model" "$(echo "$constants" | sed 's/-D//g')" "$(awk 'NR == 1 { print $3 }' "$work/times")" \
    "$(summary cached)" "$(summary compiled)" "$(summary interpreted)" "$(summary chosen)"
  within "$model" "$(least chosen)" "$limit_compiled"
  within "$model from the cache" "$(least cached)" "$limit_cached"
  within "$model, compiled," "$(least compiled)" "$limit_compiled"
done <<'CASES'
counters -DN=3 -DK=10
peterson -DN=4 -DLEVELS=2
bakery -DN=3 -DMAX=2
philosophers -DN=10
havi -DN=2 -DRESETS=1
rwlock
slidingwindow
needham
CASES
exit $failed
