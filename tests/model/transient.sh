#!/bin/sh
# Models with transient states: traces show all firings and are replayed; what such models do not support is refused.
floe=${top_builddir:-.}/tests/model/floe_toys
[ -x "$floe" ] || { echo "there is no tests/model/floe_toys"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

ok() {
  if eval "$2"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $1"
    cat "$dir/out"
  fi
}

model() {
  printf 'processes\ntransient\nvalue x 0 3\nvalue y 0 2\n' > "$dir/m.processes"
  cat >> "$dir/m.processes"
}

# A failing firing within a sequence; the step before it is one of the model.
model << 'EOF'
process P 1 a b c d
P a b set x 3
P b c hold
P c d set y x
EOF
"$floe" check --trace="$dir/t.json" "$dir/m.processes" > "$dir/out" 2>&1
ok 'the failing firing is shown' 'grep -q "errors violated at depth 1: assignment of 3 to y outside 0..2" "$dir/out"'
ok 'so are the others' 'grep -q "  2. P\[0\] b -> c" "$dir/out" && grep -q "P\[0\] c -> d.*: fails" "$dir/out"'
ok 'the trace is replayed' '"$floe" replay "$dir/m.processes" "$dir/t.json" > "$dir/out" 2>&1'

# A property in the second state, which is found after three firings.
model << 'EOF'
process P 1 a b c d
P a b hold
P b c for 1 2 set x i hold
P c d if x 2 set y 1
never y 1
EOF
"$floe" check --trace="$dir/t.json" "$dir/m.processes" > "$dir/out" 2>&1
ok 'three firings are one step' 'grep -q "y == 1 violated at depth 1" "$dir/out" && grep -q "  3. P\[0\] c -> d" "$dir/out"'
ok 'they are replayed' '"$floe" replay "$dir/m.processes" "$dir/t.json" > "$dir/out" 2>&1'
ok 'a run may end within a sequence' '"$floe" simulate --steps=2 "$dir/m.processes" > "$dir/out" 2>&1'
for option in --engine=gpu --encoding=rank; do
  "$floe" check $option "$dir/m.processes" > "$dir/out" 2>&1
  ok "$option is refused" 'test $? != 0 && grep -q "atomic sequences" "$dir/out"'
done
"$floe" convert --to=xml "$dir/m.processes" > "$dir/out" 2>&1
ok 'convert is refused' 'grep -q "a model with atomic sequences cannot be written" "$dir/out"'

# Temporal properties: runs through sequences, weak fairness of a process that they disable, blocked sequences.
model << 'EOF'
process P 1 a b
process Q 1 q r
P a b hold
P b a hold first
P b b if x 3
Q q r set x 3
repeated x 3
EOF
sed 's/^P b a hold first/P b a/' "$dir/m.processes" > "$dir/w.processes"
"$floe" check --trace="$dir/t.json" "$dir/w.processes" > "$dir/out" 2>&1
ok 'a run without Q' 'grep -q "x == 3: violated" "$dir/out"'
ok 'the run is replayed' '"$floe" replay "$dir/w.processes" "$dir/t.json" > "$dir/out" 2>&1'
"$floe" check --fair='weak Q' "$dir/w.processes" > "$dir/out" 2>&1
ok 'Q is not disabled because of the sequence' 'grep -q "x == 3: holds" "$dir/out"'
model << 'EOF'
process P 1 a b c
P a b hold first
P b c for 1 2 set x i
repeated x 1
EOF
"$floe" check "$dir/m.processes" > "$dir/out" 2>&1
ok 'selects where the first firing counts' 'grep -q "selects in deterministic sequences" "$dir/out"'

echo "$passed passed, $failed failed"
test $failed = 0
