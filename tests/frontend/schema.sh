#!/bin/sh
# build-aux/schema.awk makes the reader's table from floe.rng: it follows changes of the schema, and fails on constructs that it
# cannot read instead of omitting them.
set -u
top=${top_srcdir:-.}
schema=$top/frontend/xml/floe.rng
failed=0 count=0

table() { sed "$1" "$schema" | "${AWK:-awk}" -f "$top/build-aux/schema.awk" 2>&1; }

# A change of the schema (sed), and the resulting line of the table.
makes() {
  count=$((count + 1))
  table "$1" | grep -qxF "$2" || { echo "FAIL: no line '$2' after $1"; failed=1; }
}
refuses() {
  count=$((count + 1))
  if table "$1" >/dev/null; then
    echo "FAIL: the schema is read after $1"
    failed=1
  fi
}

makes '' 'ATTRIBUTE(transition, from, true, LOCATIONS)'
makes '' 'EITHER(variable, true, "range", "type", "values")'
makes '' 'EITHER(transition, false, "send", "receive")'
makes '' 'ELEMENT(property, true)'
makes 's/<ref name="description"\/>/<text\/>/' 'ELEMENT(model, true)'
makes 's/<oneOrMore><ref name="location"\/><\/oneOrMore>/<zeroOrMore><ref name="location"\/><\/zeroOrMore>/' 'CHILD(process, location, 0, 0)'
makes 's/<attribute name="from"><ref name="locations"\/><\/attribute>/<optional>&<\/optional>/' 'ATTRIBUTE(transition, from, false, LOCATIONS)'
makes 's/>never</>always</' 'WORD(KIND, always)'
refuses 's/interleave>/group>/'
refuses 's/<ref name="kind"\/>/<value type="string">never<\/value>/'
refuses 's/<element name="verdict">/<element name="result">/'
makes 's/<choice><ref name="send"\/>/<choice><ref name="guard"\/><ref name="send"\/>/' 'EITHER(transition, false, "guard", "send", "receive")'
refuses 's/<optional><ref name="select"\/><\/optional>/<oneOrMore><ref name="select"\/><\/oneOrMore>/'
echo "$count cases"
exit $failed
