#!/bin/sh
# SIGINT, SIGTERM and SIGHUP end a run as undecided, with its totals and exit code 2, on every engine. The same
# signal twice within 0.3 s is one request, as from timeout(1); a later one ends floe by that signal.
# The traces of violations found so far are printed and written; a file is complete or missing.
# No result depends on a pause: floe's progress lines show its state.
. "${top_srcdir:-.}/tests/cmd/common.sh"
large="$models/large.xml -D K=16 -D N=10"
begun=explores
depth=[1-9] # at which the signal is sent

# wait_until COMMAND...: succeeds as soon as the command does, fails after a minute
wait_until() {
  patience=600
  until "$@"; do
    patience=$((patience - 1))
    [ $patience -gt 0 ] || return 1
    sleep 0.1
  done
}

explores() { # a level is done: there is something to tell
  grep -qE "depth $depth" err
}

# Sends signals once floe explores, or as $begun says. Runs in the foreground, because shells make background commands
# ignore SIGINT.
once() {
  wait_until $begun && kill -s "$signal" "$(cat pid)"
}

# Pending signals of a kind merge: with this many, several are delivered.
often() {
  wait_until explores || return
  n=0
  pid=$(cat pid)
  while [ $n -lt 100 ]; do
    kill -s "$signal" "$pid" 2>/dev/null
    n=$((n + 1))
  done
}

# A busy machine may deliver the first so late that the second is within 0.3 s of it; then a third is needed.
until_gone() {
  wait_until explores || return
  patience=60
  while kill -s "$signal" "$(cat pid)" 2>/dev/null && [ $patience -gt 0 ]; do
    patience=$((patience - 1))
    sleep 0.6
  done
  kill -s KILL "$(cat pid)" 2>/dev/null
}

# during SENDER OUTPUT ARGUMENT...: a run, with its exit code in $code. Its own --timeout ends one that nothing else ends.
during() {
  : >err
  rm -f pid
  "$1" &
  sender=$!
  output=$2
  shift 2
  sh -c 'echo $$ >pid && exec "$@"' sh "$floe" --timeout=100 --progress=0.05 "$@" $large >"$output" 2>err </dev/null
  code=$?
  wait $sender
}

ended_well() { # ended_well WORDS: what was sent, to whom
  [ $code -eq 2 ] || fail "exit code $code after $1; $(tail -n 3 err)"
  says out 'end: interrupted; complete up to depth'
  says out 'top: undecided, not violated up to depth'
  grep -qE '^states: [0-9]+$' out || fail "no totals after $1"
  grep -qE '^time: [0-9.]+ s$' out || fail "no time after $1"
}

signals=
for signal in INT TERM HUP; do
  if sh -c 'kill -s $0 $$' $signal 2>/dev/null; then
    echo "SIG$signal is ignored here and cannot be tested"
  else
    signals="$signals $signal"
  fi
done
[ -n "$signals" ] || skip 'all signals are ignored here'

for signal in $signals; do
  for engine in interpreter auto; do
    during once out --engine=$engine
    ended_well "SIG$signal, --engine=$engine"
  done
  during often out --engine=interpreter
  ended_well "SIG$signal again and again at once"
done

# As timeout(1) sends it: to its child, then to their common process group.
if command -v timeout >/dev/null; then
  for delay in 1 4 15; do # 1 s may be too soon for a level on a busy machine
    timeout --preserve-status -s TERM $delay "$floe" --engine=interpreter --timeout=100 $large >out 2>err </dev/null
    code=$?
    grep -q 'no depth is complete' out || break
  done
  ended_well 'SIGTERM of timeout(1)'
fi

# A violation at depth 3, which is found before the signal.
sed 's|</model>|<property id="low" kind="never">P[0].x == 3</property></model>|' "$models/large.xml" >violated.xml
large="violated.xml -D K=16 -D N=10"
depth='([5-9]|[1-9][0-9])'
for signal in $signals; do
  engine=auto
  [ $signal != TERM ] || engine=interpreter
  rm -f trace.json
  during once out --continue --engine=$engine --trace=trace.json
  [ $code -eq 1 ] || fail "exit code $code after SIG$signal and a violation; $(tail -n 3 err)"
  says out 'end: interrupted; complete up to depth'
  says out 'low: violated at depth 3'
  run 0 replay $large trace.json
  says out ': replayed'
done

# While a temporal property is decided: the model is searched for some hundredths of a second, then its product for minutes.
sed 's|</model>|<property id="on" kind="leadsto">P[0].x == 3 leadsto P[0].x == 4</property></model>|' "$models/large.xml" >temporal.xml
decides() { # for a second
  grep -qE '^([1-9]|[0-9]{2,})\.[0-9] s ' err
}
shallow=$large
begun=decides
large="temporal.xml -D K=16 -D N=7"
during once out --engine=interpreter --fair=weak --property=on
[ $code -eq 2 ] || fail "exit code $code after SIG$signal while a temporal property was decided; $(tail -n 3 err)"
says out 'on: undecided'
says out 'end: interrupted'
begun=explores
large=$shallow

# A run that cannot end, because it writes to a full pipe without reader, ends by a later signal.
mkfifo pipe || fail 'no named pipe'
exec 3<>pipe
if dd if=/dev/zero of=pipe bs=65536 count=1000 oflag=nonblock 2>/dev/null; then
  fail 'the pipe cannot be filled'
fi
mkdir kept
for signal in $signals; do
  rm -f kept/trace.json
  during until_gone pipe --continue --engine=interpreter --trace=kept/trace.json
  [ "$(kill -l $code)" = "$signal" ] || fail "exit code $code, not that of SIG$signal; $(tail -n 3 err)"
  [ ! -e kept/trace.json ] || run 0 replay $large kept/trace.json
  [ -z "$(ls -A kept | grep -vx trace.json)" ] || fail "SIG$signal leaves $(ls -A kept)"
done
finish
