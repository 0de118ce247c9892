#!/bin/sh
# check --format=junit: a test case for each property, valid by a schema of the common dialect; --format=json; --output.
. "${top_srcdir:-.}/tests/cmd/common.sh"

command -v xmllint >/dev/null || skip 'no xmllint'

# valid FILE XPATH...: the file is valid, and every condition is true in it
valid() {
  file=$1
  shift
  xmllint --noout --schema "$here/tests/cmd/report/junit.xsd" "$file" 2>why || fail "$file: $(cat why)"
  for condition in "$@"; do
    [ "$(xmllint --xpath "$condition" "$file" 2>&1)" = true ] || fail "$condition is not true in $(cat "$file")"
  done
}

run 1 check --continue --format=junit "$models/race.xml"
valid out '/testsuites/testsuite/@name = "race"' 'count(//testcase) = 5' '/testsuites/@tests = 5' \
  '/testsuites/@failures = 1' '//testsuite/@errors = 0' 'count(//failure) = 1' 'not(//error)' \
  '//property[@name = "states"]/@value = 13' '//testcase[@name = "sum"]/@line = 14' \
  '//testcase[@name = "sum"]/failure/@message = "violated at depth 4"' \
  'contains(//testcase[@name = "sum"]/failure, "4. P[1] write")' \
  'contains(//testcase[@name = "two"]/system-out, "two reachable at depth 4")' 'not(//testcase[@name = "early"]/*)'
run 1 check --continue --format=junit "$models/stuck.xml"
valid out '//testcase[@name = "lit"]/failure/@message = "unreachable"' \
  'contains(//testcase[@name = "deadlock"]/failure, "P at c: no transition leaves this location")'
run 2 check --format=junit --max-depth=2 "$models/race.xml"
valid out '/testsuites/@errors = 5' '//testcase[@name = "sum"]/error/@message = "undecided, not violated up to depth 1"' \
  'starts-with(//testcase[@name = "sum"]/error, "ended at --max-depth")'
run 0 check --format=junit -D N=3 "$models/ring.xml"
valid out '//property[@name = "constant N"]/@value = 3' '/testsuites/@failures = 0'

# a failing step, and texts that XML does not allow as they are
cat >'a&"<]]>.xml' <<'END'
<model name="texts"><description>]]&gt; &amp;amp;</description>
  <process name="P"><variable name="x" range="0..2"/><location name="l" initial="true"/>
    <transition from="l" label="a&quot;b\]]&gt;&lt;é😀&#9;&#133;" effect="x = x + 1"/></process>
  <property id="p" kind="never">P.x &lt; 0 and P.l</property>
</model>
END
run 1 check --continue --format=junit -o junit.xml 'a&"<]]>.xml'
says out 'errors: violated'
valid junit.xml '//testcase[@name = "errors"]/@file = '"'a&\"<]]>.xml'" \
  "contains(//testcase[@name = 'errors']/failure, 'a\"b\\]]><é😀??')" \
  'contains(//testcase[@name = "errors"]/failure, ": fails")' \
  '//testcase[@name = "p"]/error/@message = "undecided, not violated in the states explored"'
cp "$models/ring.xml" "$(printf 'r\001\357\277\277\377.xml')"
run 0 check --format=junit "$(printf 'r\001\357\277\277\377.xml')"
valid out 'contains(//testcase/@file, ".xml")'

# --output: the file is complete or keeps its content
echo old >kept.xml
run 3 check --format=junit -o kept.xml "$models/ring.xml" -D M=1
[ "$(cat kept.xml)" = old ] || fail 'a refused model replaces the file'
if [ -c /dev/full ]; then
  run 5 check --format=junit -o /dev/full "$models/ring.xml"
  run 1 check --format=junit -o /dev/full "$models/race.xml"
fi
run 3 check --format=junit -o nowhere/j.xml "$models/ring.xml"
says err 'nowhere/j.xml cannot be written'
run 0 check --format=json -o r.json "$models/ring.xml"
says out 'safe: holds'
says r.json '"states": 6'
run 0 check --format=json "$models/ring.xml"
says out '"states": 6'
run 0 check --format=text "$models/ring.xml"
says out 'safe: holds'

# each command names its own formats; options that exclude each other
run 3 check --format=aut "$models/ring.xml"
says err 'use one of text|json|junit'
run 3 export --format=junit "$models/ring.xml"
says err 'use one of aut|dot'
run 3 check -o file "$models/ring.xml"
says err '--output requires a --format other than text'
for other in --expect --sweep=N=2 --json --trace=- --dump-code; do
  run 3 check --format=junit $other "$models/ring.xml"
  says err '--format=junit'
done
run 3 check --format=json --report=- "$models/ring.xml"
says err '--format=json cannot be combined with --report'
finish
