# Sourced by the scripts of this folder: finds floe and Python, makes $work, and defines `reference` and `noticed`.
floe=${FLOE:-$PWD/floe}
top=${top_srcdir:-.}
build=${top_builddir:-.}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || {
  echo 'SKIP: no python3 (3.8 or newer), in which the reference is written'
  exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
PYTHONPYCACHEPREFIX=$work/compiled # shared by all runs of the test, outside the tree
export PYTHONPYCACHEPREFIX
failures=0

# reference PROGRAM.py ARGUMENT...: with floe itself, because libtool's script takes four times as long to start
reference() {
  program=$1
  shift
  set -- python3 "$top/tests/reference/$program" --floe "$floe" "$@"
  if [ -x "$build/libtool" ] && [ -f "$build/libfloe.la" ]; then
    set -- "$build/libtool" --mode=execute -dlopen "$build/libfloe.la" "$@"
  fi
  "$@"
}

# noticed THIS=>THAT PROGRAM.py ARGUMENT...: output with THAT instead of THIS is detected
noticed() {
  altered=$1
  shift
  reference "$@" --keep "$work" --alter "$altered" >"$work/out" 2>&1
  code=$?
  if [ $code -ne 1 ] || ! grep -q ' passed, [1-9][0-9]* failed$' "$work/out"; then
    echo "$altered is not noticed: exit code $code, $(cat "$work/out")"
    failures=1
  fi
}
