#!/bin/sh
# Blocked transitions of a deadlock, the last state of a trace, and --full-states: in text, JSON and report.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >waits.xml <<'EOF'
<model name="waits">
  <constant name="N" value="2"/>
  <variable name="x" range="0..3"/>
  <channel name="c" size="2" capacity="1" message="0..3"/>
  <channel name="box" capacity="1" message="0..3"/>
  <channel name="go"/>
  <channel name="pass" message="0..3"/>
  <channel name="news" broadcast="true"/>
  <process name="P" instances="N">
    <location name="a" initial="true"/>
    <location name="b"/>
    <location name="end"/>
    <transition from="a" to="b" guard="x == self" effect="x += 2" label="set"/>
    <transition from="b a" guard="x gt 2 and self == 1 and x != 3" label="guard"/>
    <transition from="b" select="i in 0..1" guard="x - i lt 0" label="chosen"/>
    <transition from="end" label="elsewhere"/>
  </process>
  <process name="Q">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" send="box(1)"/>
    <transition from="b" send="box(1)" label="more"/>
    <transition from="b" send="go" guard="x == 0" label="go"/>
    <transition from="b" send="pass(x)" label="pass"/>
    <transition from="b" receive="c[1](_)" label="take"/>
  </process>
  <process name="R">
    <location name="a" initial="true"/>
    <transition from="*" receive="box(== 3)" label="three"/>
    <transition from="a" receive="go" label="go"/>
    <transition from="a" receive="pass(== 3)" label="pass"/>
    <transition from="a" receive="news" label="hear"/>
    <transition from="a" guard="N == 7" label="seven"/>
  </process>
  <process name="Done"><location name="done" initial="true"/></process>
</model>
EOF
cat >wanted <<'EOF'
     P[0] at b waits for guard (waits.xml:14): x gt 2 is false, x is 2; self == 1 is false
     P[0] at b waits for chosen {i=0} (waits.xml:15): x - i lt 0 is false
     P[1] at a waits for set (waits.xml:13): x == self is false, x is 2
     P[1] at a waits for guard (waits.xml:14): x gt 2 is false, x is 2
     Q at b waits for more (waits.xml:22): box is full
     Q at b waits for go (waits.xml:23): x == 0 is false, x is 2
     Q at b waits for pass (waits.xml:24): the values sent and received on pass differ
     Q at b waits for take (waits.xml:25): c[1] is empty
     R at a waits for three (waits.xml:29): the message on box does not match
     R at a waits for go (waits.xml:30): no other instance can send go
     R at a waits for pass (waits.xml:31): the values sent and received on pass differ
     R at a waits for hear (waits.xml:32): no other instance sends news
     R at a waits for seven (waits.xml:33): N == 7 is false
     Done at done: no transition leaves this location
EOF
for engine in interpreter cpu; do
  run 1 check --engine=$engine waits.xml
  grep -E '^     [A-Z][^ ]* at ' out >found
  diff wanted found >why || fail "$engine: $(cat why)"
  says out '  last: x=2, P[0]=b, P[1]=a, Q=b, c[0]=[], c[1]=[], box=[1]'
done

# the same for a simulation that reaches the deadlock and for a replayed trace, and only there
run 1 simulate waits.xml
grep -E '^     [A-Z][^ ]* at ' out >found
diff wanted found >why || fail "simulate: $(cat why)"
run 1 simulate --runs=2 waits.xml
grep -E '^     [A-Z][^ ]* at ' out >found
diff wanted found >why || fail "simulate --runs: $(cat why)"
run 1 check -q --trace=stuck.json waits.xml
run 0 replay waits.xml stuck.json
says out 'deadlock: replayed, violated at depth 2'
grep -E '^     [A-Z][^ ]* at ' out >found
diff wanted found >why || fail "replay: $(cat why)"
run 1 simulate --trace=walk.json waits.xml
run 0 replay waits.xml walk.json
says out '     Q at b waits for more (waits.xml:22): box is full'
run 1 check -q --trace=race.json "$models/race.xml" # ends where all are done, which is excused
run 0 replay "$models/race.xml" race.json
grep ' at ' out | grep -v 'at depth' && fail 'an excused deadlock is explained'

# fields of a message have the names of the receive, and no names without a message; a handshake whose
# values never agree has partners nevertheless
cat >named.xml <<'EOF'
<model name="named">
  <variable name="x" range="0..3"/>
  <channel name="q" capacity="2" message="0..3, 0..1"/>
  <channel name="c" size="2" capacity="1" message="0..3"/>
  <channel name="h" message="0..3"/>
  <process name="P" instances="2">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" receive="q(k, m)" guard="k == x + 2 and m == 1 and x == 2" label="empty"/>
    <transition from="a" to="b" receive="c[self](k)" guard="k + 1 == 2" effect="x = k" label="full"/>
    <transition from="a" to="b" receive="h(== 2)" label="two"/>
  </process>
  <process name="Q">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" send="c[1](0)"/>
    <transition from="b" send="h(1)" label="one"/>
    <transition from="b" receive="c[0](== 1)" label="none"/>
  </process>
