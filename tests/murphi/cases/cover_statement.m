-- states 37 transitions 83 depth 4 deadlocks 8
-- reachable two 1
-- reachable high 2
-- reachable late 2
-- reachable cover 7 4
-- unreachable never high
-- unreachable five
-- unreachable lower
-- unreachable cover 8
-- The statement `cover`: some rule that fires reaches it with a true condition, at the depth of the state before.
type id: 0..2;
var a: array [id] of 0..3;
    n: 0..5;
procedure look(i: id);
begin
  if a[i] > 1 then
    cover "high" n = 2;
    cover "never high" n = 5;
  end;
end;
startstate begin for i: id do a[i] := 0 end; n := 0 end;
ruleset i: id do
  rule "add" a[i] < 3 ==> begin
    a[i] := a[i] + 1;
    cover "two" a[i] = 2 & i = 2;
    for k: id do look(k) end;
    assume a[0] + a[1] + a[2] < 5;
    cover "five" a[0] + a[1] + a[2] = 5;
    if n < 2 then n := n + 1; return end;
    cover "late" a[1] = 2;
    cover "lower" a[i] = 0;
  end;
end;
rule "clear" a[0] = 1 ==> begin
  cover a[1] = 3;
  clear a;
  cover a[0] = 1;
end;
