#!/bin/sh
# Murphi: cases/*.m, one for each construct.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
check_cases '--' 7 "$here"/tests/murphi/cases/*.m
finish
