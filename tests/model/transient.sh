#!/bin/sh
# Models with transient states: traces show all firings and are replayed; what such models do not support is refused.
toys=$(cd "${top_builddir:-.}" && pwd)/tests/model/floe_toys
. "${top_srcdir:-.}/tests/cmd/common.sh"
floe=$toys
[ -x "$floe" ] || skip 'there is no tests/model/floe_toys'

model() {
  printf 'processes\ntransient\nvalue x 0 3\nvalue y 0 2\n' >m.processes
  cat >>m.processes
}

# A failing firing within a sequence; the step before it is one of the model. All firings are shown.
model <<'EOF'
process P 1 a b c d
P a b set x 3
P b c hold
P c d set y x
EOF
run 1 check --trace=t.json m.processes
says out 'errors violated at depth 1: assignment of 3 to y outside 0..2'
says out '  2. P[0] b -> c'
grep -q 'P\[0\] c -> d.*: fails' out || fail "the failing firing is not shown: $(cat out)"
run 0 replay m.processes t.json

# A property in the second state, which is found after three firings; a run may end within a sequence.
model <<'EOF'
process P 1 a b c d
P a b hold
P b c for 1 2 set x i hold
P c d if x 2 set y 1
never y 1
EOF
run 1 check --trace=t.json m.processes
says out 'y == 1 violated at depth 1'
says out '  3. P[0] c -> d'
run 0 replay m.processes t.json
run 0 simulate --steps=2 m.processes
run 3 check --encoding=rank m.processes
says err 'atomic sequences'
run 3 convert --to=xml m.processes
says err 'a model with atomic sequences cannot be written'

# Temporal properties: runs through sequences, weak fairness of a process that they disable, blocked sequences.
model <<'EOF'
process P 1 a b
process Q 1 q r
P a b hold
P b a hold first
P b b if x 3
Q q r set x 3
repeated x 3
EOF
sed 's/^P b a hold first/P b a/' m.processes >w.processes
run 1 check --trace=t.json w.processes
says out 'x == 3: violated'
run 0 replay w.processes t.json
run 0 check --fair='weak Q' w.processes
says out 'x == 3: holds'

# selects where the first firing counts
model <<'EOF'
process P 1 a b c
P a b hold first
P b c for 1 2 set x i
repeated x 1
EOF
run 3 check m.processes
says err 'selects in deterministic sequences'
finish
