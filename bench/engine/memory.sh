#!/bin/sh
# Memory of whole runs: models of 10,000,000 states (seven counters modulo 10) with keys of various widths, with and
# without a known number of states (--expected-states). Bytes per state of the table, its final fill and number of
# growths, the frontier's peak and the peak resident set of the process.
#     bench/engine/memory.sh [WIDTH...]    FLOE: the command (./floe)   widths: default 28 32 33 34 35 36 37 38 39 40
#     THREADS  (default 1)    LIMIT: fails if a table created for the known number of states takes more bytes per state
#              (default 3) although the keys have at most 40 bits
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
limit=${LIMIT:-3}
states=10000000
[ -x "$floe" ] || { echo "memory.sh: no floe at $floe (set FLOE)"; exit 99; }
[ $# -gt 0 ] || set -- 28 32 33 34 35 36 37 38 39 40
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

model() { # $1: width of the key, at least 28: bits above 28 are a variable that stays 0
  pad=$(($1 - 28))
  cat <<END
<model name="width$1">
  <variable name="pad" range="0..$(((1 << pad) - 1))"/>
  <process name="Counter" instances="7">
    <variable name="n" range="0..15"/>
    <location name="run" initial="true"/>
    <transition from="run" effect="n = n == 9 ? 0 : n + 1; pad = 0"/>
  </process>
</model>
END
}

value() { # $1: a number's name in the JSON
  sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*\$/\1/p" "$work/json" | head -n 1
}

measure() { # $1: width, $2: known or unknown
  if [ "$2" = known ]; then hint=--expected-states=$states; else hint=--quiet; fi
  "$floe" count --engine=cpu --threads="${THREADS:-1}" --json="$work/json" --quiet "$hint" "$work/model.xml" >"$work/out" 2>"$work/err" ||
    { cat "$work/err" >&2; exit 99; }
  [ "$(value states)" = $states ] && [ "$(value key_bits)" = "$1" ] ||
    { echo "memory.sh: unexpected model"; exit 99; }
  echo "$1 $2 $(value slot_bits) $(value table_bytes) $(value table_fill) $(value table_growths) $(value frontier_bytes) $(value peak_bytes) $(value explore)"
}

failed=0
printf '%4s %-8s %5s %12s %6s %6s %12s %10s %12s %8s\n' bits states slots 'table B/st.' fill grown \
  'frontier MB' 'peak MB' 'peak B/st.' seconds
for width in "$@"; do
  model "$width" >"$work/model.xml"
  for known in known unknown; do
    # shellcheck disable=SC2046 # words
    set -- $(measure "$width" $known)
    [ $# -eq 9 ] || { echo "memory.sh: $*"; exit 99; }
    echo "$@" | awk -v n=$states '{ printf "%4d %-8s %5d %12.3f %6.3f %6d %12.1f %10.1f %12.2f %8.2f\n",
      $1, $2, $3, $4 / n, $5, $6, $7 / 1e6, $8 / 1e6, $8 / n, $9 }'
    [ $known = unknown ] || [ "$1" -gt 40 ] ||
      awk -v b="$4" -v n=$states -v l="$limit" 'BEGIN { exit b / n > l }' || failed=1
  done
done
[ $failed = 0 ] || echo "memory.sh: more than $limit bytes a state"
exit $failed
