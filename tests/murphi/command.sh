#!/bin/sh
# Murphi models with each command: texts of traces, constants, expressions, recognition by content.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >ring.m <<'END'
const N: 3;
type node: scalarset(N);
     kind: enum { none, ask };
     link: record state: kind; peer: node; level: -1..2 end;
var line: array [node] of link;
    full: array [2..3] of boolean;
startstate "empty" begin
  for n: node do line[n].state := none; line[n].level := -1 end;
  clear full;
end;
ruleset n: node; m: node do
  rule "ask" n != m & line[n].state = none ==>
  begin
    line[n].state := ask;
    line[n].peer := m;
    line[n].level := line[n].level + 1;
  end;
end;
invariant "free" exists n: node do line[n].state = none end;
END

# traces: parameters, names of values and of indices, only what changes
run 1 check --continue --why-never --trace=trace.json --report=report.html ring.m
says out 'ask {n=node_1, m=node_2}'
says out 'line[node_1].state none -> ask'
says out 'line[node_1].peer undefined -> node_2'
says out 'line[node_1].level -1 -> 0'
says out 'free violated at depth 3'
says report.html 'ask'
run 0 replay ring.m trace.json
says out 'free: replayed, violated at depth 3'

# constants, other engines and commands
run 0 count -q -D N=2 ring.m
[ "$(cat out)" = 4 ] || fail "2 nodes: $(cat out) states"
run 0 count -q -D N=2 --engine=interpreter ring.m
[ "$(cat out)" = 4 ] || fail "2 nodes with the interpreter: $(cat out) states"
run 3 count -D M=2 ring.m
says err 'its constants: N'
run 1 simulate --steps=3 --seed=3 ring.m
says out 'ask'
run 0 export --format=dot -D N=2 ring.m
says out 'digraph'
run 0 plan ring.m
says out 'line'

run 0 convert -D N=2 ring.m ring.xml
run 0 count -q ring.xml
[ "$(cat out)" = 4 ] || fail "2 nodes, converted: $(cat out) states"
says ring.xml '<enumeration name="kind" values="none, ask"/>'

# by content, from standard input and with another name; behind comments
{
  printf -- '-- a ring\n/* of nodes */\n'
  cat ring.m
} >ring.txt
run 0 count -q ring.txt
[ "$("$floe" count -q - <ring.txt)" = "$(cat out)" ] || fail 'standard input is not read as Murphi'

# several start states: counted from them, and the trace shows which one
cat >starts.m <<'END'
var x: 0..9;
ruleset i: 0..1 do startstate "begin at" begin x := 4 * i end end;
rule "up" x < 6 ==> begin x := x + 1 end;
invariant "low" x < 6;
END
run 1 check starts.m
says out 'low violated at depth 2'
says out 'begin at {i=1}'
says out 'x undefined -> 4'
run 2 count --max-depth=1 starts.m
says out 'states: 4'
run 0 count starts.m
says out 'states: 7'
says out 'transitions: 6'
says out 'depth: 3'

# included files: their parts stand in the place of the include, and messages name them
mkdir -p parts/more
cat >parts/types.m <<'END'
include "more/size.m"
type node: 0..N;
END
echo 'const N: 2;' >parts/more/size.m
echo 'rule "up" x[n] < N ==> x[n] := x[n] + 1 end' >parts/rules.m
cat >including.m <<'END'
INCLUDE "parts/types.m";
var x: array [node] of node; include: boolean;
startstate include := false; for n: node do x[n] := 0 end end;
ruleset n: node do include "parts/rules.m"; end;
invariant x[0] + x[1] < 4;
END
run 1 check including.m
says out 'up {n=0} (parts/rules.m:1)'
"$floe" count -q - <including.m 2>err && fail 'a model from standard input includes a file'
says err "'parts/types.m' cannot be included"
run 0 count -q -D N=1 including.m
[ "$(cat out)" = 4 ] || fail "with included files: $(cat out) states"
cp including.m including
run 0 count -q -D N=1 including
run 3 count --no-include including.m
says err 'includes are turned off'
echo 'rule "up" x[n] < N ==> x[n] := y + 1 end' >parts/rules.m
run 3 count including.m
says err 'parts/rules.m:1:32: error:'
echo 'rule "up" x[n] < N ==> x[n] := 1 end end' >parts/rules.m
run 3 count including.m
says err "parts/rules.m:1:38: error: expected a declaration, a rule or a property, found 'end'"
echo 'include "../including.m"' >parts/rules.m
run 3 count including.m
says err 'including.m includes itself'

# which states are deadlocks: those that steps only lead back to, by default; the choice belongs to the model
cat >stutter.m <<'END'
var x: 0..3;
startstate begin x := 0 end;
rule "up" x < 3 ==> begin x := x + 1 end;
rule "stay" x = 3 ==> begin x := 3 end;
END
run 1 check --trace=trace.json stutter.m
says out 'deadlock: violated at depth 3'
says out 'stay (stutter.m:4): it changes nothing'
run 0 replay stutter.m trace.json
run 1 check --deadlock=stuttering stutter.m
says out 'deadlock-mode=3'
run 0 check --deadlock=stuck stutter.m
says out 'deadlock: holds'
says out 'deadlocks: 0'
run 0 check --deadlock=off stutter.m
grep -q deadlock: out && fail '--deadlock=off checks it'
run 3 check --deadlock=off -p deadlock stutter.m
run 2 check --deadlock=stuck --max-states=2 --checkpoint=stuck.ckpt --checkpoint-every=0 stutter.m
run 0 resume --max-states=9 stuck.ckpt
says out 'deadlock: holds'
run 3 check -D deadlock-mode=7 stutter.m
says err "'7' is no value for constant deadlock-mode"
run 0 export --format=dot --deadlock=stuck stutter.m
grep -q violates out && fail 'the export of --deadlock=stuck has violations'
run 0 export --format=dot stutter.m
says out 'violates deadlock'
run 1 simulate --steps=9 --seed=3 stutter.m
says out 'deadlock'
run 0 convert stutter.m stutter.xml
says err "the property 'deadlock' is left out"
run 0 check stutter.xml
run 1 check --deadlock=stuttering stutter.xml
says out 'deadlock: violated at depth 3'
run 1 check --deadlock=stuttering --engine=interpreter stutter.xml

# a variable that is never undefined needs no value for it
cat >narrow.m <<'END'
var used, unused: 0..7;
startstate begin used := 0 end;
rule "up" used < 3 ==> begin if used = 2 then used := 3 else used := used + 1 end end;
rule "never" used = 4 ==> begin undefine used end;
END
run 0 plan narrow.m
grep -q '^used  *1  *2  *2 .*0\.\.3$' out || fail "the range of 'used': $(cat out)"
says out 'bits per state: 2 in 1 word'
run 0 count -q narrow.m
[ "$(cat out)" = 4 ] || fail "narrow ranges: $(cat out) states"

run 3 convert starts.m starts.xml
says err "a model with several start states cannot be written: 'xml' has one initial state"

# an error has line, column, excerpt, caret and hint
sed 's/line\[n\].peer := m/line[n].pear := m/' ring.m >wrong.m
run 3 check wrong.m
cat >wanted <<'END'
wrong.m:15:13: error: the record has no field 'pear'
      line[n].pear := m;
              ^
  did you mean 'peer'?
END
diff wanted err || fail 'the message of a wrong field'
finish
