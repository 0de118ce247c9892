#!/bin/sh
# Promela: --reduce=merge and --reduce=dead. Verdicts are those of the search without them; small models have the numbers
# of states that follow from the definitions, and each trap has a model whose verdict a wrong reduction changes.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# states FILE NONE DEAD MERGE BOTH: states of the model with each reduction; verdicts and exit codes are the same
states() {
  file=$1
  shift
  "$floe" check --engine=interpreter --continue "$file" >plain 2>err
  code=$?
  [ $code -le 1 ] || fail "$file: exit code $code; $(cat err)"
  sed -n 's/^\([a-z_0-9]*: [a-z]*\)[,].*/\1/p; s/^\([a-z_0-9]*: \(holds\|violated\|undecided\)\).*/\1/p' plain | sort -u >verdicts
  for reduction in none dead merge merge,dead; do
    run $code check --engine=interpreter --continue --reduce=$reduction "$file"
    [ "$(sed -n 's/^states: //p' out)" = "$1" ] || fail "$file, $reduction: $(grep '^states' out), not $1"
    sed -n 's/^\([a-z_0-9]*: [a-z]*\)[,].*/\1/p; s/^\([a-z_0-9]*: \(holds\|violated\|undecided\)\).*/\1/p' out | sort -u |
      cmp -s - verdicts || fail "$file, $reduction: $(cat out) instead of $(cat verdicts)"
    shift
  done
}

# The model of doc/promela.md. x is dead behind `g = x`; x = x * 2 and x = 7 change nothing that others notice.
cat >one.pml <<'END'
byte g;
active proctype P() {
  byte x;
  x = g + 1;
  x = x * 2;
  g = x;
  x = 7
}
END
states one.pml 6 6 4 4
says out 'reduction: merge (2 transitions merged into those before); dead (2 transitions reset 1 local variable); states, transitions, depth'
sed 's/^active/active [2]/' one.pml >two.pml
states two.pml 52 48 19 19

# Traces are runs of the model as read: all statements, values that are not reset, and what printf prints
cat >trace.pml <<'END'
byte g;
active proctype P() {
  byte x, y;
  x = 3;
  y = x + 1;
  g = y;
  printf("x is %d\n", x);
  x = 5;
  y = 6;
  assert(g == 0)
}
END
run 1 check --engine=interpreter --trace=trace.json trace.pml
mv out plain
for reduction in dead merge merge,dead; do
  run 1 check --engine=interpreter --reduce=$reduction --trace=trace.json trace.pml
  for text in 'errors: violated at depth 6' 'assertion fails: g == 0 (trace.pml:10)' 'x is 3' 'P.x 0 -> 3' 'P.x 3 -> 5' 'P.y 4 -> 6'; do
    says out "$text"
  done
  [ "$(grep -c '^ *[0-9]*\. ' out)" = "$(grep -c '^ *[0-9]*\. ' plain)" ] || fail "another trace: $(cat out)"
  run 0 replay trace.pml trace.json
done
run 1 check --engine=interpreter --reduce=merge,dead --format=spin --spin-trail=trail trace.pml
says out 'assertion violated (g == 0) (at depth 6)'
[ "$(wc -l <trail)" = 7 ] || fail "trail: $(cat trail)"
run 1 check --engine=interpreter --reduce=merge,dead --json trace.pml
for text in '"reduced": true' '"merged_transitions": 4' '"reset_transitions": 6' '"reset_variables": 2'; do says out "$text"; done
run 1 check --engine=interpreter --json trace.pml
! grep -q '"reduced"\|_transitions"' out || fail "reduced without --reduce"

# The values of a dead variable at both ends of a cycle differ
cat >cycle.pml <<'END'
byte g;
active proctype P() {
  byte x = 2, y;
  y = x;
  do
  :: g = 1 - g; x = 5 - g; y = x; x = 5
  od
}
ltl f { <> [] (g == 1) }
END
states cycle.pml 12 9 7 5
run 1 check --engine=interpreter --reduce=merge,dead --property=f --trace=cycle.json cycle.pml
run 0 replay cycle.pml cycle.json