</model>
EOF
cat >wanted <<'EOF'
     P[0] at a waits for empty (named.xml:9): x == 2 is false, x is 0; q is empty
     P[0] at a waits for full (named.xml:10): c[self] is empty
     P[0] at a waits for two (named.xml:11): the values sent and received on h differ
     P[1] at a waits for empty (named.xml:9): x == 2 is false, x is 0; q is empty
     P[1] at a waits for full (named.xml:10): k + 1 == 2 is false, k + 1 is 1
     P[1] at a waits for two (named.xml:11): the values sent and received on h differ
     Q at b waits for one (named.xml:17): the values sent and received on h differ
     Q at b waits for none (named.xml:18): c[0] is empty
EOF
run 1 check named.xml
grep -E '^     [A-Z][^ ]* at ' out >found
diff wanted found >why || fail "named: $(cat why)"

# blocked transitions are found within the time limit
others=
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do others="$others and (i * $k + j + x) % 7 != x * 5"; done
cat >cut.xml <<EOF
<model name="cut">
  <variable name="x" range="0..1"/>
  <process name="P" instances="200">
    <location name="a" initial="true"/>
    <transition from="a" select="i in 0..99, j in 0..199" guard="(i * 2 + j * 2 + x * 4) % 4 == 3$others" label="one"/>
  </process>
  <process name="Q">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" effect="x = 1"/>
  </process>
</model>
EOF
run 1 check --engine=cpu --no-trace cut.xml
run 1 check --engine=cpu --trace-timeout=0.2 cut.xml
says err 'not all blocked transitions are listed for `deadlock`: time limit reached while listing them'
says err 'raise --trace-timeout'

# A select's name alone is a part of a guard; an element of a channel on which no other instance sends. An instance at a
# committed location does not wait for priority, also as a partner. The guard and location of a receiver of a broadcast.
cat >kinds.xml <<'EOF'
<model name="kinds">
  <variable name="x" range="0..1"/>
  <channel name="h" size="2"/>
  <channel name="b" broadcast="true" message="0..3"/>
  <process name="A">
    <location name="l" initial="true" committed="true"/>
    <transition from="l" label="select" select="i in 0..1" guard="i and x == i" effect="x = 1 - x"/>
    <transition from="l" label="element" receive="h[1]"/>
    <transition from="l" label="offer" send="h[0]" guard="x == 1"/>
    <transition from="l" label="hear" receive="b(== 2)" guard="x == 1"/>
  </process>
  <process name="B">
    <location name="m" initial="true"/>
    <transition from="m" label="element" receive="h[0]"/>
    <transition from="m" label="never" guard="x gt 1"/>
    <transition from="m" label="buy" send="b(2)"/>
    <transition from="*" label="test" receive="b(k)" guard="k gt 2"/>
    <transition from="m" label="offer" send="h[1]" guard="x == 1"/>
  </process>
</model>
EOF
cat >wanted <<'EOF'
     A at l waits for select {i=1} (kinds.xml:7): x == i is false, x is 0
     A at l waits for element (kinds.xml:8): no other instance can send h[1]
     A at l waits for offer (kinds.xml:9): x == 1 is false, x is 0
     A at l waits for hear (kinds.xml:10): x == 1 is false, x is 0
     B at m waits for element (kinds.xml:14): an instance is at a committed location, whose steps have priority; no other instance can send h[0]
     B at m waits for never (kinds.xml:15): an instance is at a committed location, whose steps have priority; x gt 1 is false
     B at m waits for buy (kinds.xml:16): an instance is at a committed location, whose steps have priority
     B at m waits for test (kinds.xml:17): an instance is at a committed location, whose steps have priority; no other instance sends b
     B at m waits for offer (kinds.xml:18): x == 1 is false, x is 0
EOF
run 1 check --why-never kinds.xml
grep -E '^     [A-Z][^ ]* at ' out >found
diff wanted found >why || fail "kinds: $(cat why)"
says out 'no committed location has priority  true in 0 of 1 states'
grep -q 'another instance can send b  *true in 1 of 1 states' out || fail "broadcast: $(cat out)"

# an instance at a committed location blocks the others; the trace of a property has no blocked transitions
cat >committed.xml <<'EOF'
<model name="committed">
  <variable name="x" range="0..1"/>
  <process name="P"><location name="a" initial="true"/><location name="b"/>
    <transition from="a" to="b" label="go"/></process>
  <process name="Q"><location name="c" initial="true" committed="true"/>
    <transition from="c" guard="x == 1" label="on"/></process>
  <property id="early" kind="reachable">x == 0</property>
