#!/bin/sh
# Murphi: cases/*.m, one for each construct.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
check_cases '--' 7 "$here"/tests/murphi/cases/*.m
# shellcheck disable=SC2034 # cases.sh reads it
case_options=--symmetry=on
check_cases '--' 6 "$here"/tests/murphi/symmetric/cases/*.m
finish
