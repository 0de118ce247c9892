#!/bin/sh
# How evenly states of real searches are distributed to owners: bench/distributed/imbalance.c over models of 10^5 to 10^7 states.
# Run it in the folder of a build, after `make bench/distributed/imbalance`. Prints the table of doc/results/imbalance.md; two
# minutes on one core, 1.5 GB of memory.
#     imbalance.sh [--quick]: models below 10^6 states
#     OPTIONS: of the tool, as --all-bits or --sizes=2,4
set -eu
tool=${top_builddir:-$PWD}/bench/distributed/imbalance
models=$(cd "${top_srcdir:-$(dirname "$0")/../..}/models" && pwd)
[ -x "$tool" ] || {
  echo "imbalance.sh: make bench/distributed/imbalance" >&2
  exit 77
}
# Work of a member in the 8 us of a barrier, at 20 G states and keys a second
barrier=${BARRIER:-160000}

# Model, then constants; the prefix "large" marks those of 10^6 states and more
{
  printf 'model\t'
  "$tool" --head
  while read -r size model constants; do
    [ "${1:-}" = --quick ] && [ "$size" = large ] && continue
    # shellcheck disable=SC2086 # constants are words
    "$tool" "$models/$model.xml" $constants --barrier="$barrier" ${OPTIONS:-} | sed "s|^|$model $constants	|"
  done <<'END'
large counters N=7 K=10
large counters N=21 K=2
small peterson N=5
large peterson N=6
small bakery N=4 MAX=4
large bakery N=5 MAX=4
small havi N=3 RESETS=2
large havi N=2 RESETS=12
small anderson N=5 KEEP=1
large anderson N=6 KEEP=1
small slidingwindow W=3 CAP=4
large slidingwindow W=4 CAP=4
large hanoi N=13
small altbit D=1024
END
} | awk -F '\t' '
  { row = "|"; for (i = 1; i <= NF; i++) row = row " " $i " |"; print row; fflush() }
  NR == 1 { row = "|"; for (i = 1; i <= NF; i++) row = row "---|"; print row }'