</model>
EOF
run 1 check committed.xml
says out 'P at a waits for go (committed.xml:4): an instance is at a committed location, whose steps have priority'
says out 'Q at c waits for on (committed.xml:6): x == 1 is false'
# violations come before witnesses
[ "$(grep -n 'deadlock: violated' out | cut -d: -f1)" -lt "$(grep -n 'early: reachable' out | cut -d: -f1)" ] ||
  fail "the witness is printed first: $(cat out)"
[ "$(grep -n 'trace of deadlock' out | cut -d: -f1)" -lt "$(grep -n 'trace of early' out | cut -d: -f1)" ] ||
  fail "the witness's trace is printed first: $(cat out)"

run 1 check --full-states "$models/race.xml"
says out '  state: counter=0, P[0]=holding, P[1]=holding, P[0].seen=0, P[1].seen=0'
[ "$(grep -c '^  state: ' out)" -eq 6 ] || fail "not three states between first and last of two traces: $(cat out)"
[ "$(grep -c '^  last: ' out)" -eq 2 ] || fail "not one last state of each: $(cat out)"

run 1 check --json=waits.json --full-states waits.xml
run 0 replay --json=replayed.json waits.xml stuck.json
run 1 simulate --json=walked.json waits.xml
run 1 check --json=race.json --no-trace "$models/race.xml"
if command -v python3 >/dev/null; then
  cat >look.py <<'EOF'
import json
run = json.load(open("waits.json"))
(trace,) = [p["trace"] for p in run["properties"] if p["id"] == "deadlock"]
state = dict(trace["initial"])
for step in trace["steps"]:
    for name, (before, after) in step["changes"].items():
        assert state[name] == before, step
        state[name] = after
    assert step["state"] == state, (step, state)
assert trace["last"] == state
kinds = [[o["kind"] for o in w["obstacles"]] for w in trace["waiting"]]
assert kinds == [["guard", "guard"], ["guard"], ["guard"], ["guard"], ["full"], ["guard"], ["message"], ["empty"], ["message"],
                 ["partner"], ["message"], ["partner"], ["guard"], []], kinds
assert trace["waiting"][3]["obstacles"][0] == {"kind": "guard", "text": "x gt 2", "values": {"x": 2}}
assert trace["waiting"][1]["parameters"] == {"i": 0}
assert trace["waiting"][-1] == {"process": "Done", "location": "done", "label": "", "to": None, "line": None, "parameters": {},
                                "obstacles": []}
(replayed,) = json.load(open("replayed.json"))["traces"]
assert replayed["waiting"] == trace["waiting"]
(walked,) = [p for p in json.load(open("walked.json"))["properties"] if p["id"] == "deadlock"]
assert walked["waiting"] == trace["waiting"]
EOF
  python3 look.py 2>why || fail "JSON: $(tail -3 why)"
fi
run 1 check --json waits.xml
grep -q '"state":' out && fail 'states in full without --full-states'

run 1 check --report=waits.html waits.xml
for text in 'no transition leaves this location' '<code>x gt 2</code> is false' 'box is full'; do
  says waits.html "$text"
done

# Promela: statements; instances that do not exist are left out; each element of an array of channels has a name
cat >waits.pml <<'END'
chan box[2] = [1] of { byte };
chan meet = [0] of { byte };
byte x = 1;
active [2] proctype P() {
  chan own[2] = [1] of { byte };
  own[1]!5; box[_pid]!2;
  if
  :: x > 3
  :: box[0]!4
  :: meet?7
  fi
}
active proctype Q() { meet!6 }
active proctype R() { skip }
END
run 1 check --trace=trace.json waits.pml
says out 'box[0]=[2], box[1]=[2]' 'P[0].own[1]=[5], P[1].own[0]=[], P[1].own[1]=[5]' \
  'deadlock violated at depth ' ': deadlock unless each process is at an end' \
  'P[1] at 7:3 waits for x > 3 (waits.pml:8): x > 3 is false' \
  'P[0] at 7:3 waits for box[0]!4 (waits.pml:9): it is not executable, len(box[0]) is 1' \
  'P[0] at 7:3 waits for meet?7 (waits.pml:10): it is not executable' \
  'Q at 13:23 waits for meet!6 (waits.pml:13): it is not executable'
grep -q 'R at -\|P\[0\]\.- is' out && fail "an instance that does not exist, or parts of no text: $(cat out)"
run 0 replay waits.pml trace.json
says out 'P[1] at 7:3 waits for x > 3 (waits.pml:8): x > 3 is false'
run 1 check --why-never waits.pml
says out 'meet?7 is executable  true in 0 of'
finish
