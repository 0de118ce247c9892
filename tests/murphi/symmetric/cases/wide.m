-- states 261 transitions 933 depth 10 deadlocks 7
-- violated few 2
-- violated deadlock 6
-- holds errors
-- States of several words; arrays with two indices of one scalarset, and of a union.
type node: scalarset(4);
     place: enum { home };
     any: union { place, node };
     step: 0..40;
var mail: array [node] of array [node] of 0..6;
    seen: array [node] of array [1..2] of any;
    rest: array [any] of step;
    left: 0..2;
startstate begin
  for n: node do
    for m: node do mail[n][m] := 0 end;
    rest[n] := 0;
  end;
  rest[home] := 0;
  left := 2;
end;
ruleset n: node; m: node do
  rule "send" left > 0 & n != m ==> begin mail[n][m] := mail[n][m] + left; left := left - 1 end;
  rule "read" mail[n][m] > 0 & isundefined(seen[m][1]) ==> begin
    seen[m][1] := n;
    rest[m] := 10 * mail[n][m];
    mail[n][m] := 0;
  end;
  rule "pass" !isundefined(seen[n][1]) & n = m ==> begin
    seen[n][2] := seen[n][1];
    if isundefined(seen[n][2]) then error "never" end;
    rest[seen[n][2]] := 1;
    seen[n][1] := home;
  end;
end;
ruleset n: node do
  rule "end" left = 0 & rest[n] = 1 & rest[home] < 2 ==> begin rest[home] := rest[home] + 1; rest[n] := 0 end;
end;
rule "stay" true ==> begin end;
invariant "few" forall n: node; m: node do mail[n][m] <= 2 | n = m end;
