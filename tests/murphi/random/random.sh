#!/bin/sh
# Murphi: random programs on floe and on rumur (compare.py). At length: $MURPHI_PROGRAMS (20) of them, from $MURPHI_FIRST (1) on.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v rumur >/dev/null || skip 'rumur is not installed'
command -v cc >/dev/null || skip 'no C compiler for the verifiers of rumur'
command -v python3 >/dev/null || skip 'no python3'
PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/murphi/random/compare.py" "$floe" "${MURPHI_FIRST:-1}" "${MURPHI_PROGRAMS:-20}" . ||
  fail "programs differ: $(cat ./*.m)"
finish
