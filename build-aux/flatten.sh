#!/bin/sh
# Prints a file with the files that it includes by #include "NAME" in their places, each once: flatten.sh SRCDIR FILE
# NAME is looked for in SRCDIR and SRCDIR/src. For compilers that are given one text and no files.
set -eu
top=$1
file=$2
[ -r "$top/$file" ] || { echo "flatten.sh: cannot read $top/$file" >&2; exit 1; }
awk -v top="$top" '
function place(name,  path, line) {
  path = top "/src/" name
  if ((getline line < path) < 0)
    path = top "/" name
  close(path)
  return path
}
function expand(path,  line, name, got) {
  if (path in seen)
    return
  seen[path] = 1
  while ((got = (getline line < path)) > 0)
    if (match(line, /^#include "[^"]*"/)) {
      name = substr(line, 11, RLENGTH - 11)
      expand(place(name))
    } else
      print line
  if (got < 0) {
    print "flatten.sh: cannot read " path > "/dev/stderr"
    exit 1
  }
  close(path)
}
BEGIN { expand(top "/" ARGV[1]); exit }
' "$file"
