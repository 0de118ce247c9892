#!/bin/sh
# Promela: cases/*.pml, one for each construct. Their numbers of states and transitions are those of Spin's search
# without reductions (transitions: Spin counts the initial state as one).
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
check_cases '//' 12 "$here"/tests/promela/cases/*.pml
finish
