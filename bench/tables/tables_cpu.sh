#!/bin/sh
# The presets of floe bench on this machine's CPU, for doc/results/tables-cpu.md; the machine should be idle otherwise.
#     bench/tables/tables_cpu.sh FOLDER [PRESET]...   presets: limits overflow probe reduce fig1 fig4 fig2 fig3; all by default
#     FLOE: the command (./floe)   ROUNDS: 3 repetitions (fig4: 1)
# FOLDER gets a CSV and a JSON file for each, pictures, and summary.txt (the output). Some twenty minutes on two cores.
set -u
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || { sed -n '2,5p' "$0" && exit 2; }
folder=$1
shift
[ $# -gt 0 ] || set -- limits overflow probe reduce fig1 fig4 fig2 fig3
floe=${FLOE:-$PWD/floe}
top=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$floe" ] || { echo "tables_cpu.sh: no floe at $floe (set FLOE)" && exit 99; }
mkdir -p "$folder" || exit 99
failures=0

bench() { # $1: preset  rest: options
  preset=$1
  shift
  begun=$(date +%s)
  "$floe" bench "$preset" --engine=cpu --csv="$folder/$preset.csv" --json="$folder/$preset.json" "$@" >>"$folder/summary.txt" 2>&1 </dev/null
  code=$?
  [ $code -eq 0 ] || failures=$((failures + 1))
  echo "$preset: exit code $code, $(($(date +%s) - begun)) s" | tee -a "$folder/summary.txt"
}

: >"$folder/summary.txt"
for preset in "$@"; do
  case $preset in
  limits) bench limits ;;
  fig4)
    order=$folder/havi.order
    "$floe" count --engine=cpu --quiet -j1 --order-kind=lookups --visited-order="$order" -D RESETS=4 "$top/models/havi.xml" >/dev/null || exit 99
    bench fig4 --repetitions=1 --keys="$order" --plot="$folder"
    rm -f "$order"
    ;;
  *) bench "$preset" --repetitions="${ROUNDS:-3}" --plot="$folder" ;;
  esac
done
[ $failures -eq 0 ]
