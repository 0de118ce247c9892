-- states 50 transitions 75 depth 18 deadlocks 1
-- violated deadlock 18
-- holds errors
-- Rules with a larger number fire only if no rule with a smaller one can, for any parameter; a multiset without scalarsets.
type node: scalarset(3);
var x: array [node] of 0..3;
    y: array [node] of boolean;
    log: array [node] of multiset [2] of boolean;
startstate begin for n: node do x[n] := 0; y[n] := false end end;
ruleset n: node do
  rule 2 "up" x[n] < 2 ==> begin x[n] := x[n] + 1 end;
  rule 1 "note" x[n] = 2 & multisetcount(i: log[n], true) < 2 ==> begin multisetadd(y[n], log[n]); y[n] := !y[n]; x[n] := 3 end;
  rule "down" x[n] = 3 & multisetcount(i: log[n], true) = 1 ==> begin x[n] := 1 end;
end;
