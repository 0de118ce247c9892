#!/bin/sh
# Multiword states with the command: interpreter and compiled code, all tables, and one or several threads give the same
# results, traces and order files; traces replay; field keys and index keys find the same states.
. "${top_srcdir:-.}/tests/cmd/common.sh"
model=$here/tests/gpu/engine/chains.xml
command -v "${CC:-cc}" >/dev/null 2>&1 || echo 'no compiler: the interpreter alone'

# Results without the figures that may differ
results() { sed -e '/^  "\(seconds\|phases\)": {/,/^  }/d' -e '/"\(engine\|engine_detail\|threads\|simd\|table[a-z_]*\|tree_bytes\|tree_contents\|slot_bits\|bucket_slots\|peak_bytes\|frontier_bytes\|disk_bytes\|table_fill\|key_bits\|key_words\|encoding\|cache_dir\)":/d' out; }

# check_as NAME ARGUMENT...: a run with the results of the first one
check_as() {
  name=$1
  shift
  run 1 check --encoding=fields --continue --json -DLENGTH=9 "$@" "$model"
  results >"$name.results"
  cmp -s reference.results "$name.results" || fail "$* differs: $(diff reference.results "$name.results" | head -n 5)"
}
run 1 check --encoding=fields --continue --json -DLENGTH=9 -j1 --engine=interpreter --visited-order=reference.ord "$model"
results >reference.results
grep -q '"states": 1000,' out || fail "not 1000 states: $(grep states out)"
grep -q '"key_bits": 189' out || fail "not 189 bits: $(grep key_bits out)"
check_as compiled -j1 --engine=cpu --visited-order=compiled.ord
check_as linear -j1 --table=linear --initial-slots=1 --visited-order=linear.ord
check_as threads -j3 --initial-slots=1 --visited-order=threads.ord
check_as narrow -j2 --slot-bits=16 --initial-slots=1
for file in compiled linear; do
  cmp -s reference.ord $file.ord || fail "$file.ord is not a breadth-first order"
done
for file in reference threads; do
  run 0 order --text $file.ord
  sort out >$file.sorted
done
[ "$(sort -u reference.sorted | wc -l)" -eq 1000 ] || fail 'the order file has not 1000 different states'
cmp -s reference.sorted threads.sorted || fail 'several threads write other states'

# Keys get too wide for this many slots of the requested width: the table gets more slots
run 0 count -v --encoding=fields -DLENGTH=50 -DTOP=1 -j2 --slot-bits=16 --initial-slots=1 "$model"
says out 'states: 132651'
says out 'slots of 16 bits'

# Index keys find the same states
run 1 check --encoding=rank --continue --json --no-trace -DLENGTH=9 -DTOP=4 -j1 "$model"
grep '"certificate"' out >rank
run 1 check --encoding=fields --continue --json --no-trace -DLENGTH=9 -DTOP=4 -j1 "$model"
grep '"certificate"' out >fields
cmp -s rank fields || fail "certificates differ: $(cat rank fields)"

# Every step of a trace is one of the model
for engine in interpreter cpu; do
  run 1 check --encoding=fields --continue -j2 --engine=$engine -DLENGTH=9 --trace=$engine.trace "$model"
  run 0 replay "$model" $engine.trace
done

# States of a level that have the same first word: the path goes through those that equal in all words
cat >same_word.xml <<'EOF'
<model name="same_word">
  <variable name="c" size="20" range="0..10"/>
  <process name="P">
    <location name="counts" initial="true"/>
    <transition from="counts" select="i in 0..3" guard="c[i == 0 ? 0 : 16 + i] lt 10"
                effect="c[i == 0 ? 0 : 16 + i] = c[i == 0 ? 0 : 16 + i] + 1"/>
    <transition from="counts" select="i in 1..16" guard="c[0] == 10" effect="c[i] = 10"/>
  </process>
  <property id="middle" kind="never">c[0] == 5 and c[17] == 6 and c[18] == 7 and c[19] == 8</property>
</model>
EOF
run 1 check --encoding=fields -j2 --trace=same_word.trace --trace-timeout=600 -p middle same_word.xml
says out 'middle: violated at depth 26'
run 0 replay same_word.xml same_word.trace

# Bounds and an early end: the complete levels are reported correctly
run 2 count --encoding=fields --max-depth=5 -DLENGTH=9 -j2 "$model"
says out 'states: 56'
run 2 count --encoding=fields --max-states=50 -DLENGTH=9 -j1 "$model"
says out 'states: 56'
finish
