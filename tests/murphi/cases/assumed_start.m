-- states 3 transitions 3 depth 2 deadlocks 0
-- holds errors
-- An assumption forbids start states, too: one of two is left.
var x: 0..3;
ruleset i: 0..1 do startstate begin x := i end end;
rule "up" x < 3 ==> begin x := x + 1 end;
rule "zero" x = 3 ==> begin x := 0 end;
assume x > 0;
