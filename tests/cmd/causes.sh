#!/bin/sh
# Causes of errors if rounds of a loop or uses of a define share a place: the reported value is that of the failing one.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# name, declaration of a define or property, effect
model() {
  cat >"$1.xml" <<END
<model name="$1">
  <variable name="x" size="4" range="0..9" init="1, 0, 5, 3"/>
  <variable name="y" range="0..9"/>
  <variable name="z" values="0, 5..9, 77"/>
  <define name="at" parameters="i">x[x[i]]</define>
  <define name="shifted" parameters="i">9 shr (x[i] * 30)</define>
  <process name="P">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" effect="$2" label="step"/>
  </process>
  <property id="read" kind="reachable">at(3) + shifted(1) + y + z lt 0</property>
</model>
END
}
fails() {
  for engine in interpreter cpu; do
    run 1 check --engine=$engine "$1.xml"
    says out "errors: violated at depth 0: $2 ($1.xml:$3)"
    says out "  errors violated at depth 0: $2 ($1.xml:$3)"
  done
}
model assigned 'for i in 0..3: x[i] = x[i] + 5'
fails assigned 'assignment of 10 to x outside 0..9 with i = 2' 10
model nested 'for i in 1..2: for j in 0..1: if (j == 1) y = 7 + x[i] / 5 * 4'
fails nested 'assignment of 11 to y outside 0..9 with i = 2, j = 1' 10
model index 'for i in 0..3: y = x[x[i]]; x[0] = 0'
fails index 'index 5 of x outside 0..3 with i = 2' 10
model set 'for i in 0..2: z = x[i] * (i + 5) % 8; x[0] = 0'
fails set 'assignment of 3 to z outside 0, 5..9, 77 with i = 2' 10
model used 'x[0] = 2; y = at(1) % 2 + at(2) % 2'
fails used 'index 5 of x outside 0..3' 5
model twice 'x[0] = 1; y = shifted(0) % 2 + shifted(3) % 2'
fails twice 'shift by 90 outside 0..63: (x[i] * 30)' 6
model asserted 'for i in 0..3: assert(x[i] lt 5); x[0] = 0'
fails asserted 'assertion fails: x[i] lt 5 with i = 2' 10
# in a property
model property 'x[0] = 3'
sed -i 's|at(3) .* lt 0|at(0) + at(2) + shifted(1) + y + z lt 0|' property.xml
fails property 'index 5 of x outside 0..3' 5

# every value of a set that is searched by comparisons, and no other: 16 of z, 13 of t
cat >sets.xml <<'EOF'
<model name="sets">
  <variable name="w" range="0..1"/>
  <variable name="z" values="0, 5..9, 77, 2000..2005, 4001, 9000..9001"/>
  <variable name="t" values="1..3, 5, 77, 2000..2005, 4001, 9000" init="1"/>
  <process name="P">
    <location name="a" initial="true"/>
    <location name="b"/>
    <location name="c"/>
    <transition from="a" to="b" select="v in -20..9100" effect="z = v + w"/>
    <transition from="b" to="c" select="v in -20..9100" effect="t = v - w"/>
  </process>
</model>
EOF
for engine in interpreter cpu; do
  run 1 check --engine=$engine --continue sets.xml
  says out 'states: 225'
  says out 'errors: violated at depth 0: assignment of -20 to z outside 0, 5..9, 77, 2000..2005, 4001, 9000..9001'
done
finish
