#!/bin/sh
# bench/encoding/pad: twins have the requested number of words and the counts of their models, and shadows follow their
# variables. bench/encoding/multiword.sh detects wrong twins.
. "${top_srcdir:-.}/tests/cmd/common.sh"
python3 -c '' 2>/dev/null || skip 'no python3'
PYTHONDONTWRITEBYTECODE=1 FLOE=$floe
export PYTHONDONTWRITEBYTECODE FLOE
tools=$here/bench/encoding

# always FILE EXPRESSION [OPTION]: an invariant of the twin; with --expect its counts are also those of the model
always() {
  sed "s|</model>|<property id=\"p\" kind=\"invariant\">$2</property></model>|" "$1" >with.xml
  run 0 check --engine=interpreter --quiet ${3:-} with.xml
}

# within NAME LEAST MOST: bits of a state, by the plan in NAME.plan
within() {
  bits=$(sed 's/ .*//' "$1.plan")
  { [ -n "$bits" ] && [ "$bits" -ge "$2" ] && [ "$bits" -le "$3" ]; } || fail "$1 has $bits bits, not $2 to $3"
}

CASES='counters N=4 K=10
bakery N=3 MAX=2
peterson N=4' WORDS='2 4' "$tools/multiword.sh" prepare twins >out 2>&1 || fail "multiword.sh prepare: $(cat out)"
for model in 1 2 3; do
  within twins/$model.0 1 64
  within twins/$model.2 65 128
  within twins/$model.4 193 256
done
j='(P[i].pad0_j == P[k].pad0_j) == (P[i].j == P[k].j)'
ticket='(P[i].pad0_ticket == P[k].pad0_ticket) == (P[i].ticket == P[k].ticket)'
for words in 2 4; do
  always twins/1.$words.xml 'all(i in Counter : Counter[i].pad0_n == pad_table0[Counter[i].n])' --expect
  grep -q '<expect[^>]* states="10000"' with.xml || fail 'the expected number of states is lost'
  always twins/2.$words.xml "all(i in P : all(k in P : ($j) and ($ticket)))" --expect
  always twins/3.$words.xml 'all(i in P : P[i].pad0_level == pad_table0[P[i].level])' --expect
done
always twins/3.2.xml 'all(i in 0..N-1 : all(k in 0..LEVELS-1 : (pad0_last[k] == pad_table0[i]) == (last[k] == i)))'

# multiword.sh prints equal counts, and fails if they differ
check_twins() { # $1: expected exit code
  ENGINE=interpreter ROUNDS=1 "$tools/multiword.sh" run twins >out 2>err
  code=$?
  [ $code -eq "$1" ] || fail "multiword.sh run: exit code $code instead of $1: $(cat out err)"
}
echo 'peterson N=4' >twins/cases
for words in 0 2 4; do mv twins/3.$words.xml twins/1.$words.xml && mv twins/3.$words.plan twins/1.$words.plan; done
check_twins 0
silent err
[ "$(grep -c '^| peterson N=4 | 4752 | [124] | [1-9]' out)" = 3 ] || fail "multiword.sh run: $(cat out)"
LEAST='2:0.1 4:100000' check_twins 1
cp twins/2.2.xml twins/1.2.xml
check_twins 1
says out 'counts differ'

# Arrays, values below 0, initial values by instance, received values, effects in a place of their own
cat >small.xml <<'END'
<model name="small">
  <constant name="LOW" value="-2"/>
  <constant name="SIZE"/>
  <variable name="a" range="LOW..2" size="SIZE" init="1, -2, 0"/>
  <variable name="flag" type="bool"/>
  <channel name="c" message="0..3, LOW..2"/>
  <process name="S" instances="2">
    <variable name="x" range="5..9" init="6 + self"/>
    <location name="l" initial="true"/>
    <transition from="l" send="c(x - 5, self)"><effect>assert(x lt 10); x = x == 8 ? 5 : x + 1; flag = not flag; x = min(9, x)</effect></transition>
    <transition from="l" select="i in 0..SIZE-1" guard="a[i] lt 2" effect="a[i]++; a[(i + 1) % SIZE] = a[i] - 1;"/>
  </process>
  <process name="R">
    <variable name="got" range="0..3" init="3"/>
    <location name="l" initial="true"/>
    <transition from="l" receive="c(got, a[0])" effect="a[2] = a[0]"/>
    <transition from="l" receive="c(_, a[1])"/>
  </process>
</model>
END
"$tools/pad" 0 small.xml SIZE=3 >own.xml 2>err || fail "pad 0: $(cat err)"
run 0 count --engine=interpreter --quiet own.xml
cp out own
"$tools/pad" 2 small.xml SIZE=3 >twin.xml 2>err || fail "pad 2: $(cat err)"
"$floe" plan twin.xml 2>err | sed -n 's/^bits per state: \([0-9]*\) in.*/\1/p' >twin.plan
within twin 65 128
! grep -q 'pad0_flag' twin.xml || fail 'a variable of two values has a shadow'
run 0 count --engine=interpreter --quiet twin.xml
cmp -s out own || fail "the twin has $(cat out) states, not $(cat own)"
always twin.xml 'all(i in S : all(k in S : (S[i].x == S[k].x) == (S[i].pad0_x == S[k].pad0_x)))'
always twin.xml 'all(i in 0..2 : all(k in 0..2 : (a[i] == a[k]) == (pad0_a[i] == pad0_a[k])))'
always twin.xml 'R.got == 0 and R.pad0_got == pad_table1[0] or R.got > 0 and R.pad0_got == pad_table1[R.got]'

# One word: as full as possible
"$tools/pad" 1 "$here/models/counters.xml" N=4 K=10 >twin.xml 2>err || fail "pad 1: $(cat err)"
"$floe" plan twin.xml >out 2>err
says out 'bits per state: 64 in 1 word'
! "$tools/pad" 1 "$here/models/counters.xml" N=16 K=10 >out 2>err || fail 'pads a model of 64 bits in one word'
says err 'no twin of 1 words'

# Refused
sed 's/a\[i\]++/a[a[0] + 2]++/' small.xml >refused.xml
! "$tools/pad" 2 refused.xml SIZE=3 >out 2>err || fail 'takes an index that reads the array'
says err 'its index reads the array'
"$tools/pad" 2 small.xml >out 2>err && fail 'takes a constant without a value'
says err 'SIZE has no value'
finish
