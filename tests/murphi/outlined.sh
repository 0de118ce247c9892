#!/bin/sh
# Generated code in which repeated parts are functions: FLOE_OUTLINE=0 makes it so for small models.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
FLOE_OUTLINE=0
export FLOE_OUTLINE
check_cases '--' 2 "$here/tests/murphi/cases/parts.m" "$here/tests/murphi/cases/copies.m"
# shellcheck disable=SC2034 # cases.sh reads it
case_options=--symmetry=on
check_cases '--' 6 "$here"/tests/murphi/symmetric/cases/*.m

# Choices of more than 32 bits are parameters of 64.
sed 's/^ *//' >selects.xml <<'END'
<model name="selects"><variable name="x" range="0..9"/><variable name="y" range="0..9"/><process name="P"><location name="l" initial="true"/>
<transition from="l" select="i in 5000000000..5000000003" effect="x = (i - 4999999999) % 5; y = (x + i % 7) % 8; x = (y + i % 3) % 10"/>
<transition from="l" select="i in 6000000000..6000000003" effect="x = (i - 5999999999) % 5; y = (x + i % 7) % 8; x = (y + i % 3) % 10"/>
<transition from="l" select="i in 7000000000..7000000003" effect="x = (i - 6999999999) % 5; y = (x + i % 7) % 8; x = (y + i % 3) % 10"/>
</process></model>
END
"$floe" plan --dump-code selects.xml >code || fail 'plan --dump-code'
grep -q 'floe_part_0(.*const int64_t p' code || fail "no function with a choice of 64 bits: $(cat code)"
for engine in interpreter cpu; do
  "$floe" count --engine=$engine --certificate --quiet selects.xml | sed 's/time.*//' >$engine.count || fail "selects.xml: $engine"
done
cmp -s interpreter.count cpu.count || fail "choices of 64 bits: $(cat interpreter.count cpu.count)"

# Functions have numbers, variables by address, local variables, errors and other functions.
"$floe" plan --dump-code "$here/tests/murphi/cases/parts.m" >code || fail 'plan --dump-code'
for text in 'FLOE_DEVICE_SPLIT void floe_part_' 'FLOE_DEVICE_SPLIT uint32_t floe_part_' 'floe_state \*const t' 'int32_t \*const p' \
  'int32_t l[0-9]* = 0;' '(\*p[0-9]*)' '(p[0-9]* + 1)' 'return p[0-9]* + ' \
  'FLOE_FAIL_PROPERTY([0-9]*, failed_ - 1)' 'FLOE_FAIL([^;]*failed_ - 1)'; do
  grep -q -- "$text" code || fail "the code lacks $text: $(cat code)"
done
unset FLOE_OUTLINE
"$floe" plan --dump-code "$here/tests/murphi/cases/parts.m" >code || fail 'plan --dump-code'
grep -q floe_part_ code && fail 'a small model has functions of parts'

# Only what changes is stored.
"$floe" plan --dump-code "$here/tests/murphi/cases/copies.m" >code || fail 'plan --dump-code'
for rule in 'one field 1' 'changed meanwhile 3' 'some element 3' 'nothing 0'; do
  stores=$(awk -v from=": ${rule% *}," '/^  \/\* [0-9]+: / { on = index($0, from) } on && /set_/ { n++ } END { print n + 0 }' code)
  [ "$stores" = "${rule##* }" ] || fail "$rule: $stores stores: $(cat code)"
done
finish
