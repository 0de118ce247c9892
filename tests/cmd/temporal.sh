#!/bin/sh
# Temporal properties by the command: printed runs, exit codes, trace files and their replay, JSON, what is refused.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >turns.xml <<'END'
<model name="turns">
  <variable name="x" range="0..3"/>
  <process name="P" instances="2">
    <location name="idle" initial="true"/>
    <location name="waits"/>
    <transition from="idle" to="waits" label="ask"/>
    <transition from="waits" to="idle" label="serve" effect="x = (x + 1) % 4"/>
  </process>
  <process name="Once">
    <location name="fresh" initial="true"/>
    <location name="used"/>
    <transition from="fresh" to="used" label="use"/>
  </process>
  <property id="served" kind="leadsto">P[0].waits leadsto P[0].idle</property>
  <property id="changes" kind="ltl">always eventually x == 1 or eventually always x == 0</property>
  <property id="stays" kind="ltl">always (Once.used implies next Once.used)</property>
</model>
END
cat >stops.xml <<'END'
<model name="stops">
  <variable name="x" range="0..9"/>
  <process name="P">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" guard="x lt 2" effect="x = x + 1"/>
    <transition from="a" to="b" guard="x == 2"/>
  </process>
  <deadlock check="false"/>
  <property id="nine" kind="eventually">x == 9</property>
</model>
END

run 1 check --continue --trace=t.json --json=r.json turns.xml
says out 'served: violated, by a run that repeats its last '
says out 'stays: holds'
says out '  repeated for ever:'
says out 'last, and before the repeated steps:'
run 0 replay turns.xml t.json
says out 'served: replayed, violated at depth'
run 1 check --quiet --continue -p served -p stays turns.xml
run 0 check --quiet --continue -p changes -p stays turns.xml

run 1 check --trace=s.json stops.xml
says out 'nine: violated, by a run that stays in state 3'
says out 'no transition is enabled: the run stays in this state'
run 0 replay stops.xml s.json
run 0 check --finite=ignore stops.xml
says out 'nine: holds'
run 1 check --quiet --finite=stutter stops.xml
run 0 count --quiet stops.xml

# A constraint is enabled by a step that the formula excludes: P could give up at any time, and the run is fair only if it does.
cat >gives_up.xml <<'END'
<model name="gives_up">
  <process name="P">
    <location name="waits" initial="true"/>
    <location name="gone"/>
    <transition from="waits" to="gone" label="give_up"/>
  </process>
  <process name="Q">
    <location name="a" initial="true"/>
    <transition from="a" label="spin"/>
  </process>
  <property id="leaves" kind="ltl">eventually (P.gone or taken(give_up))</property>
</model>
END
run 1 check gives_up.xml
says out "it holds with more fairness: --fair='weak P'"
for fair in weak strong 'weak P' 'strong P' 'strong give_up'; do
  run 0 check -q "--fair=$fair" gives_up.xml
  says out "leaves: holds (fairness: $fair)"
done
run 1 check --fair='strong Q' gives_up.xml

# 2 x 10^9 states: a violation ends the run; so does one of two properties.
cat >deep.xml <<'END'
<model name="deep">
  <variable name="x" range="0..999" size="3"/>
  <variable name="y" range="0..1"/>
  <process name="P" instances="3">
    <location name="a" initial="true"/>
    <transition from="a" guard="x[self] lt 999" effect="x[self] = x[self] + 1"/>
  </process>
  <process name="Q">
    <location name="a" initial="true"/>
    <transition from="a" guard="x[0] ge 3" effect="y = 1 - y"/>
  </process>
  <property id="high" kind="eventually">x[0] == 900</property>
</model>
END
run 1 check --engine=cpu -p high --trace=d.json --json=d-result.json deep.xml
says out 'high: violated, by a run that repeats its last 2 steps'
says out 'end: ended when the verdict was known; --continue explores the rest'
run 0 replay deep.xml d.json

