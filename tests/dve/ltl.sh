#!/bin/sh
# DVE: property processes of benchmark instances, with their known verdicts. $CORPUS is a folder with ltl/dve/FILE and
# ltl/beem.tsv (file, ..., verdict, ..., states, ... by tabs, with a first line of names). By default the instances of up to
# $DVE_STATES (1600) states, by the interpreter; FLOE_TEST_LONG=1: all, each at most $DVE_SECONDS (300). FAIR=weak or strong: the verdicts of
# the columns weak_fair and strong_fair.
set -u
. "${top_srcdir:-.}/tests/rows.sh"
floe=${FLOE:-./floe} folder=${CORPUS:-}/ltl
if [ ! -f "$folder/beem.tsv" ]; then
  echo "skipped: no CORPUS with ltl/beem.tsv"
  exit 77
fi
most=${DVE_STATES:-1600} seconds=60 verdicts=verdict fair= options=${DVE_OPTIONS---engine=interpreter}
if [ "${FLOE_TEST_LONG:-0}" != 0 ]; then
  most=${DVE_STATES:-1000000000} seconds=${DVE_SECONDS:-300} options=${DVE_OPTIONS-}
fi
if [ -n "${FAIR:-}" ]; then
  verdicts=${FAIR}_fair fair=--fair=$FAIR
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
right=0 wrong=0 unfinished=0 larger=0

rows "$folder/beem.tsv" file states "$verdicts" >"$work/verdicts"
while IFS='|' read -r file states verdict; do
  if [ "$states" -gt "$most" ]; then
    larger=$((larger + 1))
    continue
  fi
  # shellcheck disable=SC2086 # several options
  timeout "$((seconds + 20))" "$floe" check --no-trace --timeout="$seconds" $fair $options "$folder/dve/$file" \
    >"$work/out" 2>"$work/err"
  found=$(sed -n 's/^LTL_property: \([a-z]*\).*/\1/p' "$work/out")
  case $found in
  "$verdict") right=$((right + 1)) ;;
  undecided)
    unfinished=$((unfinished + 1))
    echo "not finished: $file ($states states)"
    ;;
  *)
    wrong=$((wrong + 1))
    echo "FAIL $file: '$found', not $verdict"
    cat "$work/err"
    ;;
  esac
done <"$work/verdicts"
echo "$right right, $wrong wrong, $unfinished not finished, $larger larger than $most states"
[ "$wrong" = 0 ] && [ "$right" -gt 0 ]
