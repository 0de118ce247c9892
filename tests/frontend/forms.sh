#!/bin/sh
# Convenience forms of the language equal their expansions: of each model in tests/frontend/forms, NAME.new.xml uses the form,
# NAME.hand.xml its expansion, and both have the same state space: the same verdicts, depths and certificate, by the interpreter
# and by generated code, with keys of both kinds. The certificates of different pairs differ.
set -u
floe=${FLOE:-./floe}
forms=${top_srcdir:-.}/tests/frontend/forms
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}} # else only the encoding that the expansions do not have, and code without optimization
[ -n "$long" ] || export FLOE_CC='cc -O0'
passed=0
failed=0
all=""

explored() { # a model and options; texts of errors contain places and names, which differ
  "$floe" check --continue --no-trace --certificate -q "$@" 2>&1 | sed 's/^\(errors: violated at depth [0-9]*\):.*/\1/'
}

for new in "$forms"/*.new.xml; do
  hand=${new%.new.xml}.hand.xml
  expected=$(explored "$hand" --engine=interpreter --encoding=fields)
  certificate=$(echo "$expected" | grep '^certificate: floe1')
  case "$all" in *"$certificate"*) certificate= ;; esac
  all="$all $certificate"
  for engine in interpreter cpu; do
    for encoding in ${long:+fields} rank; do
      output=$(explored "$new" --engine=$engine --encoding=$encoding)
      if [ -n "$certificate" ] && [ "$output" = "$expected" ]; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
        printf '%s by %s, %s:\n%s\nby hand:\n%s\n' "$new" "$engine" "$encoding" "$output" "$expected"
      fi
    done
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
