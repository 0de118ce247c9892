#!/bin/sh
# Promela: verdicts of formulas, claims and progress labels of public models, without and with weak fairness, as Spin has them.
# $CORPUS has promela/claims.tsv (columns: the README there). By default the claims that Spin decided with up to
# $PROMELA_STATES (1000) states, of models with up to ten times as many; FLOE_TEST_LONG=1: all, each at most
# $PROMELA_SECONDS (300). $PROMELA_FILES: a pattern of grep. $PROMELA_REDUCE: with --reduce; merge: those without fairness. The last
# line counts verdicts that are equal, refused, wrong and not finished. floe refuses none of the models. Without PROMELA_FILES at least 30 are equal.
set -u
. "${top_srcdir:-.}/tests/rows.sh"
floe=${FLOE:-./floe} folder=${CORPUS:-}/promela
if [ ! -f "$folder/claims.tsv" ]; then
  echo "skipped: no CORPUS with promela/claims.tsv"
  exit 77
fi
most=${PROMELA_STATES:-1000} seconds=60 fewest=1
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${PROMELA_STATES:-1000000000} seconds=${PROMELA_SECONDS:-300}
[ -n "${PROMELA_FILES:-}" ] || [ "$most" -lt 1000 ] || fewest=30
[ -z "${PROMELA_REDUCE:-}" ] || fewest=15
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
equal=0 refused=0 wrong=0 unfinished=0 larger=0

rows "$folder/counts.tsv" file stored_raw >"$work/counts"
rows "$folder/claims.tsv" file claim fairness verdict states_stored_in_that_search |
  awk -F '|' 'FNR == NR { all[$1] = $2; next } { print $0 "|" all[$1] }' "$work/counts" - | grep -e "${PROMELA_FILES:-.}" >"$work/claims"
while IFS='|' read -r file claim fairness verdict states all; do
  how=--fair=$fairness
  if [ -n "${PROMELA_REDUCE:-}" ]; then
    if [ "$PROMELA_REDUCE" = dead ]; then
      how="$how --reduce=dead"
    else
      [ "$fairness" = none ] || continue
      how=--reduce=$PROMELA_REDUCE
    fi
  fi
  if [ "${states:-0}" -gt "$most" ] || [ "${all:-0}" -gt $((10 * most)) ]; then
    larger=$((larger + 1))
    continue
  fi
  case $claim in non-progress) claim=progress ;; never) claim=never_0 ;; esac
  # shellcheck disable=SC2086 # options are words
  timeout "$((seconds + 20))" "$floe" check --continue --no-trace --timeout="$seconds" --property="$claim" $how \
    "$folder/models/$file" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  found=$(sed -n "s/^$claim: \([a-z]*\).*/\1/p" "$work/out")
  if [ "$found" = "${verdict%% *}" ]; then
    equal=$((equal + 1))
  elif [ $code -eq 3 ] && grep -q 'error: ' "$work/err"; then
    refused=$((refused + 1))
    echo "FAIL $file $claim: refused: $(grep 'error: ' "$work/err" | head -n 1)"
  elif [ $code -eq 124 ] || [ "$found" = undecided ]; then
    unfinished=$((unfinished + 1))
    echo "not finished: $file $claim, fairness $fairness: $(grep '^end: ' "$work/out")"
  else
    wrong=$((wrong + 1))
    echo "FAIL $file $claim, fairness $fairness: '$found', not $verdict"
    cat "$work/err"
  fi
done <"$work/claims"
echo "$equal equal, $refused refused, $wrong wrong, $unfinished not finished; $larger larger ones not checked"
[ $((wrong + refused)) -eq 0 ] && [ $equal -ge $fewest ]
