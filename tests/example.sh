#!/bin/sh
# Compiles the programs of doc/examples against the built library: count.c and expand.c print the same as
# floe, table.c and recent.c the expected results.
. "${top_srcdir:-.}/tests/cmd/common.sh"
build=${top_builddir:-.}
[ -x "$build/libtool" ] || skip 'no libtool in the build folder'
compiler=$(sed -n 's/^CC = //p' "$build/Makefile")
flags=$(sed -n 's/^SANITIZER_CFLAGS = //p' "$build/Makefile")
example() { # $1: its name
  # shellcheck disable=SC2086 # words
  "$build/libtool" --silent --tag=CC --mode=link $compiler $flags -std=c11 -Wall -Wextra -Werror -I"$here/src" "$here/doc/examples/$1.c" \
    -o "$1" "$build/libfloe.la" >why 2>&1 || { fail "$1.c: $(cat why)"; finish; }
}
example count
example expand
example table
example recent
./count "$models/race.xml" >out 2>err || fail "exit code $?: $(cat err)"
for line in '13 states, 14 transitions, 5 levels' 'sum violated' '  P[0] read' 'early holds'; do says out "$line"; done
./count "$models/ring.xml" N=4 >out 2>err || fail "exit code $?: $(cat err)"
says out '8 states, 8 transitions, 8 levels'
./count "$models/ring.xml" M=4 >out 2>err && fail 'a wrong constant is taken'
says err "no constant 'M'"
./count nowhere.xml >out 2>err && fail 'a missing file is read'
./expand "$models/race.xml" 4 >out 2>err || fail "expand: exit code $?: $(cat err)"
says out '13 states within 4 steps'
./expand "$models/race.xml" 1 counter=1 'P[0]=holding' >out 2>err || fail "expand: exit code $?: $(cat err)"
says out '3 states within 1 steps'
grep -q '^P\[0\] write: [0-9a-f]*$' out || fail "expand: $(cat out)"
./expand "$models/race.xml" 1 countre=1 2>err && fail 'expand takes an unknown variable'
says err "did you mean 'counter'?"
echo 'the cat and the dog and a bird saw the extraordinarily extraordinary cat' >text
./table <text >out 2>err || fail "table: exit code $?: $(cat err)"
for line in '8 different words' 'the 3' 'cat 2' 'and 2' 'extraord 2' '102400 steps, 27383 different numbers'; do says out "$line"; done
[ "$(wc -l <out)" -eq 6 ] || fail "table: $(cat out)"
i=0
while [ $i -lt 70000 ]; do i=$((i + 1)); echo $i; done | tr 0-9 a-j >text
./table <text >out 2>err && fail 'table takes 70000 words into 65536 slots'
says err 'more than 65536 different words'
./recent >out 2>err || fail "recent: exit code $?: $(cat err)"
says out '400000 asked, 85223 computed, 79716 at hand, 1000 of them the last used'
finish
