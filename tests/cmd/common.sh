# Shared by the scripts of this folder: source it first, call `finish` last. Each script works in its own temporary folder.
set -u
floe=${FLOE:-$PWD/floe}
here=${top_srcdir:-.}
case $here in /*) ;; *) here=$PWD/$here ;; esac
models=$here/tests/cmd/models
unset NO_COLOR FLOE_CC
LC_ALL=C
TERM=dumb
export LC_ALL TERM
failures=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# For scripts in which compilers take most of the time: compiled models are not optimized. At length they are.
compile_quickly() {
  [ -z "${FLOE_TEST_LONG:-}${FLOE_TEST_ALL:-}" ] || return 0
  FLOE_CC='cc -O0'
  export FLOE_CC
}

skip() {
  echo "SKIP: $*"
  exit 77
}

# run CODE ARGUMENT...: runs floe; the files out and err have its output
run() {
  expected=$1
  shift
  "$floe" "$@" >out 2>err </dev/null
  code=$?
  [ $code -eq "$expected" ] || fail "floe $*: exit code $code instead of $expected; $(cat err)"
}

# says FILE TEXT...: the file has each of these texts
says() {
  said_file=$1 said=$(cat "$1")
  shift
  for said_text; do
    case $said in *"$said_text"*) ;; *) fail "'$said_text' is not in $said_file of floe: $said" ;; esac
  done
}

# True if programs can run on a pseudo terminal here; otherwise prints that such checks are omitted.
has_terminal() {
  script -qec true /dev/null >/dev/null 2>&1 </dev/null && return 0
  echo 'no script(1) or no pseudo terminals here: checks on a terminal are omitted'
  return 1
}

silent() {
  [ ! -s "$1" ] || fail "$1 should be empty: $(cat "$1")"
}

finish() {
  [ "$failures" -eq 0 ] && echo "all passed" && exit 0
  echo "$failures failures"
  exit 1
}
