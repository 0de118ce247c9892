#!/bin/sh
# Explanations of random models: every part of blocked transitions in deadlocks and of transitions that never fired is
# compared with a judge written in Python from doc/traces.md (explain.py). Falsified explanations must be detected: some are
# tried too.
# FLOE_TEST_MODELS: number of random models (500; 2000 with FLOE_TEST_LONG, 10000 with FLOE_TEST_ALL); FLOE_TEST_KEEP: folder
# for models that differ (the current folder).
set -u
floe=${FLOE:-$PWD/floe}
top=${top_srcdir:-.}
build=${top_builddir:-.}
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || {
  echo 'SKIP: no python3 (3.8 or newer), in which the judge is written'
  exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

# The program itself: libtool's script takes four times as long to start
explain() {
  set -- python3 "$top/tests/reference/explain.py" --floe "$floe" "$@"
  if [ -x "$build/libtool" ] && [ -f "$build/libfloe.la" ]; then
    set -- "$build/libtool" --mode=execute -dlopen "$build/libfloe.la" "$@"
  fi
  "$@"
}

models=500
[ -z "${FLOE_TEST_LONG:-}" ] || models=2000
[ -z "${FLOE_TEST_ALL:-}" ] || models=10000
explain --models "${FLOE_TEST_MODELS:-$models}" --keep "${FLOE_TEST_KEEP:-.}" || failures=1

# noticed THIS=>THAT: output with THAT instead of THIS is detected
noticed() {
  explain --models 12 --keep "$work" --alter "$1" >"$work/out" 2>&1
  code=$?
  if [ $code -ne 1 ] || ! grep -q ' passed, [1-9][0-9]* failed$' "$work/out"; then
    echo "$1 is not noticed: exit code $code, $(cat "$work/out")"
    failures=1
  fi
}
noticed '"met": true=>"met": false'
noticed '"who": "P=>"who": "Q'
noticed '"kind": "guard"=>"kind": "partner"'
[ "$failures" -eq 0 ]
