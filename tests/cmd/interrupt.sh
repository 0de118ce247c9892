#!/bin/sh
# SIGINT and SIGTERM end a run as undecided, with its totals and exit code 2, whatever the engine.
. "${top_srcdir:-.}/tests/cmd/common.sh"
command -v timeout >/dev/null || skip 'timeout(1) is not there to send the signals'

# On a busy machine the signal may come before floe explores, which ends it at once, or before the first level is
# done: then it comes later.
interrupted() { # $1: signal, $2: option; sets $code, leaves out and err
  for delay in 1 4 15; do
    # the run's own --timeout ends it should the signal be ignored, as it is in programs started with SIGINT ignored
    timeout --preserve-status -s "$1" $delay \
      "$floe" "$2" --timeout=40 "$models/large.xml" -D K=16 -D N=10 >out 2>err </dev/null
    code=$?
    [ $code -gt 128 ] || grep -q 'no depth is complete' out || return 0
  done
}

for arguments in 'INT --engine=interpreter' 'TERM --engine=interpreter' 'INT --engine=auto'; do
  interrupted ${arguments% *} ${arguments#* }
  [ "${arguments% *}" = INT ] && grep -q 'ended at --timeout' out && skip 'SIGINT is ignored here'
  [ $code -eq 2 ] || fail "exit code $code after $arguments; $(cat err)"
  says out 'end: interrupted; complete up to depth'
  says out 'top: undecided, not violated up to depth'
  grep -qE '^states: [0-9]+$' out || fail 'no totals'
  grep -qE '^rate: [0-9]+ states/s' out || fail 'no rate'
done
finish