# Others notice: a remote variable, a label, an accept label; next counts steps
cat >seen.pml <<'END'
byte g;
active proctype P() {
  byte x, y;
  x = g;
  x = 1;
here: x = 2;
  y = 1;
accept: skip;
  x = 0;
  g = 1
}
ltl a { <> (P:x == 1) }
ltl b { [] !P@here }
ltl c { [] (g == 0 -> X (g == 0)) }
END
run 1 check --engine=interpreter --continue --reduce=merge,dead --property=a --property=b seen.pml
says out 'a: holds'
says out 'b: violated'
says out 'states: 7'
run 1 check --engine=interpreter --continue --reduce=merge --property=b seen.pml
says out 'states: 6'
run 1 check --engine=interpreter --continue --reduce=merge --property=c seen.pml
says err 'no transitions are merged: `c` has `next`'
says out 'c: violated'
printf 'byte g;\nactive proctype P() { byte x; x = 1; x = 2; g = 1 }\nnever { do :: g == 0 :: g == 1 -> break od }\n' >claim.pml
run 1 check --engine=interpreter --continue --reduce=merge,dead claim.pml
says err 'no transitions are merged: `never_0` is an automaton, which may count steps'

# A step beside others
echo 'byte g; active proctype P() { byte x; g = 1; if :: x = 1 :: x = 2 fi; assert(x == 2) }' >choice.pml
states choice.pml 7 6 7 6

# Another process tests the location of the step, or the one behind it
cat >watch.pml <<'END'
byte g;
active proctype P() { byte x; g = 1; x = 1; here: x = 2; g = 2 }
active proctype Q() { (P@here) -> assert(false) }
END
states watch.pml 15 15 15 15
sed 's/(P@here)/(g == 1 \&\& !P@here)/' watch.pml >before.pml
states before.pml 18 18 18 18

# A rendezvous hands control to R, which is inside of an atomic sequence: S cannot continue, so e!1 is not possible there
cat >hand.pml <<'END'
chan c = [0] of { bit }, e = [0] of { bit };
bit bad, g;
active proctype S() { byte x; c!1; x = x + 1; do :: e?_ od }
active proctype R() {
  atomic { c?_; if :: e!1 -> bad = 1 :: g = 1 fi };
end: do :: assert(bad == 0); e!1 od
}
END
states hand.pml 5 5 5 5

# Without fairness only: R waits for S at one location, where S is again and again
cat >fair.pml <<'END'
chan c = [0] of { bit };
byte g;
active proctype S() { byte x; do :: g = 1 - g; x = 1; x = 0 :: c?_ -> break od }
active proctype R() { c!1 }
ltl f { <> (len(c) == 0 && _nr_pr == 0) }
END
run 3 check --engine=interpreter --reduce=merge --fair=weak fair.pml
says err 'error: --reduce=merge cannot be combined with --fair'
says err 'use --reduce=dead'

# Resets keep fairness: f needs it, h is violated by a fair cycle, k by one that is fair if R need not wait
cat >resets.pml <<'END'
byte g;
bit done;
active proctype S() { byte x; do :: x = g; g = 1 - x; x = 7 - g; skip od }
active proctype R() { byte y; y = g + 1; y = y * 2; done = 1; y = g + 3; g == 1; done = 0 }
ltl f { <> done }
ltl h { <> [] (g == 1) }
ltl k { [] (done -> <> !done) }
END
states resets.pml 117 72 76 42
for fair in weak strong; do
  for reduction in none dead; do
    run 1 check --engine=interpreter --continue --reduce=$reduction --fair=$fair --trace=fair.json resets.pml
    says out "f: holds (fairness: $fair)"
    says out 'h: violated, by a run'
    says out "k: $(case $fair in weak) echo violated ;; *) echo holds ;; esac)"
    [ $reduction = none ] || says out 'states: 72'
    run 0 replay resets.pml fair.json
  done
done

