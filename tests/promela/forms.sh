#!/bin/sh
# Promela: output in Spin's form (--format=spin), what printf prints, and trails that are refused.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >printed.pml <<'END'
mtype = { ask, grant };
mtype:fruit = { apple, pear };
hidden byte secret;
byte x = 65;
short a[2] = -1;
mtype:fruit f = pear;
active proctype main() {
  byte y = 2;
  secret = 3;
  printf("%d%% \"%c\" %x %u %o\t%e\n", a[1], x, a[y - 1], a[0], x, ask);
  printf("%e %e %d %d", f, apple, a[y], secret, y);
  printm(grant);
  x = x + y;
  assert(x == 65)
}
active proctype waits() { x == 1 }
END
run 1 check --continue printed.pml
says out '     prints "-1% \"A\" ffffffff 4294967295 101\task\n"'
says out '     prints "pear apple ? ?"'
says out '     prints "grant"'
run 1 simulate --seed=3 --steps=12 printed.pml
says out '     prints "grant"'

# in files, reports and replays; a replay compares the texts, if the file has them
run 1 check -q -p errors --trace=printed.json --report=printed.html --json=result.json printed.pml
says printed.json '"prints": "pear apple ? ?"'
says result.json '"prints": "pear apple ? ?"'
says printed.html '<span class="prints">prints <code>pear apple ? ?</code></span>'
run 0 replay printed.pml printed.json
says out '     prints "pear apple ? ?"'
sed 's/"pear apple/"plum apple/' printed.json >other.json
run 1 replay printed.pml other.json
says out 'prints: expected "plum apple ? ?", found "pear apple ? ?"'
sed 's/"prints": "pear[^,]*, //' printed.json >older.json
run 0 replay printed.pml older.json

run 1 check --continue --format=spin printed.pml
says out 'pan:1: invalid end state (at depth 5)'
says out 'pan:2: assertion violated (x == 65) (at depth 5)'
says out ', errors: 2'
says out '        7 states, stored'
says out '        0 states, matched'
says out '        7 transitions (= stored+matched)'
says out '  1:	proc  0 (main:1) printed.pml:9 (state 1)	[secret = 3]'
says out '      grant'
says out 'floe: printed.pml:14, Error: assertion violated'
says out '#processes: 2'
says out '		x = 67'
says out '  6:	proc  0 (main:1) printed.pml:15 (state 7) <valid end state>'
run 1 check --format=spin --output=result printed.pml
says result 'pan:1: assertion violated'
says out 'errors: violated'
run 1 check -q --format=spin printed.pml
! grep -q 'trace of' out || fail 'a trace with --quiet'

# depths count the parts of rendezvous and atomic sequences, and each d_step, as in pan
cat >depth.pml <<'END'
chan c = [0] of { byte };
byte x;
active proctype P() { x = 1; c!1; atomic { x = 2; x = 3; c!2 }; d_step { x = 4; x = 5 }; assert(x == 6); c!3 }
active proctype Q() { byte y; c?y; c?y }
END
run 1 check --continue --format=spin depth.pml
says out 'pan:1: invalid end state (at depth 9)'
says out 'pan:2: assertion violated (x == 6) (at depth 8)'
run 1 check -p errors --format=spin --no-trace depth.pml
says out 'pan:1: assertion violated (x == 6) (at depth 4)'
echo 'byte x; byte a[2]; active proctype P() { atomic { x = 1; x = 2 }; d_step { x = 3; a[x] = 1; skip } }' >depth.pml
run 1 check -p errors --format=spin depth.pml
says out '(at depth 2)'

# a d_step has one number, a rendezvous two; the repeated part begins at its mark
cat >loop.pml <<'END'
chan c = [0] of { byte };
byte x;
active proctype P() { byte y; do :: d_step { x == 0; x = 1 }; c!x :: c?y -> x = y od }
active proctype Q() { byte z; do :: c?z; x = 0 od }
ltl never_two { <> (x == 2) }
END
run 1 check --format=spin --spin-trail=loop.trail loop.pml
says out 'pan:1: acceptance cycle (at depth 3)'
says out 'never claim         	+ (never_two)'
says out '<<<<<START OF CYCLE>>>>>'
printf '%s\n' 1:0:2 2:0:3 3:1:10 -1:-1:-1 4:1:11 5:0:2 6:0:3 7:1:10 >expected
cmp -s loop.trail expected || fail "trail: $(cat loop.trail)"

# the last step of a claim, behind the end of the run, is no step of the model
cat >ended.pml <<'END'
byte x;
active proctype P() { x = 1; x == 0 }
never early { do :: x == 1 -> break :: true od }
END
run 1 check --property=early --format=spin --spin-trail=ended.trail ended.pml
says out 'trail ends after 1 steps'
printf '%s\n' 1:0:0 -1:-1:-1 >expected
cmp -s ended.trail expected || fail "trail: $(cat ended.trail)"

