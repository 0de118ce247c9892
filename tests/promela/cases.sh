#!/bin/sh
# Promela: cases/*.pml, one for each construct. Their numbers of states and transitions are those of Spin's search
# without reductions (transitions: Spin counts the initial state as one).
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
check_cases '//' 12 "$here"/tests/promela/cases/*.pml

# -D defines macros that the text lacks, and those that conditions ask for; a #define of the same name is skipped
cat >given.pml <<'END'
#define SIZE 2
#ifdef TWICE
#define STEP 2
#else
#define STEP 1
#endif
#if SIZE > 3
byte more;
#endif
byte n;
active [SIZE] proctype P() {
  do
  :: n < TOP -> n = n + STEP
  od
}
END
run 3 count given.pml
says err "given.pml:13:10: error: there is no variable 'TOP'"
says err '-D TOP=NUMBER defines a macro'
run 0 count -DTOP=1 given.pml
says out 'TOP=1'
says out 'states: 8'
run 0 count -DTOP=1 -DTWICE=1 given.pml
says out 'TWICE=1'
says out 'states: 8'
run 0 count -DTOP=1 -DSIZE=4 given.pml
says out 'TOP=1 SIZE=4'
run 3 count -DTOP=1 -DSIZE=x given.pml
says err "'x' is no value for constant SIZE"
run 3 count -DTOPS=1 given.pml
says err "the model has no constant 'TOPS'"
echo 'byte m;' >part.pml
printf '#ifdef PART\n#include "part.pml"\n#endif\nbyte n;\nactive proctype P() { n = 1 }\n' >parts.pml
run 0 count parts.pml
run 3 count -DPART=1 parts.pml
says err "parts.pml:2:1: error: 'part.pml' is included only with a -D, which is not supported"
finish
