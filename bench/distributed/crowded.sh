#!/bin/sh
# Cost of waiting ranks on a busy machine: seconds of a model of thousands of small levels on several ranks, alone and
# beside busy loops; the least, median and most of several rounds. To compare another floe, set FLOE and FLOE_LIBMPI of
# its build.
#     bench/distributed/crowded.sh [ROUNDS]     FLOE: the command (./floe)  RANKS: default 3  LOOPS: default 3  ROUNDS: default 5
set -eu
rounds=${1:-5} ranks=${RANKS:-3} loops=${LOOPS:-3}
top=$(cd "$(dirname "$0")/../.." && pwd)
floe=${FLOE:-$top/floe}
FLOE_LIBMPI=${FLOE_LIBMPI:-$top/src/mpi/floe_mpi.so} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export FLOE_LIBMPI OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
crowd=
mpirun --version 2>/dev/null | grep -q 'Open MPI' && crowd=--oversubscribe
work=$(mktemp -d)
busy=
# shellcheck disable=SC2086 # words
trap 'kill $busy 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$top/tests/state_models.sh" "$work/state_models"

once() { # $1: model; prints the seconds
  start=$(date +%s.%N)
  # shellcheck disable=SC2086 # words
  timeout 300 mpirun $crowd -n "$ranks" "$floe" check --no-trace --continue "$work/state_models/$1.xml" >"$work/out" 2>&1 </dev/null ||
    [ $? -le 1 ] || { cat "$work/out" >&2 && return 1; }
  echo "$start $(date +%s.%N)" | awk '{ printf "%.2f\n", $2 - $1 }'
}

measure() { # $1: label
  for model in hanoi bakery; do
    once $model >"$work/first" # compiles the model into the cache
    for _ in $(seq "$rounds"); do once $model; done | sort -g |
      awk -v l="$1" -v m=$model '{ v[NR] = $1 }
        END { printf "%-24s %-8s %7.2f %7.2f %7.2f s\n", l, m, v[1], (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[NR] }'
  done
}

echo "$(nproc) processors, $ranks ranks, $rounds rounds: least, median, most"
measure alone
for _ in $(seq "$loops"); do
  while :; do :; done &
  busy="$busy $!"
done
measure "beside $loops busy loops"
