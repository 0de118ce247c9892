#!/bin/sh
# floe checkpoint: output as text and as JSON, for a valid file, a damaged one and other files.
build=$(cd "${top_builddir:-.}" && pwd)
. "${top_srcdir:-.}/tests/cmd/common.sh"
make=$build/tests/checkpoint/make_checkpoint
[ -x "$make" ] || skip 'tests/checkpoint/make_checkpoint is not built'
"$make" file || fail 'no file was made'

shows() { # PATTERN: of a line of the output
  grep -q -- "$1" out || fail "no line '$1' in: $(cat out)"
}

run 0 checkpoint file
shows '^model: made ?up$'
shows '^model file: models/made.xml$'
shows '^model digest: sha256:0*$'
shows '^constants: N = 5, LAST = -2$'
shows '^options: --max-depth=7 --table=linear$'
shows '^written: 2023-11-1. .* after 2.5 s of exploration$'
shows '^33 states, 70 transitions, 3 levels, 2 of them complete$'
shows '^frontier: 13 states$'
shows '^properties triggered: 1$'
shows '^key width: 20 bits in 1 word$'
shows '^  keys: 33 states, .* in .* blocks$'
shows '^  rest: 10 states, '
shows '^  next: 3 states, '
shows '^  pending: 0 states, 0 B in 0 blocks$'
shows '^checksums: all correct$'
run 0 checkpoint -j3 file
shows '^checksums: all correct$'

# one byte of a state is damaged: the head is printed nevertheless
size=$(wc -c <file)
"$make" file
cp file damaged
at=$(grep -abo REST file | head -n 1 | cut -d: -f1)
printf 'x' | dd of=damaged bs=1 seek=$((at + 33)) conv=notrunc 2>/dev/null
run 3 checkpoint damaged
shows '^33 states'
says err 'floe: error: damaged cannot be read: it is damaged: the part "rest" at byte '"$at"' has a wrong checksum'
grep -q '^checksums' out && fail 'a damaged file has right checksums'
grep -q previous err && fail 'a file that is not there is recommended'

# truncated, with the previous file beside it
head -c $((size - 1)) file >cut
run 3 checkpoint cut
says err 'it has no valid end'
head -c $((size - 1)) file.previous >file
run 3 checkpoint file
says err 'the previous checkpoint is file.previous'
run 0 checkpoint file.previous

for none in "$models/ring.xml" /dev/null .; do
  run 3 checkpoint "$none"
  says err 'cannot be read'
done
run 3 checkpoint nothing
says err 'No such file'
run 3 checkpoint
run 3 checkpoint file.previous file.previous

run 0 checkpoint file.previous --json
cp out sound.json
run 3 checkpoint damaged --json=damaged.json
[ -s damaged.json ] || fail 'no JSON of a damaged file'
if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 - "$here/doc/result.schema.json" sound.json damaged.json <<'END' || fail 'the JSON is not as it should be'
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
sound, damaged = (json.load(open(name)) for name in sys.argv[2:])
for r in sound, damaged:
    jsonschema.validate(r, schema)
    assert r["constants"] == {"N": 5, "LAST": -2} and r["options"] == ["--max-depth=7", "--table=linear"]
    assert r["states"] == 33 and r["transitions"] == 70 and r["states_per_level"] == [1, 5, 24]
    assert r["frontier"] == 13 and r["hits"] == 1 and r["written"] == 1700000000
    assert [(s["name"], s["states"]) for s in r["sections"]] == [("keys", 33), ("rest", 10), ("next", 3), ("pending", 0)]
assert sound["sound"] is True and damaged["sound"] is False
END
fi

# states of more words than a file's block has: before the search
cat >huge.xml <<'END'
<model name="huge">
  <variable name="a" size="65536" range="-2000000000..2000000000"/>
  <variable name="b" size="65536" range="-2000000000..2000000000"/>
  <variable name="c" size="1" range="0..1"/>
  <process name="P">
    <location name="l" initial="true"/>
    <transition from="l" select="i in 0..65535" guard="a[i] + b[i] == 1" effect="a[i] = 1; b[i] = 2; c[0] = 1"/>
  </process>
  <property id="some" kind="reachable">c[0] == 1</property>
</model>
END
run 3 check --engine=interpreter --checkpoint=huge.ck huge.xml
says err 'checkpoints support states of at most 65536 words of 64 bits; this model has 65537'
[ ! -e huge.ck ] || fail 'a checkpoint of no search'

# A wide frontier of states of two words, which all threads read; the rate is that of the states since the checkpoint.
wide="-D N=20 $here/models/counters.xml --engine=interpreter"
# shellcheck disable=SC2086 # several words
run 2 count --max-depth=5 --certificate $wide
grep '^certificate' out >truth
# shellcheck disable=SC2086
run 2 check --max-depth=5 --max-states=9000 --checkpoint=wide $wide
for threads in 1 3; do
  cp wide again
  run 2 resume -v -j$threads again
  says out 'rate: 0 states/s, 0 transitions/s, since the run was resumed'
  cp wide again
  run 2 resume -j$threads --certificate --max-states=1000000 again
  grep '^certificate' out | cmp -s - truth || fail "$threads threads: $(cat out)"
done
finish
