#!/bin/sh
# Promela: random programs on floe and on Spin (compare.py): $PROMELA_PROGRAMS (3) of them, from $PROMELA_FIRST (1) on.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v spin >/dev/null || skip 'spin is not installed'
command -v cc >/dev/null || skip 'no C compiler for the verifiers of spin'
command -v python3 >/dev/null || skip 'no python3'
few=3
[ "${FLOE_TEST_LONG:-0}" = 0 ] || few=100
PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/promela/random/compare.py" "$floe" "${PROMELA_FIRST:-1}" "${PROMELA_PROGRAMS:-$few}" . 2>&1 ||
  fail "programs differ: $(cat ./*.pml)"
finish
