-- states 5 transitions 6 depth 2 deadlocks 1
-- holds even
-- holds high
-- violated zero 0
-- violated before 2
-- violated at 2
-- holds at (2)
-- holds liveness 7
-- violated deadlock 2
-- Liveness: from every state a state with the condition can be reached. Two start states, a state that no rule leaves.
var x: 0..4;
startstate "low" begin x := 0 end;
startstate "high" begin x := 3 end;
rule "step" x < 2 ==> begin x := x + 1 end;
rule "back" x = 1 ==> begin x := 0 end;
rule "swap" x >= 3 ==> begin x := 7 - x end;
rule "rest" x = 2 ==> begin x := 2 end;
liveness "even" x % 2 = 0;
liveness "high" x >= 2;
liveness "zero" x = 0;
liveness "before" x != 2;
ruleset i: 0..1 do liveness "at" x = 2 * i | x = 4 end;
liveness x = 2 | x >= 3;
