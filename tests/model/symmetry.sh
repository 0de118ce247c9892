#!/bin/sh
# Symmetry reduction of processes: cases in XML, options, and models of other languages.
. "${top_srcdir:-.}/tests/cmd/common.sh"
. "$here/tests/cmd/cases.sh"
# shellcheck disable=SC2034 # cases.sh reads it
case_options=--symmetry=on
cases=$here/tests/model/symmetric/cases
check_cases '<!--' 3 "$cases"/*.xml

run 0 count --symmetry=on --certificate "$cases/directory.xml"
says out 'symmetry: one state of each orbit; Cache (3)'
says out 'symmetry=on'
"$floe" count --certificate "$cases/directory.xml" >all
"$floe" count --certificate --symmetry=off "$cases/directory.xml" >off
grep -v '^time\|^memory' all >all.counts
grep -v '^time\|^memory' off | diff all.counts - || fail '--symmetry=off is not the default'

# properties that depend on an instance: an error if they are selected
run 3 check --symmetry=on --property=entered "$here/models/peterson.xml"
says err 'peterson.xml:35:17: error: no symmetry reduction of this model: a property depends on which instance is which'
run 0 check --symmetry=auto --property=entered --no-trace "$here/models/peterson.xml"
says err 'no symmetry reduction: a property depends'
says out 'states: 4752'
run 0 check --symmetry=on --property=mutex "$here/models/peterson.xml"
says out 'states: 254'
run 3 check --symmetry=on "$here/models/peterson.xml"
says err 'it has temporal properties'

# processes that are not symmetric
run 3 count --symmetry=on "$here/models/bakery.xml"
says err "bakery.xml:29:59: error: process 'P' is not symmetric: its instances are compared by order"
run 0 count --symmetry=auto -D N=2 "$here/models/bakery.xml"
says err 'no symmetry reduction: the model may not be symmetric; --symmetry=on shows why'
run 3 count --symmetry=on "$here/models/needham.xml"
says err 'no process has several instances'
run 0 count --symmetry=auto "$here/models/needham.xml"
[ ! -s err ] || fail 'a note without instances'

# Promela: instances of one proctype
cat >locks.pml <<'END'
byte free = 1, inside, x;
active [3] proctype P() {
  do
  :: atomic { free == 1 -> free = 0 }
     inside++; inside--; free = 1
  od
}
active proctype Q() { x = 1 }
END
sed 's/atomic { \(.*\) }/\1/' locks.pml >plain.pml
run 0 count --symmetry=on plain.pml
says out 'symmetry: one state of each orbit; P (3)'
run 3 count --symmetry=on locks.pml
says err 'it has atomic sequences'

# expected results: numbers of states are those without reduction
run 0 check --symmetry=on --expect "$cases/directory.xml"
says out 'ok 908 states, one of each orbit'
sed 's/levels="29"/levels="28"/' "$cases/directory.xml" >levels.xml
run 0 check --symmetry=on --expect levels.xml # they may be others (doc/design/symmetry.md)
run 1 check --expect levels.xml
says out 'levels 29 instead of 28'

# floe plan: the factor and the cost
run 0 plan "$here/models/rwlock.xml"
says out '--symmetry=on: at most 12 times fewer states: Reader (3), Writer (2); each successor costs a sort of 5 instances by 5 elements'
run 0 plan --json=plan.json "$here/models/bakery.xml"
says plan.json '"symmetry": null'
! grep -q symmetry out || fail 'a plan of a model that is not symmetric'
finish
