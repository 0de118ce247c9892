#!/bin/sh
# --expect: cases that agree, each kind of mismatch, cases deselected by -D and skipped by --max-states.
. "${top_srcdir:-.}/tests/cmd/common.sh"
ring=$models/ring.xml

run 0 --expect "$ring"
says out 'N=2: ok 4 states'
says out 'no constants set: ok 6 states'
says out 'N=9: ok 18 states'
says out '3 ok, 0 mismatched, 0 undecided, 0 skipped'
run 0 --expect -q "$ring"
[ "$(wc -l <out)" -eq 3 ] || fail "-q printed $(cat out)"

# -D selects by the value of the constant in the case, named there or not
run 0 --expect -D N=3 "$ring"
says out 'no constants set: ok 6 states'
says out '1 ok, 0 mismatched'
run 0 --expect -D N=9 "$ring"
says out 'N=9: ok 18 states'
run 3 --expect -D N=5 "$ring"
says err 'no <expect> element has the given constants'
run 3 --expect -D M=5 "$ring"
says err "its constants: N"

# --max-states skips cases; if all are skipped the result is undecided
run 0 --expect --max-states=5 "$ring"
says out 'N=9: skipped, more than 5 states'
says out '1 ok, 0 mismatched, 0 undecided, 2 skipped'
run 2 --expect --max-states=1 "$ring"
says out '0 ok'

# every kind of mismatch prints both values
sed -e 's/states="4" transitions="4" levels="4" deadlocks="0"/states="5" transitions="6" levels="7" deadlocks="8"/' \
  -e 's/value="holds"/value="violated"/' -e 's/depth="3"/depth="2"/' "$ring" >wrong.xml
run 1 --expect -D N=2 wrong.xml
says out 'N=2: mismatch (wrong.xml:'
says out 'states 4 instead of 5; transitions 4 instead of 6; levels 4 instead of 7; deadlocks 0 instead of 8'
says out 'safe holds instead of violated'
says out 'last reachable at depth 3 instead of reachable at depth 2'

# expected violations satisfy the case
sed 's|</model>|<expect><verdict property="sum" value="violated" depth="4"/><verdict property="errors" value="holds"/></expect></model>|' \
  "$models/race.xml" >race.xml
run 0 --expect race.xml
says out 'no constants set: ok'

run 3 --expect "$models/race.xml"
says err 'has no expected results'
finish
