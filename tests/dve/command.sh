#!/bin/sh
# DVE models with each command: texts of traces, explanations, ranges, constants, recognition by content.
. "${top_srcdir:-.}/tests/cmd/common.sh"

cat >lift.dve <<'END'
const byte N = 3;
byte floor, calls[N];
channel call, go;
process Button {
  byte at;
  state idle, pressed;
  init idle;
  trans
    idle -> pressed { guard at < N and calls[at] == 0; sync call!at; effect calls[at] = 1; },
    pressed -> idle { effect at = at + 1; },
    idle -> idle { guard at == N + 1; };
}
process Lift {
  byte wanted;
  state waits, moves;
  init waits;
  assert waits: floor != 2;
  trans
    waits -> moves { sync call?wanted; },
    moves -> moves { guard floor < wanted; effect floor = floor + 1; },
    moves -> waits { guard floor == wanted and Button.idle; };
}
system async;
END

# traces and explanations
run 1 check --continue --why-never --trace=trace.json --report=report.html lift.dve
says out 'assert:Lift.waits violated at depth'
says out 'invariant Lift.waits imply floor != 2'
says out 'Button->at 0 -> 1'
says out 'Lift moves -> waits (lift.dve:'
says out 'never enabled: Button idle -> idle (lift.dve:11)'
says report.html 'Button'
run 0 replay lift.dve trace.json
says out 'assert:Lift.waits: replayed, violated at depth 11'
says out 'Button at idle waits to go to pressed (lift.dve:9): at < N is false, Button->at is 3'

# ranges: those of the whole model, not of the types
run 0 plan lift.dve
for range in '^floor .* 0..2' '^Button->at .* 0..3' '^Lift->wanted .* 0..2' '^calls .* 0..1'; do
  grep -q "$range" out || fail "no range '$range': $(cat out)"
done

# constants, other engines and commands
run 0 count -q -D N=2 lift.dve
two=$(cat out)
run 0 count -q -D N=2 --engine=interpreter lift.dve
[ "$(cat out)" = "$two" ] || fail "interpreter and engine differ: $(cat out), $two"
run 3 count -D M=2 lift.dve
says err 'its constants: N'
run 3 count -D N=300 lift.dve
says err '-D N=300: the value is outside 0..255'
run 0 simulate --steps=5 --seed=3 lift.dve
says out 'Button'
run 0 export --format=dot lift.dve
says out 'digraph'
run 0 export lift.dve
says out 'des ('

# by content, from standard input and with another name; behind comments
{
  printf '/* a lift */\n// with buttons\n'
  cat lift.dve
} >lift.txt
run 0 count -q lift.txt
[ "$("$floe" count -q - <lift.txt)" = "$(cat out)" ] || fail 'standard input is not read as DVE'

# an error has line, column, excerpt, caret and hint
sed 's/guard at < N and/guard att < N and/' lift.dve >wrong.dve
run 3 check wrong.dve
cat >wanted <<'END'
wrong.dve:9:29: error: there is no variable 'att'
      idle -> pressed { guard att < N and calls[at] == 0; sync call!at; effect calls[at] = 1; },
                              ^
  did you mean 'at'?
END
cmp -s wanted err || fail "another message: $(cat err)"
finish
