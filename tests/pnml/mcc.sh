#!/bin/sh
# floe mcc: examinations of a small net whose answers are plain to see, and answers that floe does not have.
. "${top_srcdir:-.}/tests/cmd/common.sh"
mkdir ring open
# Two tokens go round p, q, r; `never` is dead.
cat >ring/model.pnml <<'END'
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="ring" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
    <place id="p"><initialMarking><text>2</text></initialMarking></place>
    <place id="q"/>
    <place id="r"/>
    <place id="still"><initialMarking><text>1</text></initialMarking></place>
    <transition id="pq"/>
    <transition id="qr"/>
    <transition id="rp"/>
    <transition id="never"/>
    <arc id="a1" source="p" target="pq"/><arc id="a2" source="pq" target="q"/>
    <arc id="a3" source="q" target="qr"/><arc id="a4" source="qr" target="r"/>
    <arc id="a5" source="r" target="rp"/><arc id="a6" source="rp" target="p"/>
    <arc id="a7" source="r" target="never"><inscription><text>3</text></inscription></arc>
  </page></net>
</pnml>
END

# property ID FORMULA, appended to the file of an examination
property() {
  echo "<property><id>$1</id><description>of ring</description><formula>$2</formula></property>"
}
tokens() { # PLACE...
  printf '<tokens-count>'
  printf '<place>%s</place>' "$@"
  printf '</tokens-count>'
}
number() { echo "<integer-constant>$1</integer-constant>"; }
le() { echo "<integer-le>$1$2</integer-le>"; }
EF() { echo "<exists-path><finally>$1</finally></exists-path>"; }
AG() { echo "<all-paths><globally>$1</globally></all-paths>"; }
fireable() {
  printf '<is-fireable>'
  printf '<transition>%s</transition>' "$@"
  printf '</is-fireable>'
}
write() { # EXAMINATION: the properties of standard input
  { echo '<property-set xmlns="http://mcc.lip6.fr/">' && cat && echo '</property-set>'; } >"ring/$1.xml"
}
answered() { # LINE: the answer may come from a reduced net
  sed 's/ STRUCTURAL_REDUCTION$//' out | grep -qxF "$1" || fail "no line '$1': $(cat out err)"
}

two=$(number 2) three=$(number 3)
{
  property ring-ReachabilityCardinality-2025-00 "$(EF "$(le "$two" "$(tokens r)")")"
  property ring-ReachabilityCardinality-2025-01 "$(EF "$(le "$three" "$(tokens p q r)")")"
  property ring-ReachabilityCardinality-2025-02 "$(AG "$(le "$(tokens p q r)" "$two")")"
  property ring-ReachabilityCardinality-2025-03 "$(AG "<negation>$(le "$two" "$(tokens q)")</negation>")"
  property sum "$(AG "<integer-eq><integer-sum>$(tokens p)$(tokens q r)</integer-sum>$two</integer-eq>")"
  property other "$(EF "<exclusive-disjunction><false/><equivalence><true/><implication><integer-gt>$(tokens p)$two</integer-gt>
    <integer-lt>$(tokens p)<integer-difference>$two$three</integer-difference></integer-lt></implication></equivalence></exclusive-disjunction>")"
  property more "$(EF "<conjunction><integer-ge>$(tokens q)$two</integer-ge><disjunction><integer-ne>$two$two</integer-ne><true/></disjunction></conjunction>")"
} | write ReachabilityCardinality
run 0 mcc ring ReachabilityCardinality
for answer in '-2025-00 TRUE' '-2025-01 FALSE' '-2025-02 TRUE' '-2025-03 FALSE'; do
  answered "FORMULA ring-ReachabilityCardinality$answer TECHNIQUES EXPLICIT"
done
answered 'FORMULA sum TRUE TECHNIQUES EXPLICIT'
answered 'FORMULA other TRUE TECHNIQUES EXPLICIT'
answered 'FORMULA more TRUE TECHNIQUES EXPLICIT'
[ "$(wc -l <out)" -eq 7 ] || fail "not one line for each property: $(cat out)"

# The same properties of floe check
run 1 check --continue --properties=ring/ReachabilityCardinality.xml ring/model.pnml
says out 'ring-ReachabilityCardinality-2025-03: violated at depth 2'
says out 'sum: holds'

{
  property f1 "$(EF "$(fireable never)")"
  property f2 "$(AG "$(fireable pq qr rp)")"
  property f3 "$(EF "<conjunction>$(fireable pq)$(fireable qr)$(fireable rp)</conjunction>")"
  property f4 "$(EF '<deadlock/>')"
} | write ReachabilityFireability
run 0 mcc ring ReachabilityFireability
for answer in 'f1 FALSE' 'f2 TRUE' 'f3 FALSE' 'f4 FALSE'; do
  answered "FORMULA $answer TECHNIQUES EXPLICIT"
done

