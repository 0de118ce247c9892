#!/bin/sh
# Compares floe with an independent explorer, written in Python from doc/semantics.md alone (explore.py): random models of the
# whole language, the documents' examples, small cases of the shipped models, and models that once gave wrong results
# (tests/reference/models). Falsified results of floe must be detected: they are tried too.
# FLOE_TEST_SEEDS: number of random models (10; 120 with FLOE_TEST_LONG, 200 with FLOE_TEST_ALL), and a fifth of that with
# states of several words; FLOE_TEST_KEEP: folder for models that differ (the current folder).
set -u
# shellcheck source=tests/reference/python.sh
. "${top_srcdir:-.}/tests/reference/python.sh"

python3 "$top/tests/reference/constructs.py" >"$work/constructs" || {
  grep WRONG "$work/constructs"
  failures=1
}
seeds=10
set -- havi monitor peterson raft # of the shipped models
[ -z "${FLOE_TEST_LONG:-}" ] || seeds=120
[ -z "${FLOE_TEST_ALL:-}" ] || seeds=200
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}
[ -z "$long" ] || set -- '*'
for model in "$@"; do
  shift
  set -- "$@" "$top"/models/$model.xml
done
reference check.py --seeds "${FLOE_TEST_SEEDS:-$seeds}" --wide "$((${FLOE_TEST_SEEDS:-$seeds} / 5))" --compile-every 25 --max-states 200 --keep "${FLOE_TEST_KEEP:-.}" \
  "$top"/tests/reference/models/*.xml "$top"/doc/semantics.md "$top"/doc/language.md "$@" || failures=1

# noticed THIS=>THAT: output with THAT instead of THIS is detected, and the models are kept
noticed() {
  rm -f "$work"/seed-*.xml
  reference check.py --seeds 17 --max-states 200 --keep "$work" --alter "$1" >"$work/out" 2>&1
  code=$?
  if [ $code -ne 1 ] || ! ls "$work"/seed-*.xml >/dev/null 2>&1 || ! grep -q ' passed, [1-9][0-9]* failed$' "$work/out"; then
    echo "$1 is not noticed: exit code $code, $(cat "$work/out")"
    failures=1
  fi
}
[ -z "$long" ] || noticed '"transitions": (\d+)=>"transitions": 1\1'
noticed '"verdict": "violated"=>"verdict": "holds"'
[ -z "$long" ] || noticed 'set=.=>set='
[ "$failures" -eq 0 ]
