#!/bin/sh
# floe export: counts agree with floe count, every state is a successor of a smaller one, labels are quoted, the bound of
# DOT is reported, and no partial files are left.
. "${top_srcdir:-.}/tests/cmd/common.sh"
long=${FLOE_TEST_LONG:-${FLOE_TEST_ALL:-}}
count() { sed -n "s/^$1: //p" counted; }

n=0
for model in "$models/ring.xml" "$models/race.xml" "$models/stuck.xml" "$models/overflow.xml" \
  "$here/models/altbit.xml" "$here/models/peterson.xml"; do
  "$floe" count --continue --engine=interpreter "$model" >counted 2>/dev/null
  run 0 export "$model" -o graph.aut
  silent out
  head -n 1 graph.aut | grep -qx "des (0, $(count transitions), $(count states))" ||
    fail "$model: $(head -n 1 graph.aut), but $(count states) states and $(count transitions) transitions"
  [ "$(wc -l <graph.aut)" -eq $(($(count transitions) + 1)) ] || fail "$model: $(wc -l <graph.aut) lines"
  # breadth first: transitions in the order of their sources, new states numbered as they come
  awk -F', ' '
    NR == 1 { states = $3 + 0; most = 0; next }
    { from = substr($1, 2) + 0; to = $NF + 0
      if ($0 !~ /^\([0-9]+, "[^"]*", [0-9]+\)$/) { print "strange line " $0; exit 1 }
      if (from < last || from > most) { print "source " from " out of order"; exit 1 }
      if (to > most + 1) { print "state " to " out of order"; exit 1 }
      last = from; if (to > most) most = to }
    END { if (most + 1 != states) { print most + 1 " states instead of " states; exit 1 } }' graph.aut >why || fail "$model: $(cat why)"
  run 0 export --format=aut "$model"
  cmp -s out graph.aut || fail "$model: file and standard output differ"
  n=$((n + 1))
done
[ $n -eq 6 ] || fail "$n models"
run 0 export "$models/overflow.xml"
says err 'warning: failing steps (1) and their successors are not in the graph'
run 0 export "$models/ring.xml"
silent err

# The same file from every engine and number of threads, over many batches, in both formats; also with little memory, when
# no text is stored and all targets are looked up. Texts of broadcasts and channels depend on the state.
cat >call.xml <<'END'
<model name="call"><channel name="c" broadcast="true"/>
<process name="S"><location name="a" initial="true"/><transition from="a" label="call" send="c"/></process>
<process name="R" instances="3"><variable name="x" range="0..2"/><location name="a" initial="true"/>
<transition from="a" label="hear" receive="c" guard="x &lt; 2"/><transition from="a" label="step" effect="x = (x + 1) % 3"/></process></model>
END
for model in call.xml "$here/models/peterson.xml" "-D N=4 -D MAX=2 $here/models/bakery.xml" "$models/overflow.xml" \
  "-D N=2 -D RESETS=2 $here/models/havi.xml" "$here/models/slidingwindow.xml"; do
  for format in aut dot; do
    # shellcheck disable=SC2086 # several words
    run 0 export --format=$format --max-states=1000000 --engine=interpreter -j1 $model -o alone
    for how in -j2 ${long:+-j7} '-j5 --engine=cpu' ${long:+'-j1 --engine=cpu' '-j3 --engine=interpreter'} '-j3 --memory=30M' ${long:+'-j1 --memory=4M'}; do
      # shellcheck disable=SC2086
      run 0 export --format=$format --max-states=1000000 $how $model -o others
      cmp -s alone others || fail "$model with $how is another graph"
    done
  done
done
run 3 export --engine=gpu "$models/ring.xml"
says err 'floe export does not support --engine=gpu'

# quotes, backslashes, percent signs and other characters in labels: AUT gives them back by percent-decoding
cat >quote.xml <<'END'
<model name="say"><variable name="x" range="0..1"/><process name="P"><location name="a" initial="true"/>
<transition from="a" label='say "hi" \ 5% é' effect="x = 1 - x"/></process></model>
END
run 0 export quote.xml
says out '(0, "P say %22hi%22 \ 5%25 %C3%A9", 1)'
run 0 export --format=dot quote.xml
says out 'digraph "say" {'
says out '0 -> 1 [label="P say \"hi\" \\ 5% é"];'
says out '0 [style=filled, tooltip="x = 0\n"];'
if command -v dot >/dev/null; then
  dot -Tplain out >plain 2>err || fail "dot: $(cat err)"
fi
run 0 export --format=dot "$models/stuck.xml"
says out '2 [peripheries=2, color=red, penwidth=3, tooltip="violates deadlock\n'
run 0 export --format=dot "$models/overflow.xml"
says out '3 [color=red, penwidth=3, tooltip="violates errors\nn = 3\n'
[ "$(grep -c color=red out)" -eq 1 ] || fail "not one violation: $(cat out)"
# `sum` is violated where both are done without two additions
run 0 export --format=dot --state-labels "$models/race.xml"
says out '0 [style=filled, label="0\ncounter = 0\nP[0] = ready\n'
grep -F 'P[0] = done\nP[1] = done' out | grep -v 'counter = 2' >expected
grep 'color=red, penwidth=3, label="11\\nviolates sum\\ncounter = 1' out >red
cmp -s expected red || fail "violations of sum: $(cat red)"
[ "$(grep -c -e color=red -e violates out)" -eq 1 ] || fail "not one violation: $(cat out)"
# an error in `unless` of a deadlock; several properties; and with an error in a property
cat >several.xml <<'END'
<model name="several"><variable name="x" range="0..2"/><process name="P"><location name="a" initial="true"/>
<transition from="a" guard="x lt 2" effect="x++"/></process><deadlock unless="1 / (x - 2) == 0"/>
<property id="low" kind="invariant">x lt 1</property><property id="top" kind="never">x == 2</property>
<property id="part" kind="reachable">1 / (x - 1) == 1</property></model>
END
run 0 export --format=dot several.xml
says out '0 [style=filled, tooltip="x = 0\n'
says out '1 [color=red, penwidth=3, tooltip="violates low, errors\nx = 1\n'
says out '2 [peripheries=2, color=red, penwidth=3, tooltip="violates low, top, errors\nx = 2\n'
run 3 export --state-labels "$models/race.xml"
says err 'requires --format=dot'

# bounds
run 2 export --format=dot "$here/models/peterson.xml" -o graph.dot
says err 'graph not written: the model has more than 2000 states'
says err 'raise --max-states'
[ ! -e graph.dot ] || fail 'half a graph'
run 0 export --format=dot "$here/models/peterson.xml" --max-states=10000 -o graph.dot
grep -c -- '->' graph.dot >edges
[ "$(cat edges)" -eq $(($(wc -l <graph.aut) - 1)) ] || fail "$(cat edges) edges in DOT"
run 0 export --max-states=6 "$models/ring.xml"
run 2 export --max-states=5 "$models/ring.xml"
silent out
run 2 export --memory=100K "$here/models/peterson.xml"
run 2 export --timeout=0.2 "$models/large.xml"
run 3 export "$models/ring.xml" --format=gml
run 3 export "$models/ring.xml" -o /nowhere/x
if [ -c /dev/full ]; then
  run 5 export "$models/ring.xml" -o /dev/full
fi
mkdir empty
(ulimit -f 8; trap '' XFSZ; exec "$floe" export "$here/models/peterson.xml" -o empty/x) >out 2>err
[ $? -eq 5 ] || fail "a file beyond the limit: $(cat err)"
[ -z "$(ls -A empty)" ] || fail "a full disk leaves $(ls empty)"
finish