{
  property b1 "<place-bound><place>p</place></place-bound>"
  property b2 "<place-bound><place>p</place><place>q</place><place>still</place></place-bound>"
} | write UpperBounds
run 0 mcc ring UpperBounds
answered 'FORMULA b1 2 TECHNIQUES EXPLICIT'
answered 'FORMULA b2 3 TECHNIQUES EXPLICIT'

A() { echo "<all-paths>$1</all-paths>"; }
one=$(number 1)
p=$(le "$one" "$(tokens p)") q=$(le "$one" "$(tokens q)")
{
  property l1 "$(A "<globally><finally>$p</finally></globally>")"
  property l2 "$(A "<finally>$q</finally>")"
  property l3 "$(A "<until><before>$p</before><reach>$q</reach></until>")"
  property l4 "$(A "<next>$q</next>")"
  property l5 "$(A "<next><next>$q</next></next>")"
  property l6 "$(A "<negation><globally><implication>$q<next>$q</next></implication></globally></negation>")"
  property l7 "$(A "<equivalence><finally>$q</finally><negation><globally><negation>$q</negation></globally></negation></equivalence>")"
} | write LTLCardinality
run 0 mcc ring LTLCardinality
for answer in 'l1 TRUE' 'l2 TRUE' 'l3 TRUE' 'l4 TRUE' 'l5 FALSE' 'l6 FALSE' 'l7 TRUE'; do
  answered "FORMULA $answer TECHNIQUES EXPLICIT"
done

run 0 mcc ring ReachabilityDeadlock
answered 'FORMULA ReachabilityDeadlock FALSE TECHNIQUES EXPLICIT'
run 0 mcc ring OneSafe
answered 'FORMULA OneSafe FALSE TECHNIQUES EXPLICIT'
run 0 mcc ring StableMarking
answered 'FORMULA StableMarking TRUE TECHNIQUES EXPLICIT'
run 0 mcc ring QuasiLiveness
answered 'FORMULA QuasiLiveness FALSE TECHNIQUES EXPLICIT'
run 0 mcc ring Liveness
answered 'FORMULA Liveness FALSE TECHNIQUES EXPLICIT'

# Of a coloured net the transitions of the file count: `go` fires with one colour of two; `no` has no colour at all.
mkdir colour
one_of() { # TERM
  echo "<structure><numberof><subterm><numberconstant value=\"1\"><positive/></numberconstant></subterm>$1</numberof></structure>"
}
coloured() { # COMPARISON of x with a, the condition of `no`
  a='<subterm><useroperator declaration="a"/></subterm>' x='<subterm><variable refvariable="x"/></subterm>'
  arc="<hlinscription>$(one_of "$x")</hlinscription>"
  cat <<END
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
  <declaration><structure><declarations>
    <namedsort id="C" name="C"><cyclicenumeration><feconstant id="a" name="a"/><feconstant id="b" name="b"/></cyclicenumeration></namedsort>
    <variabledecl id="x" name="x"><usersort declaration="C"/></variabledecl>
  </declarations></structure></declaration>
  <page id="page">
    <place id="p"><type><structure><usersort declaration="C"/></structure></type>
      <hlinitialMarking>$(one_of "$a")</hlinitialMarking></place>
    <transition id="go(1)"/>
    <transition id="no(1)"><condition><structure><$1>$x$a</$1></structure></condition></transition>
    <arc id="a1" source="p" target="go(1)">$arc</arc><arc id="a2" source="go(1)" target="p">$arc</arc>
    <arc id="a3" source="p" target="no(1)">$arc</arc><arc id="a4" source="no(1)" target="p">$arc</arc>
  </page></net></pnml>
END
}
for case in 'equality TRUE' 'inequality FALSE' 'lessthan FALSE'; do
  coloured "${case% *}" >colour/model.pnml
  run 0 mcc colour QuasiLiveness
  answered "FORMULA QuasiLiveness ${case#* } TECHNIQUES EXPLICIT"
done

# Every transition of `ring` but `never` can fire again. `once` fires once.
mkdir live
sed '/never/d' ring/model.pnml >live/model.pnml
run 0 mcc live Liveness
answered 'FORMULA Liveness TRUE TECHNIQUES EXPLICIT'
sed 's/<transition id="pq"\/>/&<transition id="once"\/><arc id="a9" source="still" target="once"\/>/' live/model.pnml >net
mv net live/model.pnml
run 0 mcc live QuasiLiveness
answered 'FORMULA QuasiLiveness TRUE TECHNIQUES EXPLICIT'
run 0 mcc live Liveness
answered 'FORMULA Liveness FALSE TECHNIQUES EXPLICIT'

# Of no transitions all are live, although the initial state is a deadlock.
mkdir alone
echo '<pnml><net id="alone"><page id="page"><place id="p"/></page></net></pnml>' >alone/model.pnml
for examination in QuasiLiveness Liveness; do
  run 0 mcc alone $examination
  answered "FORMULA $examination TRUE TECHNIQUES EXPLICIT"
