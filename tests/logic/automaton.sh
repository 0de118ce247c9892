#!/bin/sh
# Automata of temporal properties: written as HOA and for Graphviz, read from files in HOA; the shipped models have the
# same verdicts with the automata that floe writes for them.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >model.xml <<'EOF'
<model name="a">
  <variable name="x" range="0..2"/>
  <variable name="b" type="bool" size="2" init="index == 0"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" label="one" guard="x == 0" effect="x = 1; b[1] = true"/>
    <transition from="l" label="other" guard="x == 0" effect="x = 1; b[1] = true"/>
    <transition from="l" label="back" guard="x == 1" effect="x = 0"/>
  </process>
  <property id="both" kind="ltl">always eventually (taken(one) or x == 1 and not b[x])</property>
  <property id="same" kind="ltl">always (enabled(one) == enabled(other))</property>
  <property id="order" kind="ltl">(x &lt; 1) or next b[1]</property>
  <property id="low" kind="invariant">x lt 2</property>
</model>
EOF

# ---- written ----

run 0 export --never=both model.xml
says out 'HOA: v1'
says out 'name: "runs that violate both: always eventually'
says out 'AP: 2 "taken(one)" "x == 1 and not b[x]"'
says out 'Acceptance: 1 Inf(0)'
run 0 export --never=order model.xml -o order.hoa
grep -qF '"(x < 1)"' order.hoa || fail "an entity of XML in an automaton: $(cat order.hoa)"
run 0 export --never=same --format=dot model.xml
says out '[label="not (enabled(one) == enabled(other))"];'
if command -v dot >/dev/null; then
  for id in both same order; do
    "$floe" export --never=$id --format=dot model.xml >a.dot
    dot -Tplain a.dot >plain 2>err || fail "dot: $(cat err)"
    grep -q '^edge start 0' plain || fail "dot: $(cat plain)"
  done
fi
run 3 export --never=low model.xml
says err "the model has no temporal property 'low'; it has these"
says err 'both, same, order'
run 3 export --never=both --format=aut model.xml
says err '--format=aut is for state graphs'
run 3 export --never=both --state-labels model.xml
says err '--state-labels is for state graphs'
run 3 export --format=hoa model.xml
says err 'name a temporal property with --never=ID'
run 3 export --never=both --engine=gpu model.xml
[ -c /dev/full ] && run 5 export --never=both model.xml -o /dev/full

# ---- read ----

# As Spot writes it for !G(ask -> F serve), with labels on states, in other forms, and with several initial states.
cat >turns.xml <<'EOF'
<model name="turns">
  <process name="P">
    <location name="idle" initial="true"/>
    <location name="waits"/>
    <location name="gone"/>
    <transition from="idle" to="waits" label="ask"/>
    <transition from="waits" to="idle" label="serve"/>
    <transition from="waits" to="gone" label="leave"/>
    <transition from="gone" label="rest"/>
  </process>
  <property id="answered" kind="ltl" automaton="never.hoa"/>
  <property id="fair" kind="ltl" automaton="never.hoa" fairness="strong serve, strong ask"/>
  <property id="stays" kind="ltl" automaton="parts/stays.hoa"/>
  <property id="formula" kind="ltl">always (taken(ask) implies eventually taken(serve))</property>
