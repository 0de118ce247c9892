#!/bin/sh
# What the language has for convenience means what it would mean written by hand: of every model in tests/frontend/forms
# NAME.new.xml uses it, NAME.hand.xml does not, and both have one state space. So they have the same verdicts, depths and
# certificate, by the interpreter and by generated code, with keys of both kinds; and the certificates of different pairs differ.
set -u
floe=${FLOE:-./floe}
forms=${top_srcdir:-.}/tests/frontend/forms
passed=0
failed=0
all=""

explored() { # a model and options; an error's text has places and names of its own
  "$floe" check --continue --no-trace --certificate -q "$@" 2>&1 | sed 's/^\(errors: violated at depth [0-9]*\):.*/\1/'
}

for new in "$forms"/*.new.xml; do
  hand=${new%.new.xml}.hand.xml
  expected=$(explored "$hand" --engine=interpreter --encoding=fields)
  certificate=$(echo "$expected" | grep '^certificate: floe1')
  case "$all" in *"$certificate"*) certificate= ;; esac
  all="$all $certificate"
  for engine in interpreter cpu; do
    for encoding in fields rank; do
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
