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
    says out "STATE_SPACE STATES $states TECHNIQUES EXPLICIT" "STATE_SPACE TRANSITIONS $transitions TECHNIQUES EXPLICIT" \
      "STATE_SPACE MAX_TOKEN_IN_PLACE $place TECHNIQUES EXPLICIT" "STATE_SPACE MAX_TOKEN_PER_MARKING $marking TECHNIQUES EXPLICIT"
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

# ---- reductions ----

# r is filled through q, one token after the other; `still` has its tokens for ever
cat >chain.pnml <<'END'
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="chain" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
    <place id="p"><initialMarking><text>2</text></initialMarking></place>
    <place id="q"><initialMarking><text>1</text></initialMarking></place><place id="r"/><place id="still"/>
    <transition id="pq"/><transition id="qr"/><transition id="rp"/>
    <arc id="a1" source="p" target="pq"/><arc id="a2" source="pq" target="q"/>
    <arc id="a3" source="q" target="qr"/><arc id="a4" source="qr" target="r"/>
    <arc id="a5" source="r" target="rp"><inscription><text>3</text></inscription></arc>
    <arc id="a6" source="rp" target="p"><inscription><text>2</text></inscription></arc>
  </page></net>
</pnml>
END
cat >chain.xml <<'END'
<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>three</id><formula><exists-path><finally><integer-le><integer-constant>3</integer-constant>
    <tokens-count><place>r</place></tokens-count></integer-le></finally></exists-path></formula></property>
  <property><id>never</id><formula><all-paths><globally><negation><integer-le><integer-constant>2</integer-constant>
    <tokens-count><place>r</place></tokens-count></integer-le></negation></globally></all-paths></formula></property>
  <property><id>again</id><formula><all-paths><globally><finally><integer-le><integer-constant>1</integer-constant>
    <tokens-count><place>p</place></tokens-count></integer-le></finally></globally></all-paths></formula></property>
</property-set>
END
run 1 check --reduce=auto --continue --properties=chain.xml --trace=chain.json chain.pnml
says err 'the net is reduced from 4 places and 3 transitions to'
says out 'reduction: states, transitions, depth and deadlocks are those of the reduced net'
says out 'three: reachable at depth 5'
says out 'again: violated'
run 0 replay --properties=chain.xml chain.pnml chain.json
run 1 check --reduce=auto --properties=chain.xml --json chain.pnml
says out '"reduced": true'
run 1 check --properties=chain.xml --json chain.pnml
! grep -q '"reduced"' out || fail "a net that is not reduced"
run 1 check --reduce=auto --deadlock=off --properties=chain.xml -p never --report=chain.html chain.pnml
says chain.html 'numbers are those of the reduced model'
! grep -q 'fired\.' chain.html || fail "coverage of a reduced net"
run 3 check --reduce=auto --expect chain.pnml
says err 'error: --reduce=auto cannot be combined with --expect'
run 3 check --reduce=auto --deadlock=stuck chain.pnml
says err 'cannot be combined with --deadlock=stuck'
run 3 check --reduce=auto -p errors chain.pnml
says err "the property 'errors' is about all firings"
run 3 check --reduce=auto "$models/../../../models/peterson.xml"
says err 'only Petri nets can be reduced'

# without -p, and a claim of units that only the reduced net has: as read, two tokens are in the unit from the start
sed -e 's|<place id="d"/>|&<place id="k"><initialMarking><text>2</text></initialMarking></place>|' \
  -e 's|<transition id="enter"/>|<transition id="kt"/>&|' -e 's|<arc id="a1"|<arc id="k1" source="k" target="kt"/>&|' \
  -e 's|<places>a b c d<|<places>a b c d k<|' -e 's|places="4" transitions="5" arcs="8"|places="5" transitions="6" arcs="9"|' \
  "$here/tests/pnml/nets/two.pnml" >claimed.pnml
cat >claimed.xml <<'END'
<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>three</id><formula><exists-path><finally><integer-le><integer-constant>3</integer-constant>
    <tokens-count><place>a</place><place>b</place><place>c</place><place>d</place></tokens-count></integer-le></finally></exists-path></formula></property>
