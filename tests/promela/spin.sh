#!/bin/sh
# Promela: the figures of micro/*.txt are those of Spin. $PROMELA_TABLES: of these tables only.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v spin >/dev/null || skip 'spin is not installed'
command -v cc >/dev/null || skip 'no C compiler for the verifiers of spin'
command -v python3 >/dev/null || skip 'no python3'
cd "$here/tests/promela" || exit 99
for table in ${PROMELA_TABLES:-micro/*.txt}; do
  PYTHONDONTWRITEBYTECODE=1 python3 micro.py "$table" || fail "$table"
done
finish
