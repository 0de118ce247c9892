#!/bin/sh
# floe simulate edits its lines on a terminal, by libedit where that is installed (tests/trace/editing.py).
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v python3 >/dev/null || skip 'there is no python3'
python3 -c 'import ctypes; ctypes.CDLL("libedit.so.2")' 2>/dev/null || skip 'libedit.so.2 is not installed'
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # libedit keeps its lines
export ASAN_OPTIONS
python3 "$here/tests/trace/editing.py" "$floe" "$here/models/peterson.xml" || failures=1
finish
