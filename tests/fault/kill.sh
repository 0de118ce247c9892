#!/bin/sh
# kill -9 at any time: the final name has the old or the complete new file, without other files; the cache
# remains usable, and old leftovers of compilations in the temporary folder are removed.
. "${top_srcdir:-.}/tests/fault/fault.sh"
mkdir out
if [ -x "$builddir/tests/fault/unnamed_file" ] && "$builddir/tests/fault/unnamed_file"; then
  nameless=yes
else
  nameless=
  echo 'no files without names here: temporary names may remain and are removed'
fi

# killed AT ARGUMENT...: a run, killed after AT hundredths of a second if it lasts that long
killed() {
  at=$1
  shift
  "$floe" "$@" >stdout 2>err </dev/null &
  pid=$!
  pause "$at"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
}

# nothing_beside FOLDER NAME...: the folder has only these. (While it is renamed a file has a temporary
# name for some microseconds: once in all these runs is accepted.)
chance=1
nothing_beside() {
  folder=$1
  shift
  for file in "$folder"/* "$folder"/.[!.]*; do
    [ -e "$file" ] || continue
    case " $* " in
      *" ${file##*/} "*) ;;
      *)
        [ -z "$nameless" ] || chance=$((chance - 1))
        [ $chance -ge 0 ] || fail "kill -9 leaves $file"
        rm -f "$file" ;;
    esac
  done
}

# Eight times, spread over the time of a complete run
strike() { # strike CHECK ARGUMENT...
  check=$1
  shift
  begin=$(hundredths)
  "$floe" "$@" >stdout 2>err </dev/null
  whole=$(($(hundredths) - begin))
  $check
  for i in 0 1 2 3 4 5 6 7; do
    killed $((whole * i / 7)) "$@"
    $check
  done
}

# ---- results: each file is old ("old") or complete
results_sound() {
  for name in json trace report; do
    [ -e out/$name ] || fail "the old $name is gone"
  done
  for name in json trace; do
    [ "$(head -n 1 out/$name)" = old ] || whole_json out/$name || fail "half a file: $name"
  done
  [ "$(head -n 1 out/report)" = old ] || [ "$(tail -n 1 out/report)" = '</html>' ] || fail 'half a report'
  nothing_beside out json trace report
  for name in json trace report; do
    echo old >out/$name
  done
}
for name in json trace report; do
  echo old >out/$name
done
strike results_sound check -q --engine=interpreter --continue --json=out/json --trace=out/trace --report=out/report \
  "$here/tests/fault/long.xml"
rm out/json out/trace out/report

# ---- order files: none, or that of a run that is not killed
"$floe" count -j1 --engine=interpreter "$here/tests/fault/long.xml" -D N=200000 --visited-order=whole >stdout 2>err || fail "$(cat err)"
order_sound() {
  [ ! -e out/order ] || cmp -s whole out/order || fail 'half an order file'
  nothing_beside out order
  rm -f out/order
}
strike order_sound count -j1 --engine=interpreter "$here/tests/fault/long.xml" -D N=200000 --visited-order=out/order

# during the search: progress shows visited states
explores() {
  grep -qE 'depth [1-9]' err
}
echo old >out/order
: >err
"$floe" count --engine=interpreter --timeout=100 --progress=0.05 "$models/large.xml" -D K=16 -D N=10 --visited-order=out/order \
  >stdout 2>err </dev/null &
pid=$!
wait_until explores || fail "no progress: $(cat err)"
kill -9 $pid
wait $pid 2>/dev/null
[ "$(cat out/order)" = old ] || fail 'the old order file is gone'
nothing_beside out order
rm out/order

# ---- the cache: entries are complete or missing; another run uses or compiles them
if command -v "${FLOE_CC:-cc}" >/dev/null; then
  cache_sound() {
    nothing_beside cache $(cd cache 2>/dev/null && ls | grep -E '^[0-9a-f]{64}\.so$')
    cp -R cache copy 2>/dev/null # what the next run finds
    "$floe" count --engine=cpu --cache-dir=copy "$examples/peterson.xml" >stdout 2>err || fail "after kill -9: $(cat err)"
    [ "$(states stdout)" = 4752 ] || fail "$(states stdout) states with the cache after kill -9"
    grep -q 'cache folder' err && fail "the cache is not usable after kill -9: $(cat err)"
    [ "$(ls copy | wc -l)" -eq 1 ] || fail "in the cache is $(ls copy)"
    rm -rf cache copy
  }
  strike cache_sound count --engine=cpu --cache-dir=cache "$examples/peterson.xml"

  # The started compilers end by themselves; then only age is missing.
  left() { ls tmp | wc -l; }
  touch tmp/floe-compile-notes tmp/other
  mkdir -m 700 tmp/floe-compile-abcdef tmp/floe-compile-ghijkl tmp/floe-backup
  touch tmp/floe-compile-abcdef/model.c
  touch -d '2 hours ago' tmp/floe-* 2>/dev/null || touch -t 202001010000 tmp/floe-*
  touch tmp/floe-compile-ghijkl
  swept() {
    touch -t 202001010000 tmp/floe-compile-?????? 2>/dev/null
    touch tmp/floe-compile-ghijkl
    "$floe" count --engine=cpu --cache-dir= "$examples/peterson.xml" >stdout 2>err
    [ "$(ls tmp | tr '\n' ' ')" = 'floe-backup floe-compile-ghijkl floe-compile-notes other ' ]
  }
  wait_until swept || fail "what a compilation left is still there, or other files are not: $(ls tmp)"
else
  echo 'no C compiler: the cache is not tested'
fi
finish
