#!/bin/sh
# Reasons why transitions never fired: several processes, each with its part of the states, print what one prints.
. "${top_srcdir:-.}/tests/mpi/processes.sh"

never='never enabled'
sizes="${long:+1 2 }3"
compare 0 check "$models/never.xml" --why-never
grep -q 'nearest: P\[1\] with R at depth 0' many || fail "no reasons: $(cat many)"
compare 0 check "$plain/raft.xml" --why-never --continue --no-trace
grep -q "$never" many || fail 'all fires in raft'
[ -n "${FLOE_TEST_QUICK:-}" ] && finish
sizes="2${long:+ 3}"
for model in anderson ${long:+vote particles twophase}; do
  compare 0 check "$plain/$model.xml" --why-never --no-trace -j2
  grep -q "$never" out || fail "all fires in $model"
done
compare 1 check "$models/race.xml" --why-never
[ -z "$long" ] || compare 0 check "$plain/paxos.xml" --why-never --encoding=fields --engine=interpreter

# from expanded levels, if the search did not complete
compare 2 check "$plain/raft.xml" --why-never --max-depth=9
grep -q 'nearest' many || fail 'no reasons from some levels'

# states of several words, most of them owned by other ranks
cat >wide.xml <<'END'
<model name="wide">
  <constant name="N" value="9"/>
  <variable name="a" range="0..1000000000"/>
  <variable name="b" range="0..1000000000"/>
  <variable name="c" range="0..1000000000"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" guard="a lt N" effect="a = a + 1"/>
    <transition from="l" guard="b lt N" effect="b = b + 1"/>
    <transition from="l" guard="c lt N" effect="c = c + 1"/>
    <transition from="l" label="far" guard="(a * a + b * b) % 4 == 3 and b == c and a gt N - 2"/>
  </process>
</model>
END
compare 1 check wide.xml --why-never --encoding=fields
grep -q 'of 1000 states' many || fail "not all states: $(cat many)"

# Counting one state takes long here: an interrupt meanwhile ends it, and the verdicts stay valid.
cat >slow.xml <<'END'
<model name="slow">
  <constant name="N" value="39"/>
  <variable name="a" range="0..N"/>
  <variable name="b" range="0..N"/>
  <variable name="c" range="0..N"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" guard="a lt N" effect="a = a + 1"/>
    <transition from="l" guard="b lt N" effect="b = b + 1"/>
    <transition from="l" guard="c lt N" effect="c = c + 1"/>
    <transition from="l" label="never" select="i in 0..63, j in 0..63"
                guard="(a * a + b * b) % 4 == 3 and i + j ge 0"/>
  </process>
</model>
END
# The time of the second pass suffices for a part of the states, on machines of any speed.
for seconds in 1 2 4 8 16 32; do
  start 2 check slow.xml --why-never --no-trace --trace-timeout=$seconds
  grep -q 'time limit reached after [0-9]* of 64000 states' err && break
done
[ $code -eq 1 ] || fail "the time is up: exit code $code instead of 1; $(cat err)"
says err ' of 64000 states'
apart 2 check slow.xml --why-never --no-trace # of the whole it would be minutes
until [ -s pid.1 ]; do sleep 0.1; done
sleep 2
began=$(date +%s)
kill -INT "$(cat pid.1)"
wait $child
code=$?
[ $code -eq 1 ] || [ $code -eq 2 ] || fail "an interrupt of rank 1: exit code $code; $(cat err)"
[ $(($(date +%s) - began)) -lt 40 ] || fail 'an interrupt of rank 1 does not end what rank 0 counts'
[ $code -eq 2 ] || says err 'never fired: '
finish
