#!/bin/sh
# Small nets of each construct: counts, with each engine and encoding; names and places of the file in traces, graphs,
# simulation and replay; bounds that are claimed or guessed.
. "${top_srcdir:-.}/tests/cmd/common.sh"
nets=$here/tests/pnml/nets

# floe mcc reads FOLDER/model.pnml. Columns: net, states, transitions, deadlocks, most tokens in a place, in a marking
while read -r net states transitions deadlocks place marking; do
  [ "$net" != net ] || continue
  mkdir -p "$net" && cp "$nets/$net.pnml" "$net/model.pnml"
  for engine in interpreter cpu; do
    run 0 mcc --engine=$engine "$net" StateSpace
    for line in "STATES $states" "TRANSITIONS $transitions" "MAX_TOKEN_IN_PLACE $place" "MAX_TOKEN_PER_MARKING $marking"; do
      says out "STATE_SPACE $line TECHNIQUES EXPLICIT"
    done
    run 0 count --engine=$engine "$net/model.pnml"
    says out "deadlocks: $deadlocks"
  done
  for encoding in fields rank; do
    run 0 count -q --encoding=$encoding "$net/model.pnml"
    says out "$states"
  done
done <"$nets/counts.tsv"

# ---- places that others determine ----

# Of 12 places the sums of 6 are constant: those of each philosopher and of each fork.
run 0 plan "$nets/philosophers.pnml"
says out 'bits per state: 9 in 1 word'
says out 'index keys: 6.00 bits'

# ---- names ----

run 1 check --trace=trace.json "$nets/pages.pnml"
says out "  1. t ($nets/pages.pnml:8): p 2 -> 1, q 0 -> 1"
says out "blocked: u ($nets/pages.pnml:20): q >= 1 is false, q is 0"
run 0 replay "$nets/pages.pnml" trace.json
run 0 export "$nets/pages.pnml"
says out '(0, "t", 1)'
run 0 simulate --steps=2 --seed=1 "$nets/pages.pnml"
says out "1. t ($nets/pages.pnml:8)"
run 1 check "$nets/names.pnml"
says out "1. move it ($nets/names.pnml:9): p1 1 -> 0, p2 0 -> 1"

# ---- the language of a file without the ending ----

cp "$nets/pages.pnml" pages.txt
run 0 count pages.txt
says out 'states: 6'
"$floe" count - <"$nets/pages.pnml" >out 2>err || fail "a net on standard input: $(cat err)"
says out 'states: 6'
run 3 count --properties="$nets/counts.tsv" "$models/../../../models/peterson.xml"
says err "models of the language 'xml' have no files of properties"

# ---- bounds ----

# 1 token is claimed, 2 come; with the constant given, that is an error of the model.
run 0 count "$nets/claims.pnml"
says out 'model: claims, tokens=3'
run 1 count -D tokens=1 "$nets/claims.pnml"
says out 'errors: violated at depth'
run 0 count "$nets/inhibitor.pnml"
says out 'model: inhibitor, tokens=255'
run 0 export "$nets/claims.pnml"
says out 'des (0, 2, 3)'

# single steps, and searches that continue, have no guess
for net in claims inhibitor; do
  run 1 simulate --steps=30 --seed=1 --trace=walk.json "$nets/$net.pnml"
  says out 'deadlock violated'
  run 0 replay "$nets/$net.pnml" walk.json
done
run 2 count --engine=interpreter --max-states=2 --checkpoint=net.fcp "$nets/inhibitor.pnml"
run 0 resume --engine=interpreter --max-states=1000000 net.fcp
says out 'model: inhibitor, tokens=255'
says err 'starts again from the initial state'
finish
