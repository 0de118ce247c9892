#!/bin/sh
# floe's tables, with and without prefetch, and Abseil's flat_hash_set side by side on the CPU: find-or-put of keys of
# 40 bits, each five times on average, million keys a second, the median of several rounds in which all take turns.
#     bench/tables/cpu_sets.sh [ROUNDS]      run it in the folder of a build (or set BUILD to that folder)
#     KEYS     numbers of different keys (10000000); up to 2000000000 if memory suffices
#     THREADS  (1 2): powers of two. floe's threads share one table; Abseil's have a set each, with only their own keys
# All must put the same number of keys, else there is no figure. Abseil is Debian's libabsl-dev.
set -eu
rounds=${1:-3}
keys=${KEYS:-10000000}
threads=${THREADS:-1 2}
build=${BUILD:-.}
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
(cd "$build" && make -s bench/tables/cpu_sets bench/tables/cpu_sets_no_prefetch >/dev/null) || exit 99
absl=$work/absl
if ! pkg-config --exists absl_flat_hash_set 2>/dev/null || ! command -v "${CXX:-g++}" >/dev/null; then
  echo 'cpu_sets.sh: no Abseil (libabsl-dev) or no C++ compiler: floe alone'
  absl=
else
  # shellcheck disable=SC2046 # lists of words
  "${CXX:-g++}" -std=c++17 -O2 -march=native -o "$absl" "$top/bench/tables/cpu_sets_absl.cc" \
    $(pkg-config --cflags --libs absl_flat_hash_set absl_hash absl_raw_hash_set) -lpthread
fi

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) printf "%.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

one_size() { # $1: keys  $2: threads
  round=0
  : >"$work/rows"
  while [ $round -lt "$rounds" ]; do
    "$build/bench/tables/cpu_sets" "$1" "$2" >>"$work/rows"
    "$build/bench/tables/cpu_sets_no_prefetch" "$1" "$2" >>"$work/rows"
    if [ -n "$absl" ]; then "$absl" "$1" "$2" >>"$work/rows"; fi
    round=$((round + 1))
  done
  if [ "$(awk '$3 != "-" { print $3 }' "$work/rows" | sort -u | wc -l)" != 1 ]; then
    echo "$1 keys, $2 threads: the numbers of new keys differ:" && cat "$work/rows" && return 1
  fi
  best=$(awk '$1 == "iceberg" { print $2 }' "$work/rows" | median)
  for name in $(awk '!seen[$1]++ { print $1 }' "$work/rows"); do
    rate=$(awk -v n="$name" '$1 == n && $2 != "-" { print $2 }' "$work/rows" | median)
    printf '%11d %3d  %-22s %9s %12s %9s\n' "$1" "$2" "$name" "${rate:--}" \
      "$(awk -v n="$name" '$1 == n { print $4; exit }' "$work/rows")" \
      "$(awk -v a="$best" -v b="${rate:-0}" 'BEGIN { printf "%s", (b > 0) ? sprintf("%.2f", a / b) : "-" }')"
  done
}

printf '%s, %s cores; Abseil %s; medians of %s rounds\n' \
  "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
  "$(pkg-config --modversion absl_flat_hash_set 2>/dev/null || echo -)" "$rounds"
printf '%11s %3s  %-22s %9s %12s %9s\n' keys thr set 'M keys/s' 'bytes a key' 'iceberg:'
for count in $threads; do
  for n in $keys; do one_size "$n" "$count"; done
done
