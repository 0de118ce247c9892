-- states 4 transitions 4 depth 3 deadlocks 0
-- unreachable pair
-- reachable two 2
-- reachable pair (2) 1
-- holds deadlock
-- holds errors
-- Cover properties, also in rulesets; wrong indices in guards.
var x: 0..3;
    a: array [0..2] of boolean;
startstate begin x := 0; for i: 0..2 do a[i] := i > 0 end end;
rule begin x := (x + 1) % 4 end;
rule x < 3 & !a[x] & x > 0 ==> begin x := 0 end;
cover "two" x = 2;
ruleset i: 0..1 do cover "pair" x = i & a[i] end;
