#!/bin/sh
# DVE: cases/*.dve, one for each construct.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
check_cases '//' 12 "$here"/tests/dve/cases/*.dve
finish