# Another loop, a missing one, and a property that the run satisfies: the trace does not replay.
if python3 -c '' 2>/dev/null; then
  cat >change.py <<'END'
import json, sys
source, target, what = sys.argv[1:]
file = json.load(open(source))
trace = file['traces'][0]
if what == 'missing':
    del trace['loop']
else:
    trace['loop'] = trace['loop'] + int(what)
json.dump(file, open(target, 'w'))
END
  for what in missing 1 -1 -100 100; do
    python3 change.py s.json other.json "$what"
    run 1 replay stops.xml other.json
    says out 'does not replay: the end:'
  done
  sed 's/x == 9/x == 1/' stops.xml >satisfied.xml
  run 1 replay satisfied.xml s.json
  says out 'the run satisfies the property'
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
  cat >valid.py <<'END'
import json, sys, jsonschema
for file, schema in zip(sys.argv[2:], ('trace', 'trace', 'result')):
    jsonschema.validate(json.load(open(file)), json.load(open('%s/doc/%s.schema.json' % (sys.argv[1], schema))))
assert any(p['trace'] and p['trace']['loop'] >= 0 for p in json.load(open(sys.argv[4]))['properties'])
END
  python3 valid.py "$here" t.json s.json r.json >why 2>&1 || fail "JSON: $(cat why)"
fi

# Fairness: of the option, the attribute of the property, the model.
cat >fair.xml <<'END'
<model name="fair">
  <constant name="N" value="2"/>
  <variable name="turn" range="0..1"/>
  <process name="Client" instances="N">
    <location name="idle" initial="true"/>
    <location name="waits"/>
    <transition from="idle" to="waits" label="ask"/>
    <transition from="waits" to="idle" label="grant" guard="turn == self"/>
  </process>
  <process name="Switch">
    <location name="there" initial="true"/>
    <transition from="there" label="flip" effect="turn = 1 - turn"/>
  </process>
  <property id="answered" kind="leadsto">Client[0].waits leadsto Client[0].idle</property>
</model>
END
run 1 check --trace=f.json --json=r.json fair.xml
says out 'answered: violated, by a run that repeats its last 2 steps'
says out "it holds with more fairness: --fair='strong'"
run 0 replay fair.xml f.json
run 1 check --fair=weak --trace=f.json --json=r.json fair.xml
says out '(fairness: weak)'
says out 'fair to Client[0]: not enabled in state '
says out 'fair to Client[1]: not enabled in state '
says out 'fair to Switch: step '
says out "it holds with more fairness: --fair='weak, strong Client'"
run 0 replay fair.xml f.json
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 valid.py "$here" f.json f.json r.json >why 2>&1 || fail "JSON: $(cat why)"
fi
run 1 check --fair='strong Client' fair.xml
says out 'unfair to Switch, which is enabled in all repeated states and takes no step'
for list in strong 'strong, weak' 'weak flip, strong Client[0].grant' ' weak  Switch , strong Client[ 0 .. ].grant' 'strong grant,strong Client[0..1],weak Switch.flip'; do
  run 0 check --quiet --fair="$list" fair.xml
done
for list in none 'weak flip, strong Client[1].grant' 'weak Client[0..N]' 'strong Client, weak ask' ''; do
  case $list in *N]) code=3 ;; '') code=3 ;; *) code=1 ;; esac
  run $code check --quiet --fair="$list" fair.xml
done
sed 's/name="Switch"/name="Switch" fair="weak"/; s/label="grant"/label="grant" fair="strong"/' fair.xml >model.xml
run 0 check model.xml
says out '(fairness: weak Switch, strong Client.grant)'
run 1 check --quiet --fair=none model.xml
sed 's/ label="grant"//; s/ label="flip"//' fair.xml >unnamed.xml
run 0 check --quiet --fair='strong Client.waits -> idle, weak there -> there' unnamed.xml
sed 's/kind="leadsto"/kind="leadsto" fairness="none"/' model.xml >property.xml
run 1 check --quiet property.xml
run 0 check --quiet --fair=strong property.xml
sed 's/instances="N"/instances="65"/; s/turn == self/turn == self % 2/' fair.xml >many.xml
run 3 check --quiet --fair='weak Client' many.xml
says err "has 65 constraints of fairness; at most 63 are possible"

