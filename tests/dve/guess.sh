#!/bin/sh
# Guessed ranges of variables (doc/dve.md, "Variables"): a search that exceeds one starts again, single steps have no
# limit, and a defined limit is an error of the model.
. "${top_srcdir:-.}/tests/cmd/common.sh"

figures() { grep -E '^(states|transitions|depth|deadlocks):' out; }

cat >climb.dve <<'END'
int x, top = 40;
process P {
  byte round;
  state s, end;
  init s;
  assert s: x < 30;
  trans
    s -> s { guard x != top; effect x = x + 1; },
    s -> end { guard x == top; effect round = round - 1; };
}
system async;
END

# 15, then 255: 40 and the byte that wraps to 255 fit
for engine in interpreter cpu; do
  run 0 count --engine=$engine climb.dve
  says out 'model: climb, largest-value=255'
  says out 'states: 42'
  says out 'deadlocks: 1'
done
run 0 plan climb.dve
says out '..15'
run 1 check --continue --trace=trace.json climb.dve
says out 'assert:P.s violated at depth 30'
if grep -q largest-value trace.json; then
  fail 'a trace contains the guess'
fi
run 0 replay climb.dve trace.json
says out 'assert:P.s: replayed, violated at depth 30'
run 0 export climb.dve
says out 'des (0, 41, 42)'
run 1 simulate --steps=45 --seed=2 --trace=walk.json climb.dve
says out 'no further step is possible'
run 0 replay climb.dve walk.json
run 1 simulate --runs=3 --steps=60 --json climb.dve
says out '"largest-value": 32767'

# a limit of the user
run 1 check -D largest-value=15 climb.dve
says out 'errors violated at depth 15'
says out 'assignment of 16 to x outside'
run 1 simulate --steps=45 -D largest-value=15 climb.dve
says out 'assignment of 16 to x outside'
run 3 count -D largest-value=0 climb.dve
says err "the constant 'largest-value' is a number from 1 to 32767"
run 3 count -D largest-value=40000 climb.dve
says err "the constant 'largest-value' is a number from 1 to 32767"
run 0 count -D largest-value=255 climb.dve
says out 'states: 42'

# all values of a byte, and values at both ends of an int
cat >ends.dve <<'END'
byte b;
int i;
process P { state s; init s; trans s -> s { effect b = b + 1; }; }
process Q { state s; init s; trans s -> s { guard b == 0 and i % 7 != 5; effect i = i * 3 + 1000; }; }
system async;
END
run 0 count --engine=interpreter ends.dve
says out 'largest-value=32767'
guessed=$(figures)
run 0 count --engine=interpreter -D largest-value=32767 ends.dve
[ "$(figures)" = "$guessed" ] || fail "another count: $(cat out) $guessed"

# a value in a buffer, and a received one
cat >sent.dve <<'END'
channel {int} queue[2];
process S { int n; state s; init s; trans s -> s { guard n != 20; sync queue!n; effect n = n + 1; }; }
process R { int got; state s; init s; trans s -> s { sync queue?got; }; }
system async;
END
run 0 count sent.dve
says out 'largest-value=255'
guessed=$(figures)
run 0 count -D largest-value=32767 sent.dve
[ "$(figures)" = "$guessed" ] || fail "another count: $(cat out) $guessed"
run 1 check -D largest-value=15 sent.dve
says out 'of 16'

# An error of the model that comes first does not hide the guess.
cat >hidden.dve <<'END'
int x;
byte a[2], i = 1;
process P { state s; init s; trans s -> s { guard x != 20; effect x = x + 1; }; }
process Q { state s; init s; trans s -> s { effect a[i + 1] = 1; }; }
system async;
END
run 1 check --continue hidden.dve
says out 'largest-value=32767'
says out 'states: 21'
says out 'index 2 of a outside 0..1'

# a temporal property that needs larger values
cat >above.dve <<'END'
int x;
process P { state s; init s; trans s -> s { guard x != 20; effect x = x + 1; }; }
process never { state wait, over; init wait; accept over;
  trans wait -> wait {}, wait -> over { guard x == 20; }, over -> over {}; }
system async property never;
END
run 1 check --no-trace above.dve
says out 'never: violated'

# A resumed search starts again, and so does one whose checkpoint has a later guess.
cat >long.dve <<'END'
int x, y;
process P { state s; init s; trans s -> s { guard x != 300; effect x = x + 1; }; }
process Q { state s; init s; trans s -> s { guard y != 2; effect y = y + 1; }; }
system async;
END
run 0 count -q long.dve
says out 903
run 2 count --engine=interpreter --max-states=20 --checkpoint=early.fcp long.dve
run 0 resume --engine=interpreter --max-states=100000 early.fcp
says out 'states: 903'
says err 'starts again from the initial state, with largest-value=255'
run 2 count --engine=interpreter --max-states=400 --checkpoint=later.fcp long.dve
says out 'largest-value=255'
run 0 resume --engine=interpreter --max-states=100000 later.fcp
says out 'states: 903'
says out 'largest-value=32767'
run 2 count --engine=interpreter --max-states=20 -D largest-value=100 --checkpoint=limit.fcp long.dve
run 1 resume --engine=interpreter --max-states=100000 limit.fcp
says out 'assignment of 101 to x'
finish
