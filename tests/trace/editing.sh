#!/bin/sh
# floe simulate edits lines on a terminal, by libedit or readline if configure chose one and it is installed, and
# reads them unedited otherwise (tests/trace/editing.py).
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v python3 >/dev/null || skip 'there is no python3'
python3 -c 'import pty; pty.openpty()' 2>/dev/null || skip 'there are no pseudo terminals'
config=${top_builddir:-.}/config.h
case $config in /*) ;; *) config=$OLDPWD/$config ;; esac
editors=$(sed -n 's/^#define FLOE_LINE_EDITORS "\(.*\)"$/\1/p' "$config")
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # the libraries keep lines
export ASAN_OPTIONS
mkdir -p 'up/folder of files' && cp "$here/models/peterson.xml" 'up/folder of files'

# sessions FOLDER TEST...: with the libraries of this folder before the system's
sessions() {
  libraries=$1
  shift
  LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    python3 "$here/tests/trace/editing.py" "$floe" "$work/up/folder of files" "$@" || failures=$((failures + 1))
}
loads() { python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }

# a file that is no library is ignored
mkdir none other
for name in $editors; do : >"none/$name"; done
sessions "$work/none" plain dumb

chosen=
for name in $editors; do
  loads "$name" && chosen=$name && break
done
[ "$failures" -eq 0 ] || finish
[ -n "$editors" ] || skip 'line editing is left out: --with-readline=no'
[ -n "$chosen" ] || skip "none of these is installed: $editors"
sessions "$work/other" history completion interrupt dumb

# both libraries have the same interface: one under the name of the other
for name in libedit.so.2 libreadline.so.8; do
  [ "$name" = "$chosen" ] && continue
  file=$(python3 -c 'import ctypes, sys
ctypes.CDLL(sys.argv[1])
print([line.split()[-1] for line in open("/proc/self/maps") if sys.argv[1] in line][0])' "$name" 2>/dev/null)
  [ -f "$file" ] || continue
  ln -s "$file" "other/$chosen"
  sessions "$work/other" history completion interrupt
done
finish
