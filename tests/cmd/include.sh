#!/bin/sh
# Models in several files: places in messages, traces, reports and JSON, what cannot be included, and a change of an
# included file between two runs. tests/bad/include_*.xml has the other errors.
. "${top_srcdir:-.}/tests/cmd/common.sh"

mkdir -p m/parts/inner other
cat >m/model.xml <<'END'
<model name="parts">
  <include href="parts/p.xml"/>
  <process name="P">
    <location name="a" initial="true"/>
    <transition from="a" label="up" guard="x lt 3" effect="x += 1"/>
  </process>
</model>
END
cat >m/parts/p.xml <<'END'
<fragment>
  <variable name="x" range="0..3"/>
  <include href="inner/q.xml"/>
</fragment>
END
cat >m/parts/inner/q.xml <<'END'
<fragment>
  <property id="small" kind="invariant">x lt 3</property>
  <process name="Q">
    <location name="a" initial="true"/>
    <location name="b"/>
    <transition from="a" to="b" label="go" guard="x == 1"/>
    <transition from="b" label="never" guard="x gt 3"/>
    <transition from="b" label="over" guard="x == 3" effect="x += 1"/>
  </process>
</fragment>
END

# ---- places ----

run 1 --continue --trace=trace.json --report=report.html --json=result.json m/model.xml
says out '  1. P up (m/model.xml:5)'
says out '  2. Q go (m/parts/inner/q.xml:6)'
says out 'Q at a waits for go (m/parts/inner/q.xml:6)'
says out 'errors: violated at depth 4: assignment of 4 to x outside 0..3 (m/parts/inner/q.xml:8)'
says out 'never fired without an error: Q never: b -> b (m/parts/inner/q.xml:7)'
says err 'm/parts/inner/q.xml:7:49: warning: this guard is always false'
grep -q '<a href="#file-2-line-6">m/parts/inner/q.xml:6</a>' report.html || fail 'no link to a line of an included file'
grep -q '<tr id="file-2-line-6"' report.html || fail 'no line of an included file in the report'
grep -q '<a href="#line-5">5</a>' report.html || fail 'no link to a line of the model file'
run 1 --format=junit m/model.xml
says out '<testcase name="small" classname="parts" file="m/parts/inner/q.xml" line="2">'
run 1 simulate --runs=10 m/model.xml
says out 'never fired: Q never b -> b (m/parts/inner/q.xml:7)'

# JSON: the member `file` of included lines only; valid by the schemas
if python3 -c 'import jsonschema' 2>/dev/null; then
  run 1 simulate --runs=10 --json=runs.json m/model.xml
  python3 - "$here/doc" >why 2>&1 <<'END' || fail "JSON: $(cat why)"
import json, sys, jsonschema
def read(name, schema):
    found = json.load(open(name))
    jsonschema.Draft7Validator(json.load(open(sys.argv[1] + schema))).validate(found)
    return found
inner = 'm/parts/inner/q.xml'
result = read('result.json', '/result.schema.json')
assert [(t['line'], t['file']) for t in result['never_enabled']] == [(7, inner), (8, inner)]
traces = {p['id']: p['trace'] for p in result['properties']}
assert [s.get('file') for s in traces['errors']['steps']] == [None, inner, None, None, inner]
assert [w.get('file') for w in traces['deadlock']['waiting']] == [inner, None]
steps = read('trace.json', '/trace.schema.json')['traces'][2]['steps']
assert [s.get('file') for s in steps] == [None, inner, None, None, inner]
assert [s['participants'][0].get('file') for s in steps] == [None, inner, None, None, inner]
runs = read('runs.json', '/result.schema.json')
assert [t.get('file') for t in runs['transitions']] == [inner, inner, inner, None]
END
fi

# Names are as from the current folder; a trace is replayed from another one, and after a change of an included file
cd m/parts || exit 99
run 0 replay ../model.xml ../../trace.json
says out '(../parts/inner/q.xml:6)'
cd "$work" || exit 99
sed -i 's/<location name="b"\/>/&\n/' m/parts/inner/q.xml
run 0 replay m/model.xml trace.json
says out '(m/parts/inner/q.xml:7)'

# ---- checkpoints ----

run 2 --continue --max-states=3 --checkpoint=saved m/model.xml
says out '; to continue: floe resume --max-states=N saved'
cp saved again
cd other || exit 99
run 1 resume --max-states=100 ../again
says out 'states: 7'
cd "$work" || exit 99
cp saved again
run 3 resume --no-include again
says err "m/model.xml:2:18: error: 'parts/p.xml' cannot be included: includes are turned off"
mkdir alias
ln -s ../m/model.xml alias/model.xml # includes are relative to the folder of the link
cp -r m/parts alias
run 2 --continue --max-states=3 --checkpoint=aliased alias/model.xml
sed -i 's/range="0..3"/range="0..3" init="1"/' m/parts/p.xml
run 3 resume again
says err 'the model has changed'
run 1 resume --max-states=100 aliased

# ---- what is not included ----

