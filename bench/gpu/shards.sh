#!/bin/sh
# The sharded set in host memory at several sizes and key widths, compared with one plain table that all threads share:
# bench/gpu/shards.c, in the folder of a build after `make bench/gpu/shards` (with LDFLAGS=-all-static the program runs on other
# machines as well: PARTITIONS=FILE bench/gpu/shards.sh).
#     shards.sh [THREADS] [GIB ...]: 16 threads (or the number of processors), sets of 1, 8 and 32 GiB if memory suffices.
# Some minutes for 32 GiB.
set -eu
bench=${PARTITIONS:-${top_builddir:-$PWD}/bench/gpu/shards}
[ -x "$bench" ] || {
  echo "shards.sh: make bench/gpu/shards" >&2
  exit 77
}
threads=${1:-$(nproc | awk '{ print $1 < 16 ? $1 : 16 }')}
[ $# -gt 1 ] && shift && sizes=$* || sizes="1 8 32"
free=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
echo "# $(uname -m), $(nproc) processors, $free GiB free, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
for gib in $sizes; do
  [ $((gib * 5 / 4 + 2)) -lt "$free" ] || continue
  # Approximate bytes per key, by the width of keys
  for width in 40:2.9 48:5 56:6; do
    keys=$(awk -v gib="$gib" -v bytes="${width#*:}" 'BEGIN { printf "%d", gib * 1073741824 / bytes }')
    for how in "" "-o" "-p"; do
      # shellcheck disable=SC2086 # an option or none
      "$bench" -k "${width%:*}" -n "$keys" -t "$threads" $how
    done
  done
done
"$bench" -n 3e8 -t "$threads" -g
for bits in 4 6 8 10; do
  "$bench" -n 3e8 -t "$threads" -b "$bits"
done
for fill in 100 130 200; do
  "$bench" -n 3e8 -t "$threads" -f "$fill"
done
