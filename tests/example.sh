#!/bin/sh
# doc/examples/count.c is compiled against the library that was built, and says what floe says.
. "${top_srcdir:-.}/tests/cmd/common.sh"
build=${top_builddir:-.}
[ -x "$build/libtool" ] || skip 'no libtool in the build folder'
compiler=$(sed -n 's/^CC = //p' "$build/Makefile")
flags=$(sed -n 's/^SANITIZER_CFLAGS = //p' "$build/Makefile")
"$build/libtool" --silent --tag=CC --mode=link $compiler $flags -std=c11 -Wall -Wextra -Werror -I"$here/src" "$here/doc/examples/count.c" \
  -o count "$build/libfloe.la" >why 2>&1 || { fail "count.c: $(cat why)"; finish; }
./count "$models/race.xml" >out 2>err || fail "exit code $?: $(cat err)"
for line in '13 states, 14 transitions, 5 levels' 'sum violated' '  P[0] read' 'early holds'; do says out "$line"; done
./count "$models/ring.xml" N=4 >out 2>err || fail "exit code $?: $(cat err)"
says out '8 states, 8 transitions, 8 levels'
./count "$models/ring.xml" M=4 >out 2>err && fail 'a wrong constant is taken'
says err "no constant 'M'"
./count nowhere.xml >out 2>err && fail 'a missing file is read'
finish