# refused MESSAGE HREF: an include in m/refused.xml
refused() {
  printf '<model name="refused">\n  <include href="%s"/>\n</model>\n' "$2" >m/refused.xml
  run 3 m/refused.xml
  says err "m/refused.xml:2:18: error: $1"
}
printf '<fragment>\n  <process name="S"><location name="a" initial="true"/></process>\n</fragment>\n' >other/s.xml
refused 'm/../other/s.xml is outside the folder of the model' ../other/s.xml
refused "'$work/m/parts/p.xml' is an absolute path" "$work/m/parts/p.xml"
ln -s ../other/s.xml m/link.xml
ln -s ../other m/folder
refused 'm/link.xml is outside the folder of the model' link.xml
refused 'm/folder/s.xml is outside the folder of the model' folder/s.xml
mkdir m2
cp other/s.xml m2
refused 'm/../m2/s.xml is outside the folder of the model' ../m2/s.xml
refused 'm/nowhere.xml cannot be opened: No such file or directory' nowhere.xml
refused 'm/parts is a folder' parts
refused 'm/. is a folder' .
mkfifo m/fifo.xml
refused 'm/fifo.xml is not a regular file' fifo.xml
ln -s /dev/zero m/zero.xml
refused 'm/zero.xml is outside the folder of the model' zero.xml
ln -s loop.xml m/loop.xml
refused 'm/loop.xml cannot be opened: Too many levels of symbolic links' loop.xml
: >m/empty.xml
printf '<model name="refused">\n  <include href="empty.xml"/>\n</model>\n' >m/refused.xml
run 3 m/refused.xml
says err 'm/empty.xml:1:1: error: the file is empty'
if [ "$(id -u)" -ne 0 ]; then
  cp other/s.xml m/unreadable.xml
  chmod 0 m/unreadable.xml
  refused 'm/unreadable.xml cannot be opened: Permission denied' unreadable.xml
  says err 'floe needs the permission to read it'
fi
truncate -s 65M m/large.xml
refused 'with m/large.xml the model is larger than 64 MiB' large.xml

# A link inside the folder, and a path that leaves and comes back, are allowed; the same file by another path is not
ln -s parts m/inside
cp other/s.xml m/parts
printf '<model name="allowed">\n  <include href="inside/../../m/inside/s.xml"/>\n</model>\n' >m/allowed.xml
run 1 m/allowed.xml
run 3 --no-include m/allowed.xml
says err 'includes are turned off'
for command in count plan export simulate; do
  run 3 $command --no-include m/allowed.xml
done
printf '<model name="twice">\n  <include href="parts/s.xml"/>\n  <include href="inside/s.xml"/>\n</model>\n' >m/twice.xml
run 3 m/twice.xml
says err 'm/twice.xml:3:18: error: m/parts/s.xml is included twice'
says err 'm/twice.xml:2:18: note: m/parts/s.xml is first included here'
"$floe" check - <m/allowed.xml >out 2>err && fail 'standard input with an include is checked'
says err "<stdin>:2:18: error: 'inside/../../m/inside/s.xml' cannot be included: the model was not read from a file"

# Depth and number. The last file of the chain is 16 deep.
for i in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  printf '<fragment>\n  <include href="chain%s.xml"/>\n</fragment>\n' $i >m/chain$((i - 1)).xml
done
cp other/s.xml m/chain16.xml
printf '<model name="chain">\n  <include href="chain1.xml"/>\n</model>\n' >m/chain.xml
run 1 m/chain.xml
printf '<fragment>\n  <include href="chain17.xml"/>\n</fragment>\n' >m/chain16.xml
cp other/s.xml m/chain17.xml
run 3 m/chain.xml
says err 'm/chain16.xml:2:18: error: files are included more than 16 deep'
mkdir m/many
awk 'BEGIN {
  print "<model name=\"many\">"
  for (i = 1; i <= 256; i++) {
    file = "m/many/" i ".xml"
    print "  <include href=\"many/" i ".xml\"/>"
    print "<fragment/>" >file
    close(file)
  }
  print "  <process name=\"S\"><location name=\"a\" initial=\"true\"/></process>"
  print "</model>"
}' >m/many.xml
run 1 m/many.xml
sed 's/<process/<include href="parts\/s.xml"\/>&/' m/many.xml >m/more.xml
run 3 m/more.xml
says err 'm/more.xml:258:18: error: the model includes more than 256 files'

# ---- twins of shipped models in several files: the same but for places ----

same() { # $1: text of a run; without places, times and the first words of a report
  sed -E -e 's/ \([^ ()]*\.xml:[0-9]+\)//g' -e '/^(time|memory|engine):/d' "$1"
}
for model in peterson bakery twophase; do
  python3 "$here/tests/reference/includes.py" "$here/models/$model.xml" "$work/twins" >twin 2>err || skip "no python3: $(cat err)"
  "$floe" check --continue --certificate --engine=interpreter "$here/models/$model.xml" >whole 2>err
  code=$?
  run $code --continue --certificate --engine=interpreter "$(cat twin)"
  same whole >want
  same out >found
  cmp -s want found || fail "$model in several files: $(diff want found | head)"
done
finish