</model>
EOF
mkdir parts
cat >never.hoa <<'EOF'
HOA: v1
name: "F(a & G!b)"
States: 2
Start: 0
AP: 2 "taken(ask)" "taken(serve)"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc very-weak
--BODY--
State: 0
[t] 0
[0&!1] 1
State: 1 {0}
[!1] 1
--END--
EOF
cat >parts/stays.hoa <<'EOF'
HOA: v1 /* runs that leave `gone` */
Start: 0 Start: 1
AP: 1 "P.gone"
Acceptance: 2 Inf(0)
Alias: @gone 0
--BODY--
State: [!@gone] 0 0 1
State: [@gone] 1 2
State: [t] 2 {0} 1
State: [!@gone] 3 {0} 3
--END--
EOF
run 1 check --engine=interpreter --continue --trace=t.json --json=r.json --report=r.html turns.xml
says out 'answered: violated, by a run that repeats its last 1 step'
says out 'fair: violated, by a run that repeats its last 1 step'
says out 'stays: violated'
says out 'formula: violated, by a run that repeats its last 1 step'
says out 'answered violated: ltl no run of the automaton never.hoa'
run 0 replay turns.xml t.json
says out 'stays: replayed, violated'
grep -q 'P.gone' r.html || fail 'the report lacks the text of an automaton'
# The automaton belongs to the model: a checkpoint of other text is refused, as is the replay of another property.
sed -i 's/State: \[t\] 2 {0} 1/State: [!@gone] 2 {0} 1/' parts/stays.hoa
run 1 replay turns.xml t.json
says out 'the run satisfies the property'
run 0 check --engine=interpreter --quiet -p stays turns.xml
run 3 check --engine=interpreter --no-include turns.xml
says err 'cannot be included: includes are turned off'
run 3 check --engine=interpreter - <turns.xml
sed 's/Inf(0)$/Fin(0)/' never.hoa >fin.hoa
sed 's/never.hoa/fin.hoa/' turns.xml >fin.xml
run 3 check --engine=interpreter fin.xml
says err 'fin.hoa:7:15: error: acceptance with Fin, as of co-Buchi, Rabin and parity automata, is not read'
# An atomic proposition that cannot be evaluated in some state: undecided.
sed 's/"P.gone"/"1 \/ (1 - P.gone) == 1"/' parts/stays.hoa >parts/fails.hoa
sed 's/stays.hoa/fails.hoa/' turns.xml >fails.xml
run 1 check --engine=interpreter -p stays fails.xml
says out 'stays: undecided'
says out 'errors: violated'

# ---- round trip ----

# The properties of a model with the automata that floe writes for them.
for model in "$here"/models/*.xml model.xml; do
  grep -qE 'kind="(ltl|leadsto|eventually)"' "$model" || continue
  name=$(basename "$model" .xml)
  case $name in altbit | model | peterson | rwlock) ;; *) [ -n "${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}" ] || continue ;; esac
  rm -rf copy && mkdir copy
  python3 - "$floe" "$model" copy >why 2>&1 <<'EOF' || fail "$name: $(cat why)"
import re, subprocess, sys
floe, model, folder = sys.argv[1:]
text = open(model).read()
def replaced(match):
    attributes = match.group(1)
    kind = re.search(r'kind="(\w+)"', attributes).group(1)
    if kind not in ('ltl', 'leadsto', 'eventually'):
        return match.group(0)
    id = re.search(r'id="([^"]*)"', attributes).group(1)
    subprocess.run([floe, 'export', '--never=' + id, '-o', '%s/%s.hoa' % (folder, id), model], check=True)
    attributes = attributes.replace('kind="%s"' % kind, 'kind="ltl" automaton="%s.hoa"' % id)
    return '<property%s/>' % attributes
text = re.sub(r'<property((?:\s+\w+="[^"]*")*)>(.*?)</property>', replaced, text, flags=re.S)
assert 'automaton=' in text
open(folder + '/model.xml', 'w').write(text)
EOF
  verdicts() { sed -n 's/^\([a-zA-Z0-9_.-]*: \(holds\|violated\|undecided\)[^(,:]*\).*/\1/p' out; }
  "$floe" check --engine=interpreter --continue --no-trace "$model" >out 2>err
  verdicts >expected
  "$floe" check --engine=interpreter --continue --no-trace copy/model.xml >out 2>err
  verdicts >found
  [ -s expected ] && cmp -s expected found || fail "$name: other verdicts: $(diff expected found; cat err)"
done
finish
