#!/bin/sh
# Every C file of the tree is formatted by clang-format, with .clang-format. Versions other than the one named there
# format some lines differently and are not used. `tests/format.sh --write` formats the tree.
set -u
cd "${top_srcdir:-.}" || exit 99
version=$(sed -n 's/^# clang-format \([0-9]*\).*/\1/p' .clang-format)
for tool in "clang-format-$version" clang-format none; do
  "$tool" --version 2>/dev/null | grep -q "version $version\." && break
done
if [ "$tool" = none ]; then
  echo "skipped: no clang-format $version"
  exit 77
fi
if ! files=$(git ls-files '*.c' '*.h' '*.cu' 2>/dev/null) || [ ! -e .git ]; then
  echo "skipped: not a working tree of git, which tells made files from written ones"
  exit 77
fi
if [ "${1-}" = --write ]; then
  # shellcheck disable=SC2086 # names of the tree have no blanks
  exec "$tool" -i $files
fi
# shellcheck disable=SC2086
wrong=$("$tool" --dry-run $files 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | sort | uniq -c)
[ -z "$wrong" ] || echo "$wrong" | sed "s/^ *\([0-9]*\) \(.*\)/\2: \1 places are not as clang-format $version leaves them/"
failed=$(printf '%s' "$wrong" | grep -c .)
echo "$(($(echo "$files" | wc -l) - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
