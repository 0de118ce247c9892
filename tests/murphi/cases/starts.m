-- states 6 transitions 6 depth 4 deadlocks 0
-- holds small
-- violated low 1
-- holds errors
-- Start states that are equal count once; their choice is no step.
var x: 0..5;
ruleset i: 2..3 do startstate "from" begin x := i end end;
startstate begin x := 2 end;
rule "next" begin x := (x + 1) % 6 end;
invariant "small" x <= 5;
invariant "low" x <= 3;
