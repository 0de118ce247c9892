#!/bin/sh
# Policies for the upper level of a host-backed visited set: bench/gpu/host_backed.c over models of 10^5 to 10^7 states. Run
# it in the folder of a build, after `make bench/gpu/host_backed`. Prints a table of doc/results/two-levels.md; some
# minutes, and 2 GB of memory and of disk in the folder for temporary files.
#     host_backed.sh [--quick]: models below 10^6 states
set -eu
tool=${top_builddir:-$PWD}/bench/gpu/host_backed
models=$(cd "${top_srcdir:-$(dirname "$0")/../..}/models" && pwd)
[ -x "$tool" ] || {
  echo "host_backed.sh: make bench/gpu/host_backed" >&2
  exit 77
}
quick=${1:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# Model, then constants; the prefix "large" marks those of 10^6 states and more
{
  "$tool" --head
  while read -r size model constants; do
    [ "$quick" = --quick ] && [ "$size" = large ] && continue
    # shellcheck disable=SC2086 # constants are words
    "$tool" "$models/$model.xml" $constants | sed "s|^[^	]*|$model $constants|"
  done <<'END'
small bakery N=4
large bakery N=5
small peterson N=5
large peterson N=6
large counters N=6 K=12
large counters N=21 K=2
large havi
small anderson N=7
small lamport N=4
small szymanski N=5
small twophase N=4 CRASHES=1
large twophase N=5 CRASHES=1
small coherence N=4
large tiles W=5 H=2
large hanoi N=13
END
} | awk -F '\t' '
  { row = "|"; for (i = 1; i <= NF; i++) row = row " " $i " |"; print row; fflush() }
  NR == 1 { row = "|"; for (i = 1; i <= NF; i++) row = row "---|"; print row }'
