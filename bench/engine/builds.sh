#!/bin/sh
# Several builds of floe compared with the first, in turns on the same machine: builds.sh [ROUNDS] FLOE... Prints for
# each model and each list of devices the states, and for each build all rates in G states/s, the median and its ratio
# to that of the first. All must find the same states.
#     DEVICES: lists of devices, separated by blanks ('0 0,1'; all)   ENGINE: gpu; cpu: no devices
#     MODELS: options and model, a line each (more than 10^9 states)   MEMORY: --gpu-memory
# A build in another folder uses the library there (libfloe.so.0 beside the command).
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
engine=${ENGINE:-gpu}
lists=${DEVICES:-all}
[ "$engine" = gpu ] || lists=none
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

rate() { # rate NUMBER FLOE OPTION...: adds a run's states, rate and certificate to the file NUMBER
  number=$1
  floe=$2
  shift 2
  LD_LIBRARY_PATH=$(dirname "$floe")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$floe" check --engine="$engine" --quiet --no-trace --continue \
    --json="$work/json" "$@" >/dev/null 2>"$work/err" </dev/null || [ $? -lt 3 ] || { cat "$work/err" && exit 1; }
  states=$(figure states "$work/json")
  seconds=$(figure explore "$work/json")
  echo "$states $(echo "$states $seconds" | awk '{ printf "%.4f", $1 / $2 / 1e9 }') $(figure certificate "$work/json")" >>"$work/$number"
}
rates() { cut -d' ' -f2 "$work/$1"; }

printf '%s\n' "${MODELS:-$(large_models "$models")}" >"$work/models"
while read -r options; do
  for list in $lists; do
    rm -f "$work"/[0-9]*
    for round in $(seq 0 "$rounds"); do
      [ "$round" -ne 1 ] || rm -f "$work"/[0-9]* # the first round compiles kernels
      number=0
      for floe in "$@"; do
        number=$((number + 1))
        devices=--devices=$list
        [ "$list" != none ] || devices=
        # shellcheck disable=SC2086 # lists of words
        rate $number "$floe" $devices ${MEMORY:+--gpu-memory=$MEMORY} $options || exit 1
      done
    done
    [ "$(cut -d' ' -f1,3 "$work"/[0-9]* | sort -u | wc -l)" -eq 1 ] || { echo "$options: not all builds find the same" && exit 1; }
    echo "$options, devices $list: $(head -n 1 "$work/1" | cut -d' ' -f1) states"
    number=0
    for floe in "$@"; do
      number=$((number + 1))
      own=$(rates $number | median)
      echo "  $floe: $(rates $number | tr '\n' ' '); median $own, ratio $(echo "$own $(rates 1 | median)" | awk '{ printf "%.3f", $1 / $2 }')"
    done
  done
done <"$work/models"