# A replay judges fairness: of the option when the trace was written, else of the property, for which the model may have changed.
run 1 check --quiet --fair=weak --trace=weak.json fair.xml
run 1 check --quiet --trace=none.json fair.xml
run 1 check --quiet --fair=none --trace=option.json model.xml
run 0 replay model.xml option.json
run 1 replay model.xml none.json
says out "the end: the run is not fair: it violates 'strong Client[0].grant'"
sed 's/"fair": *"weak"/"fair": "strong"/' weak.json >strong.json
run 1 replay fair.xml strong.json
says out "the end: the run is not fair: it violates 'strong Client[0]'"
sed 's/"fair": *"weak"/"fair": "weak Nobody"/' weak.json >nobody.json
run 1 replay fair.xml nobody.json
says out "the end: the fairness 'weak Nobody' does not fit the model"
sed 's/"fair": *"weak"/"fair": "weak Switch"/' weak.json >fewer.json
run 1 replay fair.xml fewer.json
says out 'the end: fairness: expected {"name":"Client[0]"'
sed 's/"reason": *"taken"/"reason": "never"/' weak.json >reason.json
run 1 replay fair.xml reason.json
says out 'the end: fairness: expected {"name":"Switch"'

# Checkpoints: the file has the fairness, and names the property.
run 0 check --quiet --fair=strong --checkpoint=c fair.xml
run 0 checkpoint c.ltl.answered
says out 'options: continue=yes fair=strong product=answered'
run 0 resume --quiet c
says out 'answered: holds (fairness: strong)'
run 1 resume --quiet --fair=weak c
says err 'c.ltl.answered is not used'
run 3 resume c.ltl.answered
says err "resume the model's checkpoint"
run 0 check --quiet --finite=ignore --checkpoint=d stops.xml
run 0 resume --quiet d

# Steps and conditions that can fail: the replay evaluates them too.
cat >taken.xml <<'END'
<model name="taken">
  <variable name="x" range="0..2"/>
  <variable name="a" type="bool" size="2" init="index == 0"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" label="one" guard="x == 0" effect="x = 1; a[1] = true"/>
    <transition from="l" label="other" guard="x == 0" effect="x = 1; a[1] = true"/>
    <transition from="l" label="back" guard="x == 1" effect="x = 0"/>
  </process>
  <property id="both" kind="ltl">always eventually (taken(one) or x == 1 and not a[x])</property>
  <property id="always" kind="ltl">always (enabled(one) == enabled(other))</property>
</model>
END
run 1 check --continue --trace=t.json taken.xml
says out 'both: violated, by a run that repeats its last 2 steps'
says out 'always: holds'
run 0 replay taken.xml t.json
sed 's/taken(one)/taken(P.other)/' taken.xml >satisfied.xml
run 1 replay satisfied.xml t.json
says out 'the run satisfies the property'
sed 's/x == 1 and not a\[x\]/a[x - 1]/' taken.xml >fails.xml
run 1 replay fails.xml t.json
says out 'the end: a condition of the property cannot be evaluated'
run 1 check --continue fails.xml
says out 'both: undecided'
says out 'errors: violated at depth 0'
says out 'always: holds'

# The keys of a linear table have no numbers: the product is in another one.
run 1 check --quiet --table=linear --slot-bits=32 stops.xml
says out 'nine: violated, by a run that stays in state 3'
run 2 check --quiet --max-states=2 stops.xml
says out 'nine: undecided, runs were not searched'
finish
