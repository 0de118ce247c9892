#!/bin/sh
# Compares floe's verdicts on temporal properties with the reference (temporal.py), on random models with random formulas and random
# fairness, and judges the runs that floe shows. A verdict `undecided` is required where a repair of failing firings may let a run violate
# the formula. The reference itself is compared with a direct evaluation of runs (lasso.py). Falsified verdicts and runs must be detected.
# FLOE_TEST_SEEDS: number of random models (120; 500 with FLOE_TEST_LONG, 1000 with FLOE_TEST_ALL), of which those with at most 60 states are compared; FLOE_TEST_KEEP: folder for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

seeds=120
[ -z "${FLOE_TEST_LONG:-}" ] || seeds=500
[ -z "${FLOE_TEST_ALL:-}" ] || seeds=1000
python3 "$top/tests/reference/lasso.py" "$seeds" || failures=1
reference check.py --temporal "${FLOE_TEST_SEEDS:-$seeds}" --max-states 60 --keep "${FLOE_TEST_KEEP:-.}" || failures=1
noticed '"verdict": "violated"=>"verdict": "holds"' check.py --temporal 3 --max-states 60
noticed '"verdict": "holds"=>"verdict": "violated"' check.py --temporal 3 --max-states 60
noticed '"loop": [1-9]\d*=>"loop": 0' check.py --temporal 3 --max-states 60
[ "$failures" -eq 0 ]
