#!/bin/sh
# Instructions of searches on the CPU, of several builds: instructions.sh FLOE... Counted by valgrind's callgrind, one
# thread, compiled models from the cache, without AVX-512, which valgrind lacks. Prints for each model the count of each
# build in millions and its ratio to that of the first.
#     MODELS: options and model, a line each
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
[ $# -gt 0 ] || { sed -n '2,5s/^# *//p' "$0" && exit 99; }
command -v valgrind >/dev/null || { echo 'skipped: no valgrind' && exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nexec cc "$@" -march=x86-64-v3\n' >"$work/cc"
chmod +x "$work/cc"
FLOE_TEST_SIMD=avx2 FLOE_CC=$work/cc
export FLOE_TEST_SIMD FLOE_CC
cd "$here" || exit 99

count() { # count FLOE OPTION...: instructions of a search
  floe=$1
  shift
  [ ! -x "$(dirname "$floe")/.libs/floe" ] || floe=$(dirname "$floe")/.libs/floe # not a libtool wrapper
  LD_LIBRARY_PATH=$(dirname "$floe") FLOE_CACHE_DIR=$work/cache$number
  export LD_LIBRARY_PATH FLOE_CACHE_DIR
  "$floe" count -q "$@" >/dev/null 2>"$work/err" || [ $? -eq 2 ] || { cat "$work/err" >&2 && exit 1; } # compiles the model
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$floe" count -q --engine=cpu -j1 "$@" 2>"$work/err" >/dev/null </dev/null
  ! grep -q SIGILL "$work/err" || { cat "$work/err" >&2 && exit 1; }
  sed -n 's/.*Collected : //p' "$work/err"
}

printf '%s\n' "${MODELS:-models/peterson.xml -DN=4
models/counters.xml -DN=6 -DK=8
models/lamport.xml -DN=3
models/havi.xml
models/raft.xml -DTERMS=1 --max-states=100000
models/bakery.xml
--encoding=rank models/lamport.xml -DN=3
--table=bitmap --encoding=rank models/counters.xml -DN=6 -DK=8}" | while read -r options; do
  number=0 line=
  for floe in "$@"; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # a list of words
    own=$(count "$floe" $options) || exit 1
    [ $number -gt 1 ] || first=$own
    line="$line $(echo "$own $first" | awk '{ printf "%.1f (%.4f)", $1 / 1e6, $1 / $2 }')"
  done
  echo "$options:$line"
done
