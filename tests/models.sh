#!/bin/sh
# Every model in models/ and models/protocols/: its expected results for cases of up to FLOE_TEST_STATES states, with the
# interpreter, to avoid compilation; and its default constants with compiled code and a hash table, which must be satisfied.
# (Compiled code and interpreter are compared in tests/step.) A model without expected results, or with a warning, fails.
set -u
floe=${FLOE:-./floe}
models=${top_srcdir:-.}/models
states=${FLOE_TEST_STATES:-}
states=${states:-$([ -n "${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}" ] && echo 70000 || echo 4000)}
passed=0
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
  output=$("$floe" check --quiet --table=iceberg --max-states=2000000 "$model" 2>&1)
  judge "$model" $? "$output"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
