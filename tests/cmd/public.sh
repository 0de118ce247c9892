#!/bin/sh
# Installed files for programs: every header by itself in C and C++, the installed examples by the compile line at the top
# of each, and the symbols, which are those of the headers and of src/libfloe.map.
. "${top_srcdir:-.}/tests/cmd/common.sh"
build=${top_builddir:-.}
[ -f "$build/Makefile" ] || skip 'no build folder'
value() { sed -n "s/^$1 = //p" "$build/Makefile"; }
compiler=$(value CC) flags=$(value SANITIZER_CFLAGS)
MAKEFLAGS='' MFLAGS='' ${MAKE:-make} -s -C "$build" DESTDIR="$work/root" prefix=/usr libdir=/usr/lib includedir=/usr/include \
  docdir=/usr/doc install-includeHEADERS install-libLTLIBRARIES install-pkgconfigDATA install-dist_docexamplesDATA >why 2>&1 || fail "installing: $(tail -n 5 why)"
include=$work/root/usr/include library=$work/root/usr/lib
[ "$(cd "$include" && echo *)" = 'floe.h floe_common.h floe_model.h floe_states.h floe_tables.h' ] || fail "installed headers: $(ls "$include")"

# ---- headers ----
# compile NAME ARGUMENT...: NAME is for messages
compile() {
  name=$1
  shift
  # shellcheck disable=SC2086 # words
  $compiler $flags -std=c11 -pedantic -Wall -Wextra -Werror "$@" >why 2>&1 || { fail "$name: $(cat why)"; finish; }
}
for header in floe.h floe_common.h floe_model.h floe_states.h floe_tables.h; do
  printf '#include <%s>\n#include <%s>\nint main(void) { return floe_version()[0] == 0; }\n' $header $header >first_attempt.c
  compile "$header" -I"$include" -c first_attempt.c
  command -v c++ >/dev/null || continue
  c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$include" -x c++ -c first_attempt.c >why 2>&1 || fail "$header in C++: $(cat why)"
done
grep -q 'floe_bench_' "$include"/*.h && fail 'floe_bench_* is private'

# ---- programs ----
cc() { compile "$1" "$@"; }
sed "s|^prefix=.*|prefix=$work/root/usr|; s|^libdir=.*|libdir=$library|; s|^includedir=.*|includedir=$include|" \
  "$library/pkgconfig/libfloe.pc" >libfloe.pc
PKG_CONFIG_PATH=$work
export PKG_CONFIG_PATH
cp "$work"/root/usr/doc/examples/*.c . 2>why || { fail "examples: $(cat why)"; finish; }
for example in count expand table recent; do
  line=$(sed -n 's/^ *\(cc [^ ]*\.c .*pkg-config.*\)/\1/p' $example.c)
  [ -n "$line" ] || fail "$example.c has no compile line"
  eval "$line"
  [ -x $example ] || fail "$example.c: no program after $line"
done
LD_LIBRARY_PATH=$library ./count "$models/ring.xml" N=4 >out 2>err || fail "exit code $?: $(cat err)"
says out '8 states, 8 transitions, 8 levels'

# ---- symbols ----
names() { # HEADER...: the functions that they declare
  sed -n 's/^FLOE_API [^(]*[ *]\(floe_[a-z0-9_]*\)(.*/\1/p' "$@" | sort
}
names "$include"/*.h >public
names "$here/src/bench/floe_bench.h" >private
[ "$(wc -l <public)" -gt 100 ] && [ "$(wc -l <private)" -gt 10 ] || fail 'the headers declare too few functions'
node() { sed -n "/^$1 {/,/^}/s/^ *\(floe_[a-z0-9_]*\);.*/\1/p" "$here/src/libfloe.map" | sort; }
node 'FLOE_[0-9.]*' | cmp -s - public || fail "src/libfloe.map and the headers: $(node 'FLOE_[0-9.]*' | diff - public)"
node FLOE_PRIVATE | cmp -s - private || fail "src/libfloe.map and floe_bench.h: $(node FLOE_PRIVATE | diff - private)"
if command -v nm >/dev/null && [ -f "$library/libfloe.so" ]; then
  nm -D --defined-only "$library/libfloe.so" | sed -n 's/.* [TDBRW] \(floe_[a-z0-9_]*\).*/\1/p' | sort >exported
  sort public private | cmp -s - exported || fail "exported: $(sort public private | diff - exported)"
fi
finish
