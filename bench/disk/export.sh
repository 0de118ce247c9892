#!/bin/sh
# Cost of floe export compared with its minimum: the search and writing the file. For some models and every format:
# `check` (only the search, which continues after errors); writing the same bytes by dd in blocks of 1 MiB to a new file
# of the same folder, from the page cache (warm); and `export` to a new file there. Seconds of the whole commands, all
# three in turns, medians. `ratio` is export / (3 * check + writing), which should be 1 at most; `synced` is that
# writing with fsync, once, which measures the disk (cold).
#     bench/disk/export.sh FOLDER [ROUNDS [THREADS]]      FLOE: the command (./floe), or several, in turns
# FOLDER needs 3 GB. ROUNDS: 5. THREADS: all cores. Fails if a ratio is above LIMIT (default: no limit).
set -eu
folder=${1:?usage: export.sh FOLDER [ROUNDS [THREADS]]}
rounds=${2:-5} threads=${3:-$(nproc)}
top=$(cd "$(dirname "$0")/../.." && pwd)
floes=${FLOE:-$top/floe}
limit=${LIMIT:-1e9}
work=$(mktemp -d "$folder/floe-export-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$top/tests/state_models.sh" "$work/state_models"

timed() { # $1: label, rest: a command; prints "label seconds"
  label=$1
  shift
  start=$(date +%s.%N)
  "$@" >"$work/out" 2>"$work/err" || [ "${label#check}" != "$label" ] || { cat "$work/err" >&2 && exit 1; }
  end=$(date +%s.%N)
  awk -v l="$label" -v s="$start" -v e="$end" 'BEGIN { printf "%s %.4f\n", l, e - s }'
}
median() { # $1: label
  awk -v l="$1" '$1 == l { print $2 }' "$work/times" | sort -g |
    awk '{ v[NR] = $1 } END { printf "%.3f", (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

print_row() { # $1: number of the command, $2: its label
  awk -v c="$(median "check$1")" -v w="$(median write)" -v y="$(median synced)" -v x="$(median "export$1")" -v n="$name" -v f="$format" \
    -v s="$states" -v t="$transitions" -v b="$bytes" -v limit="$limit" -v floe="$2" 'BEGIN {
      ratio = x / (3 * c + w)
      printf "%-22s %8d %9d  %-3s %7.1f %6.3f %6.3f %6.3f %6.3f %6.2f  %s\n", n, s, t, f, b / 1e6, c, w, y, x, ratio, floe
      exit ratio > limit }' || failed=1
}

one_round() { # the model with its constants
  number=0
  timed write dd if="$work/graph" of="$work/copy" bs=1M
  rm -f "$work/copy"
  for floe in $floes; do
    rm -f "$work/again"
    number=$((number + 1))
    timed "check$number" "$floe" check --quiet --continue --engine=cpu "-j$threads" "$@"
    timed "export$number" "$floe" export --engine=cpu "-j$threads" --max-states=100000000 "--format=$format" "$@" -o "$work/again"
    cmp "$work/graph" "$work/again" >&2 || exit 1
  done
}

# Rows of $format, $name, $states and $transitions; the model with its constants as arguments. All others are compared
# with the output of the first export.
rows() {
  "${floes%% *}" export --engine=cpu --max-states=100000000 "--format=$format" "$@" -o "$work/graph" 2>"$work/err" ||
    { cat "$work/err" >&2 && exit 1; }
  bytes=$(wc -c <"$work/graph")
  round=0
  while [ "$round" -lt "$rounds" ]; do
    one_round "$@"
    round=$((round + 1))
  done >"$work/times"
  rm -f "$work/again"
  timed synced dd if="$work/graph" of="$work/copy" bs=1M conv=fsync >>"$work/times"
  rm -f "$work/copy" "$work/graph"
  number=0
  for floe in $floes; do
    number=$((number + 1))
    print_row "$number" "$floe"
  done
}

failed=0
echo "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores, $threads threads, load $(cut -d' ' -f1 /proc/loadavg)," \
  "$(stat -f -c %T "$folder"), medians of $rounds rounds, seconds"
for floe in $floes; do
  [ -x "$floe" ] || { echo "export.sh: no floe at $floe (set FLOE)"; exit 99; }
done
printf '%-22s %8s %9s  %-3s %7s %6s %6s %6s %6s %6s\n' model states steps as MB check write synced export ratio
while read -r model constants; do
  name="$model $(echo "$constants" | sed 's/-D//g')"
  # shellcheck disable=SC2086 # a list of words
  set -- $constants "$work/state_models/$model.xml"
  "${floes%% *}" check --quiet --continue --engine=cpu --json="$work/json" "$@" >/dev/null 2>&1 || [ $? -le 1 ] || exit 1
  states=$(sed -n 's/^  "states": \([0-9]*\).*/\1/p' "$work/json")
  transitions=$(sed -n 's/^  "transitions": \([0-9]*\).*/\1/p' "$work/json")
  for format in aut dot; do
    rows "$@"
  done
done <<'CASES'
counters -DN=5
counters -DN=6
bakery -DN=4 -DMAX=3
bakery -DN=5 -DMAX=2
peterson -DN=5
peterson -DN=6 -DLEVELS=4
havi -DN=3 -DRESETS=2
havi -DN=3
slidingwindow -DW=5
slidingwindow -DW=8
CASES
exit $failed
