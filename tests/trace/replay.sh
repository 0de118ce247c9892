#!/bin/sh
# floe replay: modified traces fail at the modified place; unreadable files are reported; constants.
. "${top_srcdir:-.}/tests/cmd/common.sh"
race=$models/race.xml

run 1 check -q --trace=race.json "$race"
run 0 replay "$race" race.json
says out 'sum: replayed, violated at depth 4'
says out 'two: replayed, reachable at depth 4'
run 0 replay "$race" race.json -p two
[ "$(wc -l <out)" -eq 1 ] || fail "-p two replayed $(cat out)"
run 3 replay "$race" race.json -p early
says err "has no trace of property 'early'"
"$floe" replay "$race" - <race.json >out 2>err || fail "a trace from standard input: $(cat err)"

# a failing last step, an error in a property
run 1 check -q --trace=overflow.json "$models/overflow.xml"
run 0 replay "$models/overflow.xml" overflow.json
says out 'errors: replayed, violated at depth 3'
cat >property.xml <<'END'
<model name="property"><variable name="x" range="0..2"/>
  <process name="P"><location name="l" initial="true"/><transition from="l" guard="x lt 2" effect="x++"/></process>
  <deadlock unless="4 / (2 - x) > 0"/>
</model>
END
run 1 check -q --trace=property.json property.xml
run 0 replay property.xml property.json
says out 'errors: replayed, violated at depth 2'

# Modified files: a line each with the exit code, the message (on standard output for 1, on standard error for 3)
# and the modification, in python, of the first trace t and its steps s.
python3 -c '' 2>/dev/null || skip 'no python3, which changes traces'
cat >changes <<'END'
1|does not replay: the first state: counter: expected 1, found 0|t["initial"]["counter"] = 1
1|does not replay: the first state: more: expected 1, found nothing|t["initial"]["more"] = 1
1|does not replay: the first state: counter: expected nothing, found 0|del t["initial"]["counter"]
1|step 1: 'P[7] read' is not enabled; enabled: 'P[0] read', 'P[1] read'|s[0]["action"] = "P[7] read"
1|step 3: 'P[1] write' is not enabled; enabled: 'P[1] read'|del s[1]
1|step 1: 'P[0] write' is not enabled|del s[:2]
1|step 2: 'P[0] read' is not enabled|s.insert(1, s[0])
1|step 5: 'P[1] write' is not enabled; no step is|s.append(s[3])
1|step 3: counter: expected ["0",1], found [0,1]|s[2]["changes"]["counter"] = ["0", 1]
1|step 3: counter: expected [0,2], found [0,1]|s[2]["changes"]["counter"] = [0, 2]
1|step 3: counter: expected nothing, found [0,1]|del s[2]["changes"]["counter"]
1|step 4: counter: expected [1,2], found nothing|s[3]["changes"]["counter"] = [1, 2]
1|step 2: process: expected "Q", found "P"|s[1]["process"] = "Q"
1|step 2: instance: expected 0, found 1|s[1]["instance"] = 0
1|step 2: label: expected "", found "read"|s[1]["label"] = ""
1|step 2: line: expected 8, found 9|s[1]["line"] = 8
1|step 2: parameters: expected [{"name":"i","value":1}], found []|s[1]["parameters"] = [{"name": "i", "value": 1}]
1|step 2: participants: |s[1]["participants"][0]["from"] = "done"
1|step 4: fails: expected "so", found null|s[3]["fails"] = "so"
1|the end: the property is not violated in the last state|s.pop(); t["depth"] = 3
1|the end: expected at depth 4, found at depth 3|s.pop()
1|the end: a trace of this property shows 'violated', not 'reachable'|t["verdict"] = "reachable"
1|the model has no property 'nonesuch'|t["property"] = "nonesuch"
1|the property is of kind 'invariant', not 'never'|t["kind"] = "never"
1|step 1: 'x????' is not enabled|s[0]["action"] = "x\u001b\n\t\u007f"
3|the document is not an object|document = []
3|the document: 'format' is missing|del document["format"]
3|its format is not floe-traces|document["format"] = "x"
3|its version is not 1|document["version"] = 2
3|it contains no trace|document["traces"] = []
3|trace 1: 'steps' is missing|del t["steps"]
3|trace 1: 'depth' is not a whole number|t["depth"] = 1.5
3|trace 1: 'depth' is out of range|t["depth"] = -1
3|trace 1: 'N' is not a whole number|t["constants"] = {"N": True}
3|trace 1: 'counter' is not a value|t["initial"]["counter"] = {}
3|trace 1, step 2 is not an object|s[1] = 3
3|trace 1, step 2: 'label' is not a string|s[1]["label"] = None
3|trace 1, step 3: the change of 'counter' is not|s[2]["changes"]["counter"] = [1]
3|the trace is of model 'other', not of 'race'|t["model"] = "other"
3|the model has no constant 'N'|t["constants"] = {"N": 3}
END
python3 - <<'END' || exit 99
import copy, json
whole = json.load(open("race.json"))
del whole["traces"][1:]
for n, line in enumerate(open("changes")):
    document = copy.deepcopy(whole)
    t = document["traces"][0]
    s = t["steps"]
    exec(line.split("|", 2)[2])
    json.dump(document, open(f"changed{n}.json", "w"))
END
n=0
while IFS="|" read -r wanted words change; do
  run "$wanted" replay "$race" changed$n.json
  answer=out
  [ "$wanted" -eq 1 ] || answer=err
  says $answer "$words"
  ! grep -q "$(printf '\033')" $answer || fail 'an escape sequence of the file reached the terminal'
  n=$((n + 1))
done <changes
[ $n -eq 40 ] || fail "$n changes"

# files without JSON
run 3 replay "$race" nowhere.json
says err 'nowhere.json is not a readable trace file: No such file'
run 3 replay "$race" .
says err '. is not a readable trace file'
: >empty.json
run 3 replay "$race" empty.json
head -c 3000 race.json >cut.json
run 3 replay "$race" cut.json
says err 'cut.json is not a readable trace file: line'
head -c 100000 /dev/zero | tr '\0' '[' >deep.json
run 3 replay "$race" deep.json
run 3 replay "$race" "$race"

# constants come from the file; -D must agree
run 0 check -q --trace=ring.json "$models/ring.xml" -D N=4
run 0 replay "$models/ring.xml" ring.json
says out 'last: replayed, reachable at depth 7'
run 0 replay "$models/ring.xml" ring.json -D N=4
run 3 replay "$models/ring.xml" ring.json -D N=3
says err "-D N=3 contradicts the trace of 'last' in ring.json, which has 4"
run 3 replay "$models/ring.xml" ring.json -D M=3

# a changed model: lines are not compared, everything else is
sed 's/<description>/\n\n&/' "$race" >changed.xml
run 0 replay changed.xml race.json
says err 'the text of changed.xml has changed since the trace of sum was written'
sed 's/seen + 1/counter + 1/' "$race" >repaired.xml
run 1 replay repaired.xml race.json
says out 'sum: does not replay: step 4: counter: expected nothing, found [1,2]'
finish