done

# ---- reductions ----

# Without them the answers are the same. `q` and `r` are joined with others where nothing reads them.
for examination in ReachabilityCardinality ReachabilityFireability UpperBounds LTLCardinality ReachabilityDeadlock; do
  run 0 mcc ring $examination
  sed 's/ STRUCTURAL_REDUCTION$//' out | sort >reduced
  run 0 mcc --reduce=none ring $examination
  sort out | cmp -s - reduced || fail "$examination: $(cat out reduced)"
done
silent err
run 0 mcc ring ReachabilityDeadlock
says out 'FORMULA ReachabilityDeadlock FALSE TECHNIQUES EXPLICIT STRUCTURAL_REDUCTION'
says err 'the net is reduced from 4 places and 4 transitions to 0 and 1; removed: constant 1, dead 1, '

# Five counters to 100 have 101^5 states together: only searches for each formula alone, of 101 states each, answer them.
mkdir far
{
  echo '<pnml><net id="far" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">'
  for i in 1 2 3 4 5; do
    echo "<place id=\"b$i\"/><transition id=\"s$i\"/><transition id=\"c$i\"/>"
    echo "<arc id=\"x$i\" source=\"b$i\" target=\"s$i\"><type value=\"inhibitor\"/><inscription><text>100</text></inscription></arc>"
    echo "<arc id=\"y$i\" source=\"s$i\" target=\"b$i\"/><arc id=\"z$i\" source=\"b$i\" target=\"c$i\"/>"
  done
  echo '</page></net></pnml>'
} >far/model.pnml
for i in 1 2 3 4 5; do
  property "far$i" "$(AG "$(le "$(tokens b$i)" "$(number 100)")")"
done >formulas
{ echo '<property-set>' && cat formulas && echo '</property-set>'; } >far/ReachabilityCardinality.xml
run 0 mcc --timeout=60 --memory=200M far ReachabilityCardinality
for i in 1 2 3 4 5; do
  answered "FORMULA far$i TRUE TECHNIQUES EXPLICIT"
done
[ "$(wc -l <out)" -eq 5 ] || fail "not one line for each property: $(cat out)"

# ---- what is not computed ----

# A net without bound: `qr` adds tokens. Answers come from states that were found.
sed 's/<arc id="a3" source="q" target="qr"\/>/<arc id="a3" source="still" target="qr"\/><arc id="a8" source="qr" target="still"\/>/; s/<arc id="a5" source="r" target="rp"\/>//' ring/model.pnml >open/model.pnml
cp ring/ReachabilityCardinality.xml ring/UpperBounds.xml open/
run 0 mcc --timeout=60 open ReachabilityCardinality
answered 'FORMULA ring-ReachabilityCardinality-2025-00 TRUE TECHNIQUES EXPLICIT'
answered 'FORMULA ring-ReachabilityCardinality-2025-02 FALSE TECHNIQUES EXPLICIT'
answered 'FORMULA sum FALSE TECHNIQUES EXPLICIT'
[ "$(wc -l <out)" -eq 7 ] || fail "not one line for each property: $(cat out)"
run 0 mcc open ReachabilityDeadlock
says err 'the net is reduced from'
run 2 mcc -D tokens=5 open ReachabilityDeadlock
! grep -q 'is reduced' err || fail "reduced in spite of a defined constant: $(cat err)"
run 2 mcc --timeout=1 open UpperBounds
answered 'FORMULA b1 CANNOT_COMPUTE'
run 2 mcc --timeout=1 open StateSpace
answered CANNOT_COMPUTE
run 2 mcc --timeout=1 open Liveness
answered 'FORMULA Liveness CANNOT_COMPUTE'

# The time ends while bounds of places are sought: random arcs between 2,500 places and transitions.
mkdir long
awk 'BEGIN {
  srand(1)
  print "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">"
  for (i = 0; i < 2500; i++) print "<place id=\"p" i "\"/><transition id=\"t" i "\"/>"
  for (k = 0; k < 15000; k++) {
    p = "p" int(rand() * 2500)
    t = "t" int(k / 6)
    ends = k % 2 ? "source=\"" p "\" target=\"" t "\"" : "source=\"" t "\" target=\"" p "\""
    print "<arc id=\"a" k "\" " ends "><inscription><text>" 1 + k % 7 "</text></inscription></arc>"
  }
  print "</page></net></pnml>"
}' >long/model.pnml
run 2 mcc --timeout=0.2 long StateSpace
answered CANNOT_COMPUTE
says err 'ended before the exploration began'

run 3 mcc ring CTLCardinality
says err "'CTLCardinality' is no examination that floe takes"
silent out
run 3 mcc missing StateSpace
answered CANNOT_COMPUTE
finish
