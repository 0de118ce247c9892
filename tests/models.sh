#!/bin/sh
# Every model in models/ and models/protocols/: its expected results for cases of up to FLOE_TEST_STATES states, with the
# interpreter, to avoid compilation; and its default constants with compiled code and a hash table, which must be satisfied: of
# a third of the models, at length of all.
# (Compiled code and interpreter are compared in tests/step.) A model without expected results, or with a warning, fails.
set -u
floe=${FLOE:-./floe}
models=${top_srcdir:-.}/models
states=${FLOE_TEST_STATES:-}
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}
states=${states:-$([ -n "$long" ] && echo 70000 || echo 4000)}
passed=0
turn=0
failed=0

judge() { # $1: model, $2: exit code, $3: output
  if [ "$2" -eq 0 ] && ! printf '%s\n' "$3" | grep -q 'warning:'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: exit code %s\n%s\n' "$1" "$2" "$3"
  fi
}

for model in "$models"/*.xml "$models"/protocols/*.xml; do
  output=$("$floe" check --expect --engine=interpreter --max-states="$states" "$model" 2>&1)
  judge "$model --expect" $? "$output"
  cases=$(printf '%s\n' "$output" | grep -c ': ok ')
  passed=$((passed + cases))
  turn=$(((turn + 1) % 3))
  [ $turn -eq 0 ] || [ -n "$long" ] || continue
  output=$("$floe" check --quiet --table=iceberg --max-states=2000000 "$model" 2>&1)
  judge "$model" $? "$output"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
