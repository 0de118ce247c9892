#!/bin/sh
# Time of NVRTC for the kernels of new models, and properties of the result; needs CUDA's toolkit, not a GPU.
#     make bench/gpu/nvrtc
#     bench/gpu/nvrtc.sh [-r ROUNDS] [-w FOLDER] [-c FOLDER]
# -w: writes the texts to FOLDER and measures nothing. -c: compares them with those of another version there, in turns:
# its rows are "then". Least seconds of ROUNDS (5): of the processor (the process's user and system time) and elapsed
# time of NVRTC, by its phases: front end, NVVM's optimiser, ptxas; machine code, registers, bytes spilled. ARCH:
# compute capability, 90
set -eu
export CUDA_CACHE_DISABLE=1 # with a driver, NVRTC has a cache of its own
rounds=5 write='' with=''
while getopts r:w:c: option; do
  case $option in
  r) rounds=$OPTARG ;;
  w) write=$OPTARG ;;
  c) with=$OPTARG ;;
  *) exit 99 ;;
  esac
done
top=$(cd "$(dirname "$0")/../.." && pwd)
program=${NVRTC:-$top/bench/gpu/nvrtc}
[ -x "$program" ] || { echo "nvrtc.sh: no $program: make bench/gpu/nvrtc"; exit 99; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

summary() { # $1: label, $2: file of rounds
  awk -v label="$1" '{
    cpu = $2 + $4
    if (NR == 1 || cpu < least) least = cpu
    if (NR == 1 || $8 < clock) clock = $8 + 0
    n = 0
    for (i = 1; i <= NF; i++)
      if ($i == "ms" && (v = $(i - 1) + 0) >= 0) {
        n++
        if (NR == 1 || v < phase[n]) phase[n] = v
      }
    kernels = $0
    sub(/^[^;]*; /, "", kernels)
    sub(/ \|.*/, "", kernels)
  } END { printf "%-30s %6.2f %6.2f %6d %6d %6d  %s\n", label, least, clock, phase[1], phase[2], phase[3], kernels }' "$2"
}

[ -z "$write" ] || mkdir -p "$write"
[ -n "$write" ] ||
  printf '%-30s %6s %6s %6s %6s %6s\n' model cpu,s clock,s front,ms nvvm,ms ptxas,ms
while read -r name what; do
  # shellcheck disable=SC2086 # words
  set -- $what
  flag=''
  [ "$name" != rehash ] || flag=-R
  model=$top/models/$1.xml
  shift
  if [ -n "$write" ]; then
    "$program" $flag -r 0 -d "$write/$name.cu" "$model" "$@"
    continue
  fi
  round=0
  : >"$work/now"
  : >"$work/then"
  while [ "$round" -lt "$rounds" ]; do
    "$program" $flag -a "${ARCH:-90}" "$model" "$@" >>"$work/now"
    [ -z "$with" ] || "$program" $flag -a "${ARCH:-90}" -t "$with/$name.cu" "$model" "$@" >>"$work/then"
    round=$((round + 1))
  done
  [ -z "$with" ] || summary "$name, then" "$work/then"
  summary "$name" "$work/now"
done <<'CASES'
counters counters N=8 K=12
anderson anderson
peterson peterson N=5 LEVELS=4
hanoi hanoi
havi-2 havi N=2 RESETS=15
havi-3 havi N=3 RESETS=4
rehash counters N=8 K=12
CASES
