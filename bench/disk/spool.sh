#!/bin/sh
# States on disk: speed of writing and reading blocks, with and without the system's cache, by level of compression; and
# searches with part of the frontier on disk, compared with the same in memory.
#     bench/disk/spool.sh    FLOE: the command (./floe)   TMPDIR: folder of the file   THREADS: all   ROUNDS: 3
#     MEBIBYTES: 4096 of states to write    CASES: all (a part of the lines below, by grep)
# Run it in a build's folder, after `make bench/disk/spool_speed`. Counts and certificates must be equal; 1: some are not.
set -u
LC_ALL=C
export LC_ALL
# shellcheck source=bench/figures.sh
. "$(dirname "$0")/../figures.sh"
floe=${FLOE:-./floe}
speed=${SPEED:-bench/disk/spool_speed}
models=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/models
threads=${THREADS:-$(nproc)} rounds=${ROUNDS:-3}
[ -x "$floe" ] && [ -x "$speed" ] || { echo "spool.sh: no $floe or $speed here" && exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failed=0

# ---- blocks: states of three kinds of levels
for model in 'bakery -DN=4 -DMAX=5 -DBROKEN=1' 'peterson -DN=6' 'counters -DN=7 -DK=8'; do
  # shellcheck disable=SC2086 # words
  "$floe" count -q -j1 --engine=cpu "$models/${model%% *}.xml" ${model#* } --visited-order="$work/order" >"$work/out" 2>&1 ||
    { cat "$work/out" && exit 99; }
  echo "# $model, $threads threads, $(df "${TMPDIR:-/tmp}" -T | awk 'END { print $2 }')"
  "$speed" "$work/order" "$threads" "${MEBIBYTES:-4096}" "$rounds" || failed=1
done

# ---- searches: model, states, memory for the table and some of the frontier
cases() {
  cat <<END
counters -DN=24 -DK=2:16777216:50M
counters -DN=27 -DK=2:134217728:370M
counters -DN=30 -DK=2:1073741824:2900M
END
}
once() { # $1: memory  $2: model  $3: states
  # shellcheck disable=SC2086 # words
  "$floe" count -q --engine=cpu --threads="$threads" --memory="$1" "$models/${2%% *}.xml" ${2#* } \
    --expected-states="$3" --json="$work/json" >"$work/out" 2>&1
}
echo '# model: seconds in memory and with a limit, their ratio, bytes written'
cases | grep -E "${CASES:-.}" >"$work/cases"
while IFS=: read -r model states memory; do
  : >"$work/all" && : >"$work/some"
  for round in $(seq "$rounds"); do
    once 80% "$model" "$states"
    figure explore "$work/json" >>"$work/all"
    expected=$(figure certificate "$work/json")
    once "$memory" "$model" "$states"
    figure explore "$work/json" >>"$work/some"
    [ "$(figure certificate "$work/json")" = "$expected" ] || { echo "$model: other counts" && failed=1; }
  done
  all=$(median <"$work/all") some=$(median <"$work/some")
  echo "$model, $memory: $all $some $(awk "BEGIN { printf \"%.2f\", $some / $all }") $(figure disk_bytes "$work/json")"
done <"$work/cases"
exit $failed
