#!/bin/sh
# SIGINT at any time while floe explores or writes: exit code 2 or the complete result, never an end by the signal;
# each file is complete or missing.
. "${top_srcdir:-.}/tests/fault/fault.sh"
sh -c 'kill -s INT $$' 2>/dev/null && skip 'SIGINT is ignored here'
[ -r /proc/self/status ] || skip 'no /proc tells when floe listens'
long=$here/tests/fault/long.xml
mkdir out

# True if floe (and not a shell before exec) waits for SIGINT. The last digit of the mask has signals 1 to 4.
listens() {
  case $(readlink "/proc/$1/exe" 2>/dev/null) in
    *floe) ;;
    *) return 1 ;;
  esac
  grep -q '^SigBlk:.*[2367abef]$' "/proc/$1/status" 2>/dev/null
}

# Ends by itself if floe has not started, or has ended.
strike() { # strike AT: SIGINT so many hundredths of a second after floe listens
  tries=0
  until [ -s pid ] && listens "$(cat pid)"; do
    tries=$((tries + 1))
    [ $tries -lt 20000 ] && [ ! -e over ] || return
  done
  pause "$1"
  [ -e over ] || kill -s INT "$(cat pid)" 2>/dev/null
}

# struck AT ARGUMENT...: in the foreground, because shells make background commands ignore SIGINT
struck() {
  at=$1
  shift
  rm -f pid over
  strike "$at" &
  striker=$!
  sh -c 'echo $$ >pid && exec "$@"' sh "$floe" "$@" >stdout 2>err </dev/null
  code=$?
  : >over
  wait $striker
}

whole_run() {
  begin=$(hundredths)
  "$floe" "$@" >stdout 2>err </dev/null
  code=$?
  whole=$(($(hundredths) - begin))
}

undecided=0
sound() { # sound CODE NAME...: the code of a run that nothing interrupts; the files that it writes
  [ $code -eq "$1" ] || [ $code -eq 2 ] || fail "SIGINT after $at hundredths: exit code $code; $(cat err)"
  [ $code -ne 2 ] || undecided=$((undecided + 1))
  shift
  for file in out/* out/.[!.]*; do
    [ -e "$file" ] || continue
    case " $* " in
      *" ${file#out/} "*) ;;
      *) fail "SIGINT leaves $file" ;;
    esac
  done
}

# A run interrupted before its exploration reports that.
results() {
  if [ $code -eq 2 ] && grep -q 'interrupted while .* was read' err; then
    empty out 'SIGINT while the model is read'
    return
  fi
  for file in out/json out/trace; do
    [ ! -e $file ] || whole_json $file || fail "half a file: $file"
  done
  [ -e out/json ] || fail "no JSON: $(cat err)"
  [ ! -e out/report ] || [ "$(tail -n 1 out/report)" = '</html>' ] || fail 'half a report'
  if [ -e out/order ]; then
    "$floe" order --raw out/order >keys 2>err || fail "the order file: $(cat err)"
  else
    fail 'no order file'
  fi
}

# 10 times with all outputs, 5 times with a compiler, 5 times with a graph
set -- check -q -j1 --engine=interpreter --continue --json=out/json --trace=out/trace --report=out/report \
  --visited-order=out/order "$long" -D M=60
whole_run "$@"
[ $code -eq 1 ] || fail "exit code $code: $(cat err)"
for i in 0 1 2 3 4 5 6 7 8 9; do
  rm -f out/*
  struck $((whole * i / 9)) "$@"
  sound 1 json trace report order
  results
done
[ $undecided -gt 0 ] || fail 'no run was interrupted'

rm -f out/*
mkfifo never_written
struck 0 check -q --json=out/json --visited-order=out/order never_written
[ $code -eq 2 ] && grep -q 'interrupted while never_written was read' err || fail "SIGINT while the model is read: exit code $code; $(cat err)"
empty out 'SIGINT while the model is read'

if command -v "${FLOE_CC:-cc}" >/dev/null; then
  set -- check --engine=cpu --cache-dir=out/cache "$examples/peterson.xml"
  whole_run "$@"
  for i in 0 1 2 3 4; do
    rm -rf out/cache
    struck $((whole * i / 4)) "$@"
    sound 0 cache
    empty tmp 'SIGINT while the compiler runs'
    [ ! -d out/cache ] || [ "$(ls -A out/cache | grep -vcE '^[0-9a-f]{64}\.so$')" -eq 0 ] || fail "SIGINT leaves $(ls -A out/cache)"
  done
  rm -rf out/cache
fi

set -- export "$examples/peterson.xml" -o out/graph
whole_run "$@"
cp out/graph whole_graph
for i in 0 1 2 3 4; do
  rm -f out/graph
  struck $((whole * i / 4)) "$@"
  sound 0 graph
  if [ $code -eq 0 ]; then
    cmp -s out/graph whole_graph || fail 'another graph'
  else
    [ ! -e out/graph ] || fail 'half a graph'
  fi
done
finish
