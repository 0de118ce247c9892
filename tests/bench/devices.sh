#!/bin/sh
# Several GPUs against one, in turns: FLOE=./floe DEVICES=0,1,2,3 tests/bench/devices.sh [REPETITIONS]. Prints for each
# model the median rates, in states a second, of one device and of all, and their ratio. One card as several:
# FLOE_GPU_TEST=twice=1 DEVICES=0,0.
set -u
floe=${FLOE:-$PWD/floe}
devices=${DEVICES:-all}
here=${top_srcdir:-.}
times=${1:-5}
memory=${MEMORY:+--gpu-memory=$MEMORY}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

rate() { # rate WHICH OPTION...: adds a run's rate to the file WHICH
  which=$1
  shift
  # shellcheck disable=SC2086
  "$floe" check --engine=gpu --quiet --no-trace --continue $memory --json="$work/json" "$@" >/dev/null 2>"$work/err" || [ $? -lt 3 ] ||
    { cat "$work/err" && exit 1; }
  awk -F': ' '/^  "states":/ { states = $2 + 0 } /^    "explore":/ { seconds = $2 + 0 } END { printf "%.0f\n", states / seconds }' "$work/json" >>"$work/$which"
}
median() { sort -n "$work/$1" | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

nvidia-smi -L 2>/dev/null
while read -r options; do
  rm -f "$work/one" "$work/all"
  for time in $(seq 0 "$times"); do
    [ "$time" -ne 1 ] || rm -f "$work/one" "$work/all" # the first compiled kernels
    # shellcheck disable=SC2086
    rate one --device="${devices%%,*}" $options || exit 1
    # shellcheck disable=SC2086
    rate all --devices="$devices" $options || exit 1
  done
  echo "$options: one $(median one), $devices $(median all), ratio $(echo "$(median one) $(median all)" | awk '{ printf "%.2f", $2 / $1 }')"
done <<END
${MODELS:--DN=7 $here/models/peterson.xml
-DN=8 -DK=12 $here/models/counters.xml
-DN=4 -DMAX=12 $here/models/bakery.xml
-DN=15 $here/models/hanoi.xml}
END