# a trace has Spin's numbers, but its place is no variable of the file
cat >observed.pml <<'END'
chan c = [1] of { byte };
trace { c!1; c?1; c!1 }
active proctype P() { byte x; c!1; c?x; c!2 }
END
run 1 check --property=errors --format=spin --spin-trail=observed.trail observed.pml
says out 'Error: the trace has no such event here'
! grep -q '_event =' out || fail 'the place of a trace is shown'
printf '%s\n' 1:0:4 2:0:5 3:0:6 >expected
cmp -s observed.trail expected || fail "trail: $(cat observed.trail)"

# depths of such errors as pan counts: the event, too; a rendezvous whose send fails has no receive
# depth_of_event SIZE PROCESS TRACE DEPTH
depth_of_event() {
  printf '%s\n' "chan c = [$1] of { byte };" 'byte x;' 'active proctype P() { x = 1; x = 2; c!2 }' "$2" "$3" >event.pml
  run 1 check --property=errors --format=spin event.pml
  says out "(at depth $4)"
}
receiver='active proctype Q() { c?2 }'
depth_of_event 1 '' 'trace { c!1; c?1 }' 3
depth_of_event 1 '' 'notrace { c!2 }' 3
depth_of_event 0 "$receiver" 'trace { c!1; c?1 }' 3
depth_of_event 0 "$receiver" 'trace { c?1 }' 4
depth_of_event 0 "$receiver" 'notrace { c!2; c?2 }' 4

# two moves for one event; the errors of a place have their own messages
cat >observed.pml <<'END'
chan c = [1] of { byte };
active proctype P() { c!1; c!2 }
trace { if :: c!1; c!1 :: c!_; c!2 fi }
END
run 1 check --property=errors observed.pml
says out 'errors: violated at depth 0: the trace has two moves for one event'

# the limit of instances
cat >many.pml <<'END'
proctype B() { false }
init { do :: run B() od }
END
run 1 check --property=errors -D most-instances=2 many.pml
says out 'more than 2 instances of B'

# refused
run 3 check --format=spin "$here/models/altbit.xml"
says err "--format=spin cannot be used with $here/models/altbit.xml: its language is not that of Spin"
run 3 check --spin-trail=t "$here/models/altbit.xml"
run 3 check --spin-trail=t --no-trace loop.pml
run 3 check --format=spin --expect loop.pml
echo 'active proctype P() { skip }' >good.pml
run 0 check --spin-trail=t good.pml
says err 'note: t not written: no property is violated'
refused() {
  rm -f t
  cat >refused.pml
  run 1 check --spin-trail=t -p errors "$@" refused.pml
  says err "t not written: Spin would not play it, because of $why"
  [ ! -e t ] || fail "a trail was written in spite of $why"
}
why='a loop over an array or a channel'
refused <<'END'
byte a[3];
active proctype P() { int i; for (i in a) { a[i] = 1 }; assert(false) }
END
why='P@label names the label of a jump'
refused <<'END'
active proctype P() { skip; here: goto there; there: skip }
active proctype Q() { P@here; assert(false) }
END
why='a rendezvous within d_step'
refused <<'END'
chan c = [0] of { bit };
active proctype P() { d_step { c?_ ; skip }; assert(false) }
active proctype Q() { c!1 }
END
why='-D that overrides a #define'
refused -DN=2 <<'END'
#define N 1
active proctype P() { assert(N == 3) }
END
refused -DBUG=1 <<'END'
#undef BUG
#ifdef BUG
active proctype P() { skip; assert(false) }
#else
active proctype P() { assert(false) }
#endif
END
rm -f t
cat >default.pml <<'END'
#ifndef N
#define N 1
#endif
active proctype P() { assert(N == 3) }
END
run 1 check -DN=2 --spin-trail=t -p errors default.pml
[ -s t ] || fail "no trail with a -D that overrides nothing: $(cat err)"
# the cause of an error is not always the assertion; control characters in texts are not shown
cat >cause.pml <<'END'
byte x;
active proctype P() { assert(1 / x > 0) }
END
run 1 check --format=spin -p errors cause.pml
says out 'Error: division by zero'
printf 'active proctype P() { printf("\033[2J"); assert(false) }\n' >control.pml
run 1 check --format=spin -p errors control.pml
says out '?[2J'
awk '/\033/ { bad = 1 } END { exit bad }' out || fail 'a control character in the output'
# The run ends before the automaton is in its cycle: steps that stay are no steps of Spin
printf 'byte g;\nactive proctype P() { g = 1; g = 2 }\nltl f { [] (_nr_pr == 0 -> <> (g == 1)) }\n' >stays.pml
run 1 check --engine=interpreter stays.pml
says out 'f: violated, by a run that stays in state 3'

finish
