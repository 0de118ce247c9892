#!/bin/sh
# --json: exactly one object, valid by doc/result.schema.json, with the figures of the text.
. "${top_srcdir:-.}/tests/cmd/common.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip 'python3 has no module jsonschema (Debian: python3-jsonschema)'

# valid FILE CONDITION...: r is the object, p its properties by id. All are checked at the end, by one process.
n=0
valid() {
  n=$((n + 1))
  cp "$1" "case$n.json"
  shift
  printf '%s\n' "$@" >"case$n.conditions"
}

run 0 --json "$models/ring.xml" -D N=4
valid out 'r["command"] == "check"' 'r["model"] == "ring"' 'r["constants"] == {"N": 4}' 'r["states"] == 8' \
  'r["transitions"] == 8' 'r["levels"] == 8' 'r["states_per_level"] == [1] * 8' 'r["complete"] is True' \
  'r["deadlocks"] == 0' 'r["end"] == "complete"' 'r["never_enabled"] == []' 'p["safe"]["verdict"] == "holds"' \
  'p["safe"]["trace"] is None' 'p["safe"]["depth"] is None' 'p["last"]["depth"] == 7' \
  'len(p["last"]["trace"]["steps"]) == 7' 'list(p) == ["safe", "last", "deadlock", "errors"]'

valid out 'abs(sum(r["phases"].values()) - r["phases"]["waiting"] - r["seconds"]["explore"]) < 1e-3'

run 1 --json "$models/race.xml" --continue
valid out 'p["sum"]["verdict"] == "violated"' 'p["sum"]["depth"] == 4' 'len(p["sum"]["trace"]["steps"]) == 4' \
  'p["sum"]["trace"]["initial"]["counter"] == 0' 'p["sum"]["trace"]["initial"]["P[0]"] == "ready"' \
  'p["sum"]["trace"]["steps"][0]["changes"]["P[0]"] == ["ready", "holding"]' \
  'p["sum"]["trace"]["steps"][0]["label"] == "read"' 'p["sum"]["trace"]["steps"][0]["line"] == 9' \
  'len(p["sum"]["trace"]["parts"]) >= 1' 'p["sum"]["description"] == "no addition is lost"' \
  '[t["label"] for t in r["never_enabled"]] == ["again"]' 'p["early"]["verdict"] == "holds"'

run 1 --json "$models/overflow.xml"
valid out 'p["errors"]["verdict"] == "violated"' 'p["errors"]["depth"] == 3' 'p["errors"]["cause"]' \
  'len(p["errors"]["trace"]["steps"]) == 4' 'p["errors"]["trace"]["steps"][3]["changes"] == {}'
run 1 --json --no-trace "$models/race.xml"
valid out 'p["sum"]["depth"] == 4' 'p["sum"]["trace"] is None'
run 2 --json --max-depth=3 "$models/ring.xml"
valid out 'r["complete"] is False' 'r["end"] == "depth"' 'r["complete_depth"] == 2' 'p["last"]["verdict"] == "undecided"'
run 0 count --json "$models/ring.xml"
valid out 'r["command"] == "count"' 'list(p) == ["errors"]'
run 0 plan --json "$models/ring.xml"
valid out 'r["command"] == "plan"' 'r["key_bits"] == 5' 'r["words"] == 1' 'r["two_levels"] is None' \
  'sum(v["bits"] for v in r["layout"]) == r["key_bits"]' 'r["tables"] and r["tables"][0]["states"] >= 1'
run 0 plan --json --memory=1G --gpu-memory=2G "$models/ring.xml"
valid out 'r["gpu_memory"] == 2 << 30' '[t["states"] for t in r["gpu_tables"]] == [32, 32, 32, 32, 32, 32, 24]' \
  'r["two_levels"]["states"] == 24' 'r["two_levels"]["host_states"] == 32'
cat >waits.xml <<'END'
<model name="waits">
  <variable name="x" range="0..1000000" size="2"/>
  <process name="P">
    <location name="a" initial="true"/>
    <transition from="a" effect="x[0] = (x[0] + 1) % 6"/>
  </process>
  <property id="low" kind="invariant">x[0] le 5</property>
  <property id="again" kind="ltl">always eventually x[0] == 0</property>
  <property id="fair" kind="ltl" fairness="strong P">always eventually x[0] == 0</property>
</model>
END
run 0 plan --json --memory=1G waits.xml
valid out '[t["property"] for t in r["temporal"]] == ["again", "fair"]' \
  'all(t["key_bits"] > r["key_bits"] and t["words"] == 1 for t in r["temporal"])' \
  'r["temporal"][1]["conditions"] == r["temporal"][0]["conditions"] + 1' \
  'all(0 < t["states"] * (t["table_bytes"] + t["pass_bytes"] + t["queue_bytes"]) <= 1 << 30 for t in r["temporal"])' \
  'r["temporal"][0]["states"] > r["temporal"][1]["states"] > 1 << 25' \
  'r["temporal"][1]["pass_bytes"] > r["temporal"][0]["pass_bytes"] > 1.25' 'r["temporal"][0]["queue_bytes"] == 8'
