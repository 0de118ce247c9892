#!/bin/sh
# Bitwise operators: a model with all of them, and the same in arithmetic, on the interpreter and in compiled code with
# keys of both kinds; messages about failing shifts and divisions.
. "${top_srcdir:-.}/tests/cmd/common.sh"

for engine in --engine=interpreter '--engine=cpu --encoding=fields' '--engine=cpu --encoding=rank'; do
  for model in bits bits_by_hand; do
    # shellcheck disable=SC2086
    run 1 check --continue --certificate $engine "$models/$model.xml"
    grep '^certificate:' out >"$model"
    says out 'even: undecided'
    says out 'errors: violated at depth 2'
  done
  cmp -s bits bits_by_hand || fail "$engine: $(diff bits bits_by_hand)"
  grep -q 'transitions=[0-9]\{4\}' bits || fail "few transitions: $(cat bits)"
done

# expressions that always fail give a warning before the run, and an error when evaluated
cat >never.xml <<'XML'
<model name="never">
  <constant name="N" value="0"/>
  <variable name="x" range="0..2"/>
  <process name="P">
    <location name="a" initial="true"/>
    <transition from="a" guard="x lt 2" effect="x++"/>
    <transition from="a" guard="x == 2" effect="x = 1 SHIFT"/>
    <transition from="a" guard="N != 0 and x / N == 1"/>
  </process>
</model>
XML
for engine in interpreter cpu; do
  sed 's,SHIFT,/ N,' never.xml >division.xml
  run 1 check --engine=$engine division.xml
  says err 'division.xml:7:55: warning: division by zero: N'
  says out 'errors: violated at depth 2: division by zero: N is 0 (division.xml:7)'
  sed 's,SHIFT,% N,' never.xml >remainder.xml
  run 1 check --engine=$engine remainder.xml
  says out 'errors: violated at depth 2: division by zero: N is 0 (remainder.xml:7)'
  sed 's,SHIFT,shr (N - 1),' never.xml >shift.xml
  run 1 check --engine=$engine shift.xml
  says err 'shift.xml:7:55: warning: shift by (N - 1), which is outside 0..63'
  says out 'errors: violated at depth 2: shift by -1 outside 0..63: (N - 1) (shift.xml:7)'
  sed 's,SHIFT,shr 32 * x,' never.xml >shift.xml
  run 1 check --engine=$engine shift.xml
  says out 'errors: violated at depth 2: shift by 64 outside 0..63: 32 * x (shift.xml:7)'
  run 0 check --engine=$engine -D N=2 division.xml -p errors
done
finish
