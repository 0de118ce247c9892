#!/bin/sh
# Exit codes: 0 satisfied, 1 violated, 2 undecided, 3 invalid model; the output agrees.
. "${top_srcdir:-.}/tests/cmd/common.sh"

# 0: all properties satisfied
run 0 "$models/ring.xml"
says out 'safe: holds'
says out 'last: reachable at depth 5'
says out 'end: every reachable state explored'
says out 'states: 6'
run 0 count "$models/ring.xml" -D N=9
says out 'states: 18'
run 0 count -q "$models/ring.xml" -D N=9
[ "$(cat out)" = 18 ] || fail "count -q printed $(cat out)"
run 0 -p two "$models/race.xml"
says out 'two: reachable at depth 4'

# 1: an invariant, a deadlock, an error of the model, an unreachable state
run 1 "$models/race.xml"
says out 'sum: violated at depth 4'
says out 'P[0].seen'
run 1 -p deadlock "$models/stuck.xml"
says out 'deadlock: violated at depth 2'
run 1 "$models/overflow.xml"
says out 'errors: violated at depth 3'
run 1 count "$models/overflow.xml"
says out 'errors: violated at depth 3'
run 1 -p lit "$models/stuck.xml"
says out 'lit: unreachable'
run 1 --continue "$models/race.xml"
says out 'two: reachable at depth 4'
says out 'early: holds'
says out 'end: every reachable state explored'
says out 'never enabled: P again: done -> ready'

# --no-trace disables no check
run 1 --no-trace "$models/race.xml"
says out 'sum: violated at depth 4'
! grep -q '^trace' out || fail 'a trace in spite of --no-trace'

# 2: depth (states of depth 3 are not expanded: whether they are deadlocks is open), states, time, memory
run 2 --max-depth=3 "$models/ring.xml"
says out 'safe: undecided, not violated up to depth 2'
says out 'last: undecided, not reached up to depth 2'
says out 'end: ended at --max-depth; complete up to depth 2'
run 2 --max-states=3 count "$models/ring.xml"
says out 'end: ended at --max-states'
run 2 count -q --max-states=3 "$models/ring.xml"
says out 'or more'
says err 'floe: note: ended at --max-states'
run 2 check -q --max-depth=2 "$models/ring.xml"
says err 'floe: note: ended at --max-depth; complete up to depth 1'
run 0 check -q "$models/ring.xml"
silent err
for seconds in 0.3 3 30; do # a busy machine may take longer for a level
  run 2 --timeout=$seconds --engine=interpreter "$models/large.xml"
  grep -q 'no depth is complete' out || break
done
says out 'end: ended at --timeout; complete up to depth'
run 2 --memory=8M --engine=interpreter "$models/large.xml"
says out 'end: ended at the memory limit'
run 2 check -q --memory=8M --engine=interpreter "$models/large.xml"
says err 'floe: note: ended at the memory limit'
# a violation takes precedence over an undecided property
run 1 --max-depth=4 --continue "$models/race.xml"
# all decided within the bound
run 0 --max-depth=5 -p last "$models/ring.xml"

# 3: missing file, invalid model, invalid constant, unknown property
run 3 "$models/nowhere.xml"
silent out
echo '<model name="m"/>' >empty.xml
run 3 empty.xml
says err 'empty.xml:1:'
run 3 "$models/ring.xml" -D N=1
run 3 "$models/ring.xml" -p nonesuch
silent out
run 3 .

# states of two words without index keys: tree compression; plan reports it
run 2 -v --max-states=1000 "$models/wide.xml"
says out 'keys of 70 bits'
says out '; roots of '
says out ' nodes, '
run 3 --encoding=rank "$models/wide.xml"
says err 'the model has no index keys'
run 0 plan "$models/wide.xml"
says out 'bits per state: 70 in 2 words'
says out 'index keys: none, they would need more than 63 bits'
says out 'keys: roots of a tree over 2 words'

# fields of two words, index keys of one
run 0 -v --encoding=rank "$models/wide_rank.xml"
says out 'keys of 52 bits (index keys)'
run 0 -v --engine=cpu "$models/wide_rank.xml"
says out 'keys of 66 bits'
says out '; roots of '
run 0 plan "$models/wide_rank.xml"
says out 'index keys: 51.08 bits, stored in 52'
grep -q '^keys: index keys\|^keys: roots of a tree over 2 words' out || fail 'the plan has no keys' # with or without a GPU
finish