# Timeout, processes that end and begin again, endless merged steps, arrays, labels of ends
cat >timeout.pml <<'END'
byte g, t;
active [2] proctype P() { byte x; do :: g < 2 -> x = g; x++; x = x + 0; g = x :: timeout -> t++; break od }
active proctype W() { byte y; do :: y < 1 -> y++; y = y + 0; skip :: else -> break od }
END
states timeout.pml 1116 734 327 156
cat >runs.pml <<'END'
byte g;
proctype Q(byte a) { byte b; b = a + 1; b = b * 2; g = b; b = 7; a = 9 }
init { byte i; do :: i < 3 -> run Q(i); (_nr_pr == 1); i++ :: else -> break od; assert(g == 6) }
ltl l { [] (g != 4) }
END
states runs.pml 34 34 19 19
cat >endless.pml <<'END'
byte g;
active proctype P() { byte x; do :: skip; x = 1; x = 0 od }
active proctype Q() { byte a[2], i; a[0] = 1; a[1] = 2; i = 1; g = a[i]; i = 0; a[0] = 3; end: (g == 3); assert(false) }
ltl f { <> (g == 2) }
END
states endless.pml 21 21 3 3

# What cannot be combined, and models without processes
for option in --expect --why-never --checkpoint=file --visited-order=file --sweep=N=1,2; do
  run 3 check --reduce=dead $option one.pml
  says err 'error: --reduce=dead cannot be combined with'
done
run 3 check --reduce=auto one.pml
says err 'only Petri nets can be reduced'
says err 'use --reduce=merge,dead'
run 0 check --engine=interpreter --deadlock=off --reduce=merge,dead "$here/models/peterson.xml"
printf '<model name="n"><variable name="x" range="0..3"/><process name="P"><variable name="y" range="0..3"/><location name="a" initial="true"/><location name="b"/><location name="c"/><transition from="a" to="b" effect="y = x"/><transition from="b" to="c" effect="y = 2"/><transition from="c" to="a" guard="y == 2" effect="x = 1"/></process></model>' >small.xml
states small.xml 6 6 4 4

# With P at m, `not P.m` is false, but the division before it fails: m is observed.
cat >earlier.dve <<'END'
byte g = 1;
process P { byte x; state a, m, s, z, e; init a;
 trans a -> m { effect g = 0; }, m -> s { effect x = 1; }, s -> z { effect g = 2; }, z -> e { effect g = 1; }; }
process Q { state a, b; init a; trans a -> b { guard (P.s or 2 / g >= 1) and not P.m; }; }
system async;
END
states earlier.dve 10 10 10 10
cat >sender.xml <<'END'
<model name="n"><variable name="g" range="0..3" init="1"/><channel name="c" message="0..3"/>
<process name="P"><variable name="x" range="0..3"/><location name="a" initial="true"/><location name="m"/><location name="s"/>
<location name="z"/><location name="e"/><transition from="a" to="m" effect="g = 0"/><transition from="m" to="s" effect="x = 1"/>
<transition from="s" to="z" effect="g = 2"/><transition from="z" to="e" effect="g = 1"/></process>
<process name="Q"><location name="a" initial="true"/><location name="b"/>
<transition from="a" to="b" send="c(1)" guard="P.s or 2 / g ge 1"/></process>
<process name="R"><variable name="v" range="0..3"/><location name="a" initial="true"/><location name="b"/>
<transition from="a" to="b" receive="c(v)" guard="not P.m"/></process></model>
END
states sender.xml 10 10 10 10
[ "$("$floe" check --engine=interpreter --reduce=merge sender.xml 2>&1 | grep -c "'x' is never read")" = 1 ] ||
  fail 'a warning is not printed once'

if command -v python3 >/dev/null; then
  few=6
  [ "${FLOE_TEST_LONG:-0}" = 0 ] || few=300
  PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/promela/random/reduced.py" "$floe" "${PROMELA_FIRST:-1}" "${PROMELA_PROGRAMS:-$few}" . 2>&1 ||
    fail "programs differ: $(cat ./reduced-*.pml)"
fi
finish
