-- states 10 transitions 13 depth 5 deadlocks 1
-- holds errors
-- A rule fires only if no rule with a smaller number can fire; a rule without a number has 0.
type id: 0..1;
var a: array [id] of 0..2;
    done: boolean;
startstate begin for i: id do a[i] := 0 end; done := false end;
ruleset i: id do
  rule 10 "step" a[i] < 2 ==> begin a[i] := a[i] + 1 end;
  rule 5 "meet" a[i] = 1 & a[1 - i] = 1 ==> begin a[i] := 2 end;
end;
rule 20 "stop" !done ==> begin done := true end;
