#!/bin/sh
# Compares floe's verdicts on temporal properties with the reference (temporal.py), on random models with random formulas.
# A verdict `undecided` is required where a repair of failing firings may let a run violate the formula.
# Falsified verdicts of floe must be detected.
# FLOE_TEST_SEEDS: number of random models (64; 250 with FLOE_TEST_LONG, 500 with FLOE_TEST_ALL), of which those with at most 60 states are compared; FLOE_TEST_KEEP: folder for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

seeds=64
[ -z "${FLOE_TEST_LONG:-}" ] || seeds=250
[ -z "${FLOE_TEST_ALL:-}" ] || seeds=500
reference check.py --temporal "${FLOE_TEST_SEEDS:-$seeds}" --max-states 60 --keep "${FLOE_TEST_KEEP:-.}" || failures=1
noticed '"verdict": "violated"=>"verdict": "holds"' check.py --temporal 3 --max-states 60
noticed '"verdict": "holds"=>"verdict": "violated"' check.py --temporal 3 --max-states 60
[ "$failures" -eq 0 ]
