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

# macros that choose the steps: the values of select, and 1, which is skip
cat >steps.pml <<'END'
#define N 3
#define ON 1
byte v;
active proctype P() {
  select(v : 1 .. N);
  if :: v = 9; ON; ON; v = 8 fi
}
END
run 0 count steps.pml
says out 'N=3'
says out "states: 8"
run 0 count -DN=5 steps.pml
says out "states: 10"
run 0 count -DON=0 steps.pml
says out "states: 5"

# -D of macros that conditions ask for by way of others, or within text that is left out; #undef does not undo it
cat >asked.pml <<'END'
#define A B
#define B 3
#undef B
#define B 3
#if A == 3
byte x;
#else
byte x = 1, y;
#endif
#ifdef MORE
#if LESS > 1
byte z = COUNT;
#endif
#endif
init { y = 2 }
END
run 3 count asked.pml
says err "asked.pml:15:8: error: there is no variable 'y'"
run 0 count -DB=4 asked.pml
says out 'B=4'
run 0 count -DB=4 -DLESS=1 -DMORE=1 asked.pml
says out 'LESS=1 MORE=1'
run 3 count -DB=4 -DLESS=2 -DMORE=1 asked.pml
says err "asked.pml:12:10: error: there is no variable 'COUNT'"

# -D of a macro that has several numbers
printf '#define N 2\nbyte x = N;\n#undef N\n#define N 3\nbyte y = N;\ninit { assert(x == 2 && y == 3) }\n' >numbers.pml
run 0 check numbers.pml
run 1 check -DN=2 numbers.pml
says out 'N=2'

# a claim without a name, with the label of a process
cat >claim.pml <<'END'
byte x;
active proctype P() { S: x = 1; assert(x == 1) }
never { do :: P@S -> S: goto T :: !P@S -> T: break :: true od; x == 1 }
END
run 1 check claim.pml
says out 'never_0: violated'

# labels within atomic sequences: only stored states count, as in Spin
within() { # $1: atomic or not  $2: label  $3: property  $4: its verdict
  echo "byte x; active proctype P() { do :: $1 { x = 1; $2: x = 2; x = 0 } od }" >within.pml
  run "$5" check --no-trace within.pml
  says out "$3: $4"
}
within atomic progress progress violated 1
within '' progress progress holds 0
within atomic accept acceptance holds 0
within '' accept acceptance violated 1
# a hidden variable that only a formula or a claim reads is in the state
cat >hidden.pml <<'END'
hidden byte h;
byte x;
active proctype P() { do :: x < 2 -> x++; h = x :: x == 2 -> x = 0; h = 0 od }
END
for property in 'ltl wanted { [] (h < 2) }' 'never wanted { do :: h < 2 :: h >= 2 -> break od }'; do
  { cat hidden.pml; echo "$property"; } >seen.pml
  run 1 check seen.pml
  says out 'wanted: violated'
  says err "seen.pml:1:13: warning: hidden variable 'h' is read: it is part of the state"
done

# 255 processes at once, of more instances
{
  echo 'byte last; proctype Q() { false } active [253] proctype P() { false }'
  echo 'init { byte n; do :: n < 3 -> last = run Q(); n++ od }'
} >many.pml
run 1 check --no-trace many.pml
says out 'errors: violated'
says out 'there are more than 255 processes'
finish
