#!/bin/sh
# Cost of a checkpoint: checkpoint.sh FOLDER [KEYS [THREADS [REPEATS]]] writes and reads the content of tables of
# several widths in FOLDER (20 million keys, all cores, 5 repetitions; the medians), beside the disk's time for zeros.
# Needs `make bench/disk/bench_checkpoint`.
set -eu
folder=${1:?usage: checkpoint.sh FOLDER [KEYS [THREADS [REPEATS]]]}
keys=${2:-20000000} threads=${3:-$(nproc)} repeats=${4:-5}
bench=${top_builddir:-.}/bench/disk/bench_checkpoint
[ -x "$bench" ] || { echo "checkpoint.sh: no $bench: make bench/disk/bench_checkpoint" >&2; exit 77; }
file=$folder/checkpoint.bench
trap 'rm -f "$file" "$file.previous" "$file.zeros"' EXIT
sed -n 's/^model name[^:]*: /processor: /p' /proc/cpuinfo | head -n 1
echo "load before: $(cut -d' ' -f1 /proc/loadavg), processors: $(nproc)"
for bits in 30 33 36 40 48; do
  "$bench" -k "$bits" -n "$keys" -t "$threads" -r "$repeats" "$file"
  rm -f "$file" "$file.previous"
done
LC_ALL=C dd if=/dev/zero of="$file.zeros" bs=1M count=1024 conv=fsync 2>&1 | sed -n 's/.*, /disk, 1 GiB with fsync: /p'
