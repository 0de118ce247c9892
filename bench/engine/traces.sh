#!/bin/sh
# Time of traces beside that of the search, for several builds of floe in turns: traces.sh [ROUNDS] FLOE... Prints for
# each model the states, and for each build the medians of seconds of exploration and of traces. All builds must write
# the same traces; a first round, which compiles, does not count, but its seconds of traces are printed, too.
#     ENGINE: gpu; cpu: on THREADS threads (all)   MODELS: options and model, a line each
# A build in another folder uses the library there (libfloe.so.0 beside the command).
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
engine=${ENGINE:-gpu}
rounds=3
case ${1:-} in
'' | *[!0-9]*) ;;
*) rounds=$1 && shift ;;
esac
[ $# -gt 0 ] || { sed -n '2,7s/^# *//p' "$0" && exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
# shellcheck source=bench/figures.sh
. "$here/bench/figures.sh"
models=$work/state_models
"$here/tests/state_models.sh" "$models" || exit 99
FLOE_CACHE_DIR=$work/cache
export FLOE_CACHE_DIR

measure() { # measure NUMBER ROUND FLOE OPTION...: adds seconds of exploration and traces to the files of the build
  number=$1 round=$2 floe=$3
  shift 3
  LD_LIBRARY_PATH=$(dirname "$floe")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$floe" check --engine="$engine" ${THREADS:+-j$THREADS} --quiet \
    --json="$work/json" --trace="$work/trace.$number" "$@" >/dev/null 2>"$work/err" </dev/null || [ $? -lt 3 ] || { cat "$work/err" && exit 1; }
  case $round in
  0) figure trace "$work/json" >"$work/first.$number" ;;
  *)
    figure explore "$work/json" >>"$work/explore.$number"
    figure trace "$work/json" >>"$work/trace_seconds.$number"
    ;;
  esac
  cmp -s "$work/trace.1" "$work/trace.$number" || { echo "$*: the traces of $floe differ" && exit 1; }
}

printf '%s\n' "${MODELS:-"-DN=8 -DK=12 $models/counters.xml
-DN=16 $models/hanoi.xml
-DW=4 -DH=3 $models/tiles.xml
-DCURED=0 $models/havi.xml
-DBROKEN=1 $models/bakery.xml
-DN=6 -DK=14 $models/counters.xml
-DN=5 -DCRASHES=2 -DBROKEN=1 --continue $models/twophase.xml
-DBROKEN=3 --continue $models/raft.xml
-DN=4 -DCURED=0 $models/havi.xml
-DN=5 -DBROKEN=1 --continue $models/lamport.xml"}" >"$work/models"
while read -r options; do
  rm -f "$work"/explore.* "$work"/trace_seconds.* "$work"/first.*
  for round in $(seq 0 "$rounds"); do
    number=0
    for floe in "$@"; do
      number=$((number + 1))
      # shellcheck disable=SC2086 # a list of words
      measure $number "$round" "$floe" $options || exit 1
    done
  done
  echo "$options: $(figure states "$work/json") states"
  number=0
  for floe in "$@"; do
    number=$((number + 1))
    echo "  $floe: explore $(median <"$work/explore.$number"), traces $(median <"$work/trace_seconds.$number"), first $(cat "$work/first.$number")"
  done
done <"$work/models"
