#!/bin/sh
# Compares floe's verdicts on temporal properties with the reference (temporal.py), on random models with random formulas.
# Falsified verdicts of floe must be detected.
# FLOE_TEST_SEEDS: number of random models (60); FLOE_TEST_KEEP: folder for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

reference check.py --temporal "${FLOE_TEST_SEEDS:-60}" --max-states 60 --keep "${FLOE_TEST_KEEP:-.}" || failures=1
noticed '"verdict": "violated"=>"verdict": "holds"' check.py --temporal 5 --max-states 60
noticed '"verdict": "holds"=>"verdict": "violated"' check.py --temporal 5 --max-states 60
[ "$failures" -eq 0 ]
