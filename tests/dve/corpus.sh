#!/bin/sh
# DVE: states, transitions, levels and deadlocks of benchmark instances, exactly. $CORPUS is a folder with dve/NAME.dve
# and dve/counts.tsv (instance, states, transitions, bfs_levels, deadlock_states, ... by tabs, with a first line of these
# names). By default the instances of up to $DVE_STATES (2000) states; FLOE_TEST_LONG=1: all, each at most $DVE_SECONDS
# (300). The last line counts those that were exact, wrong and not finished.
set -u
. "${top_srcdir:-.}/tests/rows.sh"
floe=${FLOE:-./floe} folder=${CORPUS:-}/dve
if [ ! -f "$folder/counts.tsv" ]; then
  echo "skipped: no CORPUS with dve/counts.tsv"
  exit 77
fi
most=${DVE_STATES:-2000} seconds=60
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${DVE_STATES:-1000000000} seconds=${DVE_SECONDS:-300}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
exact=0 wrong=0 unfinished=0 larger=0

# The figures of a run: states, transitions, levels, deadlocks.
figures() {
  awk '/^states: / { states = $2 } /^transitions: / { transitions = $2 } /^depth: / { levels = $2 + 1 }
       /^deadlocks: / { deadlocks = $2 } END { print states, transitions, levels, deadlocks }' "$1"
}

rows "$folder/counts.tsv" instance states transitions bfs_levels deadlock_states >"$work/counts"
while IFS='|' read -r name states transitions levels deadlocks; do
  if [ "$states" -gt "$most" ]; then
    larger=$((larger + 1))
    continue
  fi
  timeout "$((seconds + 20))" "$floe" count --timeout="$seconds" ${DVE_OPTIONS:-} "$folder/$name.dve" >"$work/out" 2>"$work/err"
  if grep -q '^end: every reachable state' "$work/out"; then
    found=$(figures "$work/out")
    if [ "$found" = "$states $transitions $levels $deadlocks" ]; then
      exact=$((exact + 1))
    else
      wrong=$((wrong + 1))
      echo "FAIL $name: $found, not $states $transitions $levels $deadlocks"
    fi
  elif grep -q '^end: ' "$work/out"; then
    unfinished=$((unfinished + 1))
    echo "not finished: $name ($states states): $(grep '^end: ' "$work/out")"
  else
    wrong=$((wrong + 1))
    echo "FAIL $name:"
    cat "$work/out" "$work/err"
  fi
done <"$work/counts"
echo "$exact exact, $wrong wrong, $unfinished not finished, $larger larger than $most states"
[ "$wrong" = 0 ] && [ "$exact" -gt 0 ]
