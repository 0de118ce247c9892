#!/bin/sh
# Compares floe's verdicts on temporal properties with the reference (temporal.py), on random models with random formulas, also about
# steps (`taken`, `enabled`) and with conditions that fail, and random fairness, and judges the runs that floe shows. A verdict `undecided`
# is required where a condition fails, and where a repair of failing firings may let a run violate the formula. Each form of formulas and
# fairness must occur (check.py --forms). The reference itself is compared with a direct evaluation of runs (lasso.py). Falsified
# verdicts, reasons and runs must be detected.
# FLOE_TEST_SEEDS: number of random models (28, from one on with which every form occurs; 500 with FLOE_TEST_LONG, 1000 with FLOE_TEST_ALL), of which
# those with at most 60 states are compared; FLOE_TEST_KEEP: folder for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

first=92 seeds=28 graphs=50 forms=--forms
[ -z "${FLOE_TEST_LONG:-}" ] || first=0 seeds=500 graphs=500
[ -z "${FLOE_TEST_ALL:-}" ] || first=0 seeds=1000 graphs=1000
[ -z "${FLOE_TEST_SEEDS:-}" ] || seeds=$FLOE_TEST_SEEDS forms=
python3 "$top/tests/reference/lasso.py" "$graphs" || failures=1
# shellcheck disable=SC2086
reference check.py --first "$first" --temporal "$seeds" $forms --max-states 60 --keep "${FLOE_TEST_KEEP:-.}" \
  --noticed '96:"verdict": "violated"=>"verdict": "holds"' --noticed '96:"verdict": "holds"=>"verdict": "violated"' \
  --noticed '96:"loop": [1-9]\d*=>"loop": 0' --noticed '94:"cause": "(.*):\d+\)"=>"cause": "\1:1)"' \
  --noticed '96:"undecided": "evaluation"=>"undecided": "step"' --noticed '96:"undecided": "step"=>"undecided": "end"' || failures=1
[ "$failures" -eq 0 ]