run 0 plan --memory=1G waits.xml
says out 'temporal properties, each with a product explored after the model, in 1.0 GiB on the CPU:'
says out '  again: automaton of '
run 0 devices --json
valid out 'r["cpu"]["cores"] >= 1' '(r["no_gpu"] is None) == (len(r["gpus"]) > 0)' 'r["nvrtc"] or r["no_nvrtc"]'
fake=${top_builddir:-.}/tests/gpu/.libs/libfake_cuda.so # not there: built without CUDA
if [ -f "$fake" ]; then
  FLOE_LIBCUDA=$fake FAKE_CUDA='four apart' && export FLOE_LIBCUDA FAKE_CUDA
  run 0 devices --json
  unset FLOE_LIBCUDA FAKE_CUDA
  valid out '[g["number"] for g in r["gpus"]] == [0, 1, 2, 3]' 'len(r["links"]) == 12' \
    '[(l["gpu"], l["peer"]) for l in r["links"] if not l["direct"]] == [(0, 1), (1, 0)]' \
    'all(l["atomics"] == l["direct"] and l["rank"] == (1 if l["direct"] else None) for l in r["links"])'
fi
run 0 --expect --json --max-states=10 "$models/ring.xml"
valid out '[c["outcome"] for c in r["cases"]] == ["ok", "ok", "skipped"]' 'r["cases"][0]["constants"] == {"N": 2}'

run 1 simulate --runs=40 --json "$models/race.xml"
valid out 'r["command"] == "simulate"' 'r["runs"] == 40' 'p["sum"]["runs"] + p["two"]["runs"] == 40' \
  '[t["label"] for t in r["transitions"] if t["taken"] == 0] == ["again"]'
run 1 check -q --trace=race.json "$models/race.xml"
run 0 replay --json "$models/race.xml" race.json
valid out 'r["command"] == "replay"' 'r["trace_file"] == "race.json"' \
  '[(t["property"], t["verdict"], t["depth"]) for t in r["traces"]] == [("sum", "violated", 4), ("two", "reachable", 4)]' \
  'all(t["waiting"] == [] and t["replays"] and t["problem"] is None and not t["text_changed"] for t in r["traces"])'
sed 's/"P\[1\] write"/"P[1] wrote"/' race.json >wrong.json
run 1 replay -p sum --json=replayed.json "$models/race.xml" wrong.json
says out 'sum: does not replay'
valid replayed.json '[t["replays"] for t in r["traces"]] == [False]' '"wrote" in r["traces"][0]["problem"]'
run 3 replay --json "$models/ring.xml" race.json
silent out
if [ -c /dev/full ]; then
  run 5 replay --json=/dev/full "$models/race.xml" race.json
  run 1 replay --json=/dev/full "$models/race.xml" wrong.json
fi

# to a file: the text is still printed; the file is complete or missing
run 0 --json=result.json "$models/ring.xml"
says out 'safe: holds'
valid result.json 'r["states"] == 6'
[ "$(ls | grep -c '^result')" -eq 1 ] || fail "files left over: $(ls)"
run 3 --json=nowhere/result.json "$models/ring.xml"
says err 'nowhere/result.json cannot be written'
run 0 --json=- "$models/ring.xml"
valid out 'r["states"] == 6'
run 0 --json=/dev/null "$models/ring.xml"
[ -c /dev/null ] || fail '/dev/null was replaced'
# an invalid model gives no object
run 3 --json "$models/ring.xml" -D M=1
silent out

cat >valid.py <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
failures = 0
for n in range(1, int(sys.argv[2]) + 1):
    text = open(f"case{n}.json").read()
    try:
        result, end = json.JSONDecoder().raw_decode(text)
        assert text[end:] == "\n", "more than one object"
        jsonschema.Draft7Validator(schema).validate(result)
        names = {"r": result, "p": {x["id"]: x for x in result.get("properties", [])}}
        for condition in open(f"case{n}.conditions").read().splitlines():
            assert eval(condition, names), condition
    except Exception as error:
        failures += 1
        print(f"object {n}: {type(error).__name__}: {str(error)[:800]}\n{text[:3000]}")
sys.exit(failures > 0)
END
[ $n -ge 10 ] || fail "only $n objects looked at"
python3 valid.py "$here/doc/result.schema.json" $n >why 2>&1 || fail "$(cat why)"
finish
