-- states 80 transitions 622 depth 9 deadlocks 2
-- violated deadlock 8
-- holds errors
-- Deadlocks: no rule is enabled, or all lead back to the state. A firing that an assumption forbids changes the state.
type id: 0..1;
var x: 0..3; y: array [id] of boolean; wide: array [0..6] of 0..1000000; z: 0..4;
startstate
  x := 0; z := 0;
  for i: id do y[i] := false end;
  for i: 0..6 do wide[i] := 1000 end;
end;
rule "up" x < 3 ==> x := x + 1; wide[x] := 1000 + x; end;
ruleset i: id do rule "set" z < 2 ==> y[i] := true; end end;
ruleset i: 0..6 do rule "same" z != 1 ==> wide[i] := wide[i] end end;
rule "count" x != 2 & z < 4 ==> z := z + 1; end;
rule "refused" x = 3 & z = 4 & !y[0] ==> z := z - 1; x := 0; end;
assume "no way back" z = 4 | x > 0 | wide[1] = 1000;
