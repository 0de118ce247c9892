#!/bin/sh
# Promela: verdicts of formulas, claims and progress labels of public models, without and with weak fairness, as Spin has them.
# $CORPUS has promela/claims.tsv (columns: the README there). By default the claims that Spin decided with up to
# $PROMELA_STATES (1000) states; FLOE_TEST_LONG=1: all, each at most $PROMELA_SECONDS (300). $PROMELA_FILES: a pattern of grep.
# The last line counts verdicts that are equal, refused with a message, wrong and not finished.
set -u
floe=${FLOE:-./floe} folder=${CORPUS:-}/promela
if [ ! -f "$folder/claims.tsv" ]; then
  echo "skipped: no CORPUS with promela/claims.tsv"
  exit 77
fi
most=${PROMELA_STATES:-1000} seconds=60
[ "${FLOE_TEST_LONG:-0}" = 0 ] || most=${PROMELA_STATES:-1000000000} seconds=${PROMELA_SECONDS:-300}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
equal=0 refused=0 wrong=0 unfinished=0 larger=0

awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
  NR > 1 { print $column["file"] "|" $column["claim"] "|" $column["fairness"] "|" $column["verdict"] "|" \
             $column["states_stored_in_that_search"] }' "$folder/claims.tsv" | grep -e "${PROMELA_FILES:-.}" >"$work/claims"
while IFS='|' read -r file claim fairness verdict states; do
  if [ "${states:-0}" -gt "$most" ]; then
    larger=$((larger + 1))
    continue
  fi
  case $claim in non-progress) claim=progress ;; never) claim=never_0 ;; esac
  timeout "$((seconds + 20))" "$floe" check --no-trace --timeout="$seconds" --property="$claim" --fair="$fairness" \
    "$folder/models/$file" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  found=$(sed -n "s/^$claim: \([a-z]*\).*/\1/p" "$work/out")
  if [ "$found" = "${verdict%% *}" ]; then
    equal=$((equal + 1))
  elif [ $code -eq 3 ] && grep -q 'error: ' "$work/err"; then
    refused=$((refused + 1))
    echo "refused: $file $claim: $(grep 'error: ' "$work/err" | head -n 1)"
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
[ $wrong -eq 0 ] && [ $equal -gt 0 ]
