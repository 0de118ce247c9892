#!/bin/sh
# Every model in models/, including broken variants: check --trace writes files valid by the schema, and floe replay confirms
# them. The cases are the expected results in the models, up to FLOE_TEST_TRACE_STATES states.
. "${top_srcdir:-.}/tests/cmd/common.sh"
most=${FLOE_TEST_TRACE_STATES:-1000}
cases=3 # of each model, 5 with FLOE_TEST_LONG=1
[ -z "${FLOE_TEST_LONG:-}" ] || cases=5

# the constants of a model's cases that are small enough, a line per case
small_cases() {
  tr '\n' ' ' <"$1" | grep -o '<expect [^>]*>' | awk -v most="$most" '
    match($0, /states="[0-9]*"/) {
      states = substr($0, RSTART + 8, RLENGTH - 9) + 0
      constants = ""
      if (match($0, /constants="[^"]*"/)) constants = substr($0, RSTART + 11, RLENGTH - 12)
      if (states <= most) print constants "," }' | tr -d ' '
}

traces=0
violations=0
models_done=0
for model in "$here"/models/*.xml "$models"/race.xml "$models"/ring.xml "$models"/stuck.xml "$models"/overflow.xml "$models"/failing.xml; do
  name=$(basename "$model" .xml)
  { small_cases "$model"; [ "${model#"$models"}" = "$model" ] || echo ,; } | sort -u | head -n "$cases" >cases
  while read -r constants; do
    definitions=$(echo "$constants" | tr ',' '\n' | sed -n 's/^\(.*=.*\)$/-D \1/p')
    "$floe" check -q --engine=interpreter --continue --trace=trace.json $definitions "$model" >out 2>err
    [ $? -le 1 ] || fail "$name $constants: $(cat err)"
    # nothing found: no trace to replay
    grep -q '"traces": \[\]' trace.json && continue
    cp trace.json "$name-$traces.json"
    "$floe" replay "$model" trace.json >out 2>err || fail "$name $constants: $(cat out err)"
    n=$(grep -c ': replayed' out)
    [ "$n" -eq "$(grep -c '"property":' trace.json)" ] || fail "$name $constants: $(cat out)"
    traces=$((traces + n))
    violations=$((violations + $(grep -c 'violated' out)))
  done <cases
  models_done=$((models_done + 1))
done
echo "$traces traces of $models_done models replayed, $violations of violations"
[ "$traces" -ge 60 ] && [ "$violations" -ge 25 ] || fail "only $traces traces, $violations violations"

if python3 -c 'import jsonschema' 2>/dev/null; then
  cat >valid.py <<'END'
import glob, json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for name in glob.glob("*-*.json"):
    document = json.load(open(name))
    validator.validate(document)
    for trace in document["traces"]:  # every change starts from what was there before
        state = dict(trace["initial"])
        for step in trace["steps"]:
            for variable, (before, after) in step["changes"].items():
                assert state[variable] == before and before != after, (name, step)
                state[variable] = after
END
  python3 valid.py "$here/doc/trace.schema.json" >why 2>&1 || fail "$(cat why)"
else
  echo 'not validated: python3 has no module jsonschema (Debian: python3-jsonschema)'
fi
finish
