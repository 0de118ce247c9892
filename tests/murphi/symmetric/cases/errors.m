-- states 32 transitions 75 depth 12 deadlocks 4
-- violated deadlock
-- violated errors 3
-- error y[j] is undefined
-- A quantifier is evaluated for all values: an error at one does not depend on the others.
type node: scalarset(3);
var x: array [node] of boolean;
    y: array [node] of 0..2;
    count: 0..3;
startstate begin for n: node do x[n] := false end; count := 0 end;
ruleset i: node do
  rule "set" !x[i] ==> begin x[i] := true end;
  rule "fill" x[i] & isundefined(y[i]) ==> begin y[i] := 1 end;
  rule "more" x[i] & !isundefined(y[i]) & y[i] < 2 ==> begin y[i] := y[i] + 1 end;
end;
rule "look" (forall j: node do x[j] end) & (exists j: node do y[j] = 1 end) ==> begin count := (count + 1) % 4 end;
