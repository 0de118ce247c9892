-- states 4 transitions 7 depth 3 deadlocks 1
-- violated errors 2
-- error the end of function 'half' is reached without a value
-- Functions in guards, properties and bodies; var parameters; an early return; recursion.
type index: 0..2;
var a: array [index] of 0..3;
    steps: 0..4;
function count(v: 0..3): 0..3;
var n: 0..3;
begin
  n := 0;
  for i: index do
    if a[i] = v then n := n + 1 end
  end;
  return n;
end;
function first(v: 0..3): index;
begin
  for i: index do
    if a[i] = v then return i end
  end;
  return 2;
end;
function factorial(n: 0..4): 0..24;
begin
  if n = 0 then return 1 end;
  return n * factorial(n - 1);
end;
function half(n: 0..4): 0..2;
begin
  if n % 2 = 0 then return n / 2 end;
  if n = 1 then return 0 end;
end;
procedure swap(var x, y: 0..3);
var z: 0..3;
begin
  z := x; x := y; y := z;
end;
startstate begin
  for i: index do a[i] := i end;
  steps := 0;
end;
rule "swap" count(0) = 1 & first(0) < 2 ==>
begin
  swap(a[first(0)], a[first(0) + 1]);
  steps := steps + 1;
end;
rule "loop" begin assert factorial(steps) > 0 end;
rule "half" steps = 2 ==> begin a[0] := half(steps + 1) end;
rule "last" first(0) = 2 & steps < 3 ==> begin steps := 3 end;
invariant "sum" count(0) + count(1) + count(2) = 3;
