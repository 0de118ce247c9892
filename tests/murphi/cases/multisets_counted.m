-- states 99 transitions 414 depth 7 deadlocks 9
-- violated deadlock 4
-- holds errors
-- The numbers of equal elements, instead of a multiset: the same states and steps as cases/multisets.m.
type node: 0..1;
     kind: enum { ask, answer };
var net: array [node] of array [kind] of array [node] of 0..2;
function size(n: node): 0..8;
  var sum: 0..8;
begin
  sum := 0;
  for k: kind do for f: node do sum := sum + net[n][k][f] end end;
  return sum;
end;
startstate begin for n: node do for k: kind do for f: node do net[n][k][f] := 0 end end end end;
ruleset n: node; from: node do
  rule "ask" size(n) < 2 ==> begin net[n][ask][from] := net[n][ask][from] + 1 end;
end;
ruleset n: node; k: kind; from: node; copy: 1..2 do
  rule "receive" net[n][k][from] >= copy & (k = answer | size(1 - n) < 2) ==>
  begin
    if k = ask then net[1 - n][answer][n] := net[1 - n][answer][n] + 1 end;
    net[n][k][from] := net[n][k][from] - 1;
  end;
end;
ruleset n: node do
  rule "drop" exists from: node do net[n][ask][from] + net[n][answer][from] = 2 end ==>
  begin
    for f: node do net[n][answer][f] := 0 end;
  end;
end;
