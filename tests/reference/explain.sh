#!/bin/sh
# Explanations of random models: every part of blocked transitions in deadlocks and of transitions that never fired is
# compared with a judge written in Python from doc/traces.md (explain.py). Falsified explanations must be detected: some are
# tried too.
# FLOE_TEST_MODELS: number of random models (250; 2000 with FLOE_TEST_LONG, 10000 with FLOE_TEST_ALL); FLOE_TEST_KEEP: folder
# for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

models=250
[ -z "${FLOE_TEST_LONG:-}" ] || models=2000
[ -z "${FLOE_TEST_ALL:-}" ] || models=10000
reference explain.py --models "${FLOE_TEST_MODELS:-$models}" --keep "${FLOE_TEST_KEEP:-.}" || failures=1

noticed '"met": true=>"met": false' explain.py --models 12
noticed '"who": "P=>"who": "Q' explain.py --models 12
noticed '"kind": "guard"=>"kind": "partner"' explain.py --models 12
[ "$failures" -eq 0 ]
