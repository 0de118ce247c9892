-- states 2880 transitions 29412 depth 11 deadlocks 0
-- holds errors
-- Local variables and parameters behind a return in a part of the cases.
type id: 0..3;
var a: array [id] of 0..2;
    found: id;
    n: 0..9;
function free(from: id): id;
  var k: id; tries: 0..4;
begin
  tries := 0;
  k := 1;
  while true do
    if a[k] = 0 then return k end;
    if k = 3 then k := 0 else k := k + 1 end;
    tries := tries + 1;
    if tries = 3 then return (from + 1) % 4 end;
  end;
end;
procedure step(i: id; var where: id; var count: 0..9);
  var old: id;
begin
  old := where;
  if a[i] = 2 then
    where := i;
    return;
  end;
  for k: id do
    if a[k] > 0 & k > i then
      count := (count + k) % 10;
      if count = 5 then return end;
      old := k;
    end;
  end;
  where := old;
end;
function any(limit: 0..2): boolean;
begin
  for k: id do for l: id do if k != l & a[k] + a[l] > limit + 1 then return k < l end end end;
  return false;
end;
startstate begin for i: id do a[i] := i % 2 end; found := 0; n := 0 end;
ruleset i: id do
  rule "set" begin found := free(i); a[found] := (a[found] + 1) % 3 end;
  rule "step" var f: id; begin
    f := found;
    step(i, f, n);
    if f = 3 & n < 8 then n := n + 1; return end;
    found := f;
    if n > 6 then n := 0 end;
  end;
  rule "any" any(i % 3) & a[i] > 0 ==> begin a[i] := a[i] - 1 end;
end;
