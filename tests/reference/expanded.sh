#!/bin/sh
# Expansions of states (floe_expand) of random models: values, steps, successors and blocked transitions of every state are
# compared with the reference (expanded.py). Falsified output must be detected: some is tried too.
# FLOE_TEST_MODELS: number of random models (30; 600 with FLOE_TEST_LONG, 3000 with FLOE_TEST_ALL); FLOE_TEST_KEEP: folder for
# models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

expand_all=$build/tests/reference/expand_all
[ -x "$build/tests/reference/.libs/expand_all" ] && expand_all=$build/tests/reference/.libs/expand_all
[ -x "$expand_all" ] || {
  echo 'SKIP: no program expand_all'
  exit 77
}
models=30
[ -z "${FLOE_TEST_LONG:-}" ] || models=300
[ -z "${FLOE_TEST_ALL:-}" ] || models=3000
reference expanded.py --program "$expand_all" --models "${FLOE_TEST_MODELS:-$models}" --keep "${FLOE_TEST_KEEP:-.}" || failures=1

noticed '"steps": \[.*\]}, "blocked=>"steps": []}, "blocked' expanded.py --program "$expand_all" --models 8
noticed '"kind": "guard"=>"kind": "partner"' expanded.py --program "$expand_all" --models 8
noticed '"x": 1=>"x": 0' expanded.py --program "$expand_all" --models 8
[ "$failures" -eq 0 ]
