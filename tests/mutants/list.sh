#!/bin/sh
# The text that each mutation replaces occurs once in its file.
here=$(cd "$(dirname "$0")" && pwd) || exit 99
if ! python3 -c '' 2>/dev/null; then
  echo 'skipped: there is no python3'
  exit 77
fi
exec python3 "$here/mutants.py" --check --tree="${top_srcdir:-$here/../..}"