</property-set>
END
for reduces in auto none; do
  run 0 check --reduce=$reduces --deadlock=off --no-trace --properties=claimed.xml claimed.pnml
  says out 'three: reachable at depth 8'
done

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

# A unit has one token, which no sum proves; the other file claims the same wrongly: three places have one.
run 0 plan "$nets/units.pnml"
says out 'bits per state: 3 in 1 word'
run 0 count "$nets/units.pnml"
says out 'model: units, units=1'
run 0 count -D units=0 "$nets/units.pnml"
says out 'states: 5'
run 0 count "$nets/two.pnml"
says out 'model: two, units=0 tokens=1'
run 1 check -D units=1 --trace=two.json "$nets/two.pnml"
says out 'errors: violated at depth 3: '
run 0 replay "$nets/two.pnml" two.json
run 3 count -D units=2 "$nets/two.pnml"
says err "the constant 'units' is 0 or 1"
run 2 count --engine=interpreter --max-states=2 --checkpoint=two.fcp "$nets/two.pnml"
says out 'model: two, units=1'
run 0 resume --engine=interpreter --max-states=1000 two.fcp
says out 'states: 12'
says err 'starts again from the initial state'
run 2 count --engine=interpreter --max-states=8 --checkpoint=two.fcp "$nets/two.pnml"
says out 'model: two, units=0 tokens=1'
run 0 resume --engine=interpreter --max-states=1000 two.fcp
says out 'states: 12'

# Units and numbers of tokens are guessed independently: k gets two tokens, in addition to a right and to a wrong unit.
for net in units two; do
  sed -e 's|<place id="d"/>|&<place id="k"/><place id="m"/>|' -e 's|<transition id="enter"/>|&<transition id="kt"/>|' \
    -e 's|places="4" transitions="5" arcs="8"|places="6" transitions="6" arcs="10"|' \
    -e 's|<arc id="a1"|<arc id="k1" source="kt" target="k"/><arc id="k2" source="kt" target="m"/>\
        <arc id="k3" source="m" target="kt" type="inhibitor"><inscription><text>2</text></inscription></arc>&|' \
    "$nets/$net.pnml" >both-$net.pnml
done
for engine in interpreter cpu; do
  run 0 count --engine=$engine both-units.pnml
  says out 'model: units, units=1 tokens=3'
  says out 'states: 15'
  run 0 count --engine=$engine both-two.pnml
  says out 'model: two, units=0 tokens=3'
  says out 'states: 36'
done
run 0 export both-two.pnml
says out 'des (0, '
says out ', 36)'
# a definition of one leaves the other one a guess
run 0 count -D units=1 both-units.pnml
says out 'model: units, units=1 tokens=3'
says out 'states: 15'
run 1 check -D units=1 --trace=two.json both-two.pnml
says out 'errors: violated at depth 3: '
run 0 replay both-two.pnml two.json
says two.json '"units": 1'
! grep -q '"tokens"' two.json || fail "a guess in a trace"
run 1 count -D tokens=1 both-units.pnml
says out 'errors: violated at depth 1: '
run 0 count -D tokens=2 both-two.pnml
says out 'model: two, units=0 tokens=2'
cat >full.xml <<'END'
<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>full</id><formula><exists-path><finally><integer-le><integer-constant>2</integer-constant>
    <tokens-count><place>k</place></tokens-count></integer-le></finally></exists-path></formula></property>
</property-set>
END
# What is guessed is no constant of the trace, and is guessed again by a search that continues.
run 0 check --property=full --trace=two.json --properties=full.xml both-two.pnml
says two.json '"constants": {}'
run 0 replay --properties=full.xml both-two.pnml two.json
run 2 count --engine=interpreter --max-states=20 --checkpoint=both.fcp both-two.pnml
says out 'model: two, units=0 tokens='
run 0 resume --engine=interpreter --max-states=1000 both.fcp
says out 'model: two, units=0 tokens=3'
says out 'states: 36'
run 2 count --engine=interpreter --max-states=12 --checkpoint=both.fcp both-units.pnml
says out 'model: units, units=1 tokens=3'
run 0 resume --engine=interpreter --max-states=1000 both.fcp
says out 'model: units, units=1 tokens=3'
says out 'states: 15'

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
