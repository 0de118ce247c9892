#!/bin/sh
# Parts of temporal properties that decide nothing: left sides that are never true, fairness of transitions that are
# never enabled; in text, JSON and the report. What was not searched is not reported.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >model.xml <<'EOF'
<model name="parts">
  <variable name="x" range="0..9"/>
  <variable name="a" range="0..3" size="2"/>
  <process name="P" instances="2">
    <location name="l" initial="true"/>
    <location name="lost"/>
    <transition from="l" label="up" guard="x lt 3" effect="x = x + 1"/>
    <transition from="l" label="down" guard="x == 3" effect="x = 0"/>
    <transition from="l" label="second" guard="self == 1 and x == 3" effect="x = 1"/>
    <transition from="lost" label="find"/>
  </process>
PROPERTIES
</model>
EOF

# notes FORMULA OPTION...: checks that every run satisfies the formula; `found` has the parts that are reported.
notes() {
  formula=$1
  shift
  sed "s/PROPERTIES/<property id=\"p\" kind=\"ltl\">$formula<\/property>/" model.xml >p.xml
  "$floe" check --engine=interpreter -p p "$@" p.xml >out 2>err || fail "$formula does not hold: $(cat out err)"
  sed -n 's/^  vacuous: the left side of an implication is never true: //p' out >found
}
# vacuous FORMULA PART...: exactly these parts are reported.
vacuous() {
  notes "$1"
  formula=$1
  shift
  : >expected
  for part in "$@"; do
    printf '%s\n' "$part" >>expected
  done
  cmp -s expected found || fail "$formula: $(diff expected found)"
}

vacuous 'always (x == 5 implies eventually x == 1)' 'x == 5'
vacuous 'always (x == 2 implies eventually x == 3)'
vacuous 'x == 5 leadsto x == 1' 'x == 5'
vacuous 'always (x == 5 implies a[0] == 2)' 'x == 5'
vacuous 'always (x gt 3 implies (x == 2 implies next x == 1))' 'x gt 3'
vacuous 'always (x lt 9 implies (x == 4 implies next x == 1))' 'x == 4'
vacuous 'all(i in 0..3 : always (x == i + 2 implies eventually x == 3))' 'x == 4' 'x == 5'
# no transition reaches `lost`, so that the left side is a constant
vacuous 'always (P[0].lost implies eventually P[0].l) and always (x == 7 implies next x == 8)' 'x == 7'
vacuous 'always (taken(find) implies eventually x == 9)' 'taken(find)'
vacuous 'always (taken(P[0].second) implies eventually x == 9)' 'taken(P[0].second)'
vacuous 'always (taken(P[1].second) implies next x == 1)'
vacuous 'always (enabled(find) implies eventually x == 9)' 'enabled(find)'
# of a left side and of its negation, of what is required alone
vacuous 'always not (x == 5 and not eventually x == 1)'
vacuous 'not (always (x == 5 implies next x == 1) implies x == 3)' 'x == 5'
vacuous 'not eventually (x == 2 and (x == 5 implies x == 1) and x == 6)'
vacuous 'always ((x == 5 implies next x == 1) == (x == 5 implies next x == 1))'
# the negation has no run on x != 0 at the start, so that the product has no state with x == 2
vacuous 'x == 0 or always (x == 2 implies eventually x == 3)'
vacuous 'x == 0 or always (x == 5 implies eventually x == 3)'
# an index that is out of bounds where the left side of the other implication is false
vacuous 'always (x lt 2 implies (a[x] == 3 implies eventually x == 9))'

# ---- violated, undecided, fairness ----

sed 's/PROPERTIES/<property id="p" kind="ltl">always (x == 5 implies eventually x == 1) and eventually x == 9<\/property>/' model.xml >p.xml
run 1 check --engine=interpreter -p p p.xml
grep -q vacuous out && fail "a violated property is vacuous: $(cat out)"
run 1 check --engine=interpreter --fair='weak find, strong P[0].second, weak P[1].second, weak P[0]' -p p p.xml
says out 'fairness without effect, as none of its transitions is ever enabled: weak find'
says out 'fairness without effect, as none of its transitions is ever enabled: strong P[0].second'
[ "$(grep -c 'without effect' out)" -eq 2 ] || fail "fairness: $(cat out)"
notes 'x == 5 leadsto x == 1' --fair='weak find' --json=r.json --report=r.html
says out 'without effect, as none of its transitions is ever enabled: weak find'
says r.html 'vacuous: the left side of an implication is never true: x == 5'
says r.html 'without effect, as none of its transitions is ever enabled: weak find'
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 - "$here/doc/result.schema.json" >why 2>&1 <<'EOF' || fail "JSON: $(cat why)"
import json, sys, jsonschema
result = json.load(open('r.json'))
jsonschema.validate(result, json.load(open(sys.argv[1])))
assert result['properties'][0]['vacuous'] == [{'part': 'antecedent', 'text': 'x == 5'},
                                              {'part': 'fairness', 'text': 'weak find'}], result['properties'][0]
EOF
fi
# A step that fails cuts runs: nothing is reported.
sed 's/guard="x == 3" effect="x = 0"/guard="x == 3" effect="x = 10"/' p.xml | sed 's/ and eventually x == 9//' >fails.xml
run 1 check --engine=interpreter --continue --fair='weak find' fails.xml
says out 'p: undecided'
grep -q 'vacuous\|without effect' out && fail "an undecided property is vacuous: $(cat out)"
# Compiled and interpreted searches agree.
sed 's/PROPERTIES/<property id="p" kind="leadsto">x == 5 leadsto x == 1<\/property>/' model.xml >p.xml
run 0 check --engine=cpu -p p p.xml
says out 'vacuous: the left side of an implication is never true: x == 5'
finish
