#!/bin/sh
# --sweep: a row for each value, with the figures of a separate run; the worst row determines the exit code.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# row LINE TEXT: the table's line, blanks joined, without time and memory
row() {
  found=$(sed -n "$1p" out | tr -s ' ' | sed -E 's/^ //; s/ [0-9]+\.[0-9]{3} [0-9.]+ (B|[KMG]iB) / /')
  [ "$found" = "$2" ] || fail "line $1 is '$found' instead of '$2'"
}

run 0 check --sweep N=2..4 "$models/ring.xml"
row 1 'N states transitions depth seconds memory verdicts'
row 2 '2 4 4 3 all satisfied'
row 3 '3 6 6 5 all satisfied'
row 4 '4 8 8 7 all satisfied'
[ "$(wc -l <out)" -eq 4 ] || fail "not three rows: $(cat out)"
silent err

# lists, and two constants: every combination, the first varying slowest
cat >grid.xml <<'END'
<model name="grid">
  <constant name="A" value="1" range="-1..3"/>
  <constant name="B" value="1"/>
  <variable name="x" range="0..99"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" guard="x lt B" effect="x++"/>
    <transition from="l" guard="x ge B" effect="x = 0"/>
  </process>
  <property id="low" kind="invariant">x lt 5 or A lt 3</property>
</model>
END
run 1 check --sweep A=-1,2..3 --sweep B=4,6 grid.xml
row 1 'A B states transitions depth seconds memory verdicts'
row 2 '-1 4 5 5 4 all satisfied'
row 4 '2 4 5 5 4 all satisfied'
row 6 '3 4 5 5 4 all satisfied'
row 7 '3 6 7 6 6 low violated at depth 5'
[ "$(wc -l <out)" -eq 7 ] || fail "not six rows: $(cat out)"

# a value that the model rejects gets a row, and the sweep continues
run 3 check --sweep A=3..5 grid.xml
row 2 '3 2 2 1 all satisfied'
grep -q '^4 .*refused: .*A' out || fail "no row for the value refused: $(cat out)"
grep -q '^5 .*refused' out || fail "the sweep ended at the value refused: $(cat out)"
says err "A"

# limits end a row, not the sweep
run 2 check --sweep N=2,9 --max-states=8 "$models/ring.xml"
row 3 '9 9 8 8 undecided: ended at --max-states'
for seconds in 0.3 3 30; do # a busy machine may take longer for the first row
  run 2 check --sweep N=2,9 --timeout=$seconds -D K=60 "$here/models/counters.xml"
  grep -q '^2 .*undecided' out || break
done
row 2 '2 3600 7200 118 all satisfied'
grep -q '^9 .*undecided: ended at --timeout' out || fail "no row that the timeout ended: $(cat out)"
run 2 check --sweep N=2,9 --memory=2M -D K=60 "$here/models/counters.xml"
row 2 '2 3600 7200 118 all satisfied'
grep -q '^9 .*undecided: ended at the memory limit' out || fail "no row that memory ended: $(cat out)"

# invalid values are reported before the run
for wrong in N N= =2 N=4..2 N=a N=2, N=2...4 N=1..99999 N=99999999999999999999; do
  run 3 check --sweep "$wrong" "$models/ring.xml"
  says err "'$wrong' is not a valid value for --sweep"
  silent out
done
run 3 check --sweep M=1..2 "$models/ring.xml"
says err "no constant 'M'"
silent out
run 3 check --sweep N=1..2 --sweep N=3 "$models/ring.xml"
says err 'constant N is given twice'
run 3 check --sweep N=1..2 -D N=3 "$models/ring.xml"
says err 'constant N is given twice'
run 3 check --sweep N=1..2 --expect "$models/ring.xml"
says err '--sweep cannot be combined with --expect'
run 3 check --sweep A=1..4096 --sweep B=1..4096 grid.xml
says err 'more than 100000 combinations'

# JSON: every row with its result, valid by the schema
run 3 check --json --sweep A=3..4 --sweep B=4,6 grid.xml
cp out sweep.json
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 - "$here/doc/result.schema.json" >why 2>&1 <<'END' || fail "JSON: $(cat why)"
import json, sys, jsonschema
result = json.load(open("sweep.json"))
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(result)
assert result["command"] == "sweep"
rows = result["rows"]
assert [r["constants"] for r in rows] == [{"A": a, "B": b} for a in (3, 4) for b in (4, 6)]
assert [r["outcome"] for r in rows] == ["as wanted", "violated", "refused", "refused"]
assert rows[1]["result"]["states"] == 7 and rows[1]["result"]["constants"]["B"] == 6
assert rows[2]["result"] is None and rows[2]["message"] and rows[0]["message"] is None
END
fi
finish
