#!/bin/sh
# Promela: public models with Spin's figures: states and transitions of its raw search, each statement a step (transitions: less
# by 1, as Spin counts the initial state, too). $CORPUS has
# promela/counts.tsv and promela/models/ (columns: the README there). By default the models of up to $PROMELA_STATES (1000)
# states; FLOE_TEST_LONG=1: all, each at most $PROMELA_SECONDS (300). $PROMELA_OPTIONS has options for floe, $PROMELA_FILES a
# pattern of grep for files. The last line counts those that are exact, refused, wrong and not finished. floe refuses none of
# them. Without PROMELA_FILES at least 39 are exact.
set -u
. "${top_srcdir:-.}/tests/rows.sh"
floe=${FLOE:-./floe} folder=${CORPUS:-}/promela
if [ ! -f "$folder/counts.tsv" ]; then
  echo "skipped: no CORPUS with promela/counts.tsv"
  exit 77
fi
most=${PROMELA_STATES:-1000} seconds=60 fewest=1
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${PROMELA_STATES:-1000000000} seconds=${PROMELA_SECONDS:-300}
[ -n "${PROMELA_FILES:-}" ] || [ "$most" -lt 1000 ] || fewest=39
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
exact=0 refused=0 wrong=0 unfinished=0 larger=0

rows "$folder/counts.tsv" file stored_raw transitions_raw spin_defines | grep -e "${PROMELA_FILES:-.}" >"$work/counts"
while IFS='|' read -r file states transitions defines; do
  if [ "$states" -gt "$most" ]; then
    larger=$((larger + 1))
    continue
  fi
  # shellcheck disable=SC2086 # options are words
  timeout "$((seconds + 20))" "$floe" count --continue --timeout="$seconds" ${PROMELA_OPTIONS:-} $defines "$folder/models/$file" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  if grep -q -E '^end: every (reachable state|state reached without an error)' "$work/out"; then
    found=$(awk '/^states: / { states = $2 } /^transitions: / { print states, $2 }' "$work/out")
    if [ "$found" = "$states $((transitions - 1))" ]; then
      exact=$((exact + 1))
    else
      wrong=$((wrong + 1))
      echo "FAIL $file: $found, not $states $((transitions - 1))"
    fi
  elif [ $code -eq 3 ] && grep -q 'error: ' "$work/err"; then
    refused=$((refused + 1))
    echo "FAIL $file: refused: $(grep 'error: ' "$work/err" | head -n 1)"
  elif [ $code -eq 124 ] || grep -q '^end: ' "$work/out"; then
    unfinished=$((unfinished + 1))
    echo "not finished: $file ($states states): $(grep '^end: ' "$work/out")"
  else
    wrong=$((wrong + 1))
    echo "FAIL $file: exit code $code"
    cat "$work/out" "$work/err"
  fi
done <"$work/counts"
echo "$exact exact, $refused refused, $wrong wrong, $unfinished not finished; $larger larger ones not explored"
[ $((wrong + refused)) -eq 0 ] && [ $exact -ge $fewest ]
