-- states 74 transitions 254 depth 7 deadlocks 0
-- holds errors
-- Guards that change variables: the changes stay if the rule fires.
type id: 0..2;
var a: array [id] of 0..3;
    n: 0..7;
    r: record b: boolean; i: id end;
function bump(i: id): boolean;
begin
  if a[i] < 3 then a[i] := a[i] + 1; return true end;
  return false;
end;
function next(var i: id): id;
  var old: id;
begin
  old := i;
  i := (i + 1) % 3;
  return old;
end;
function first(i: id): boolean;
  var w: array [id] of 0..3;
begin
  w := a;
  for k: id do
    if w[k] = 0 then
      w[k] := 1;
      a[i] := w[k];
      r.i := k;
      return r.b;
    end;
  end;
  return a[i] > 2;
end;
startstate begin
  for i: id do a[i] := 0 end;
  n := 0;
  r.b := false;
  r.i := 0;
end;
ruleset i: id do
  rule "bump" r.b & bump(i) & a[i] != 2 ==> begin n := (n + a[i]) % 3 end;
  rule "first" first(i) | n = 2 ==> begin r.b := !r.b end;
end;
rule "next" n < 3 & a[next(r.i)] > 0 & next(r.i) != 1 ==> begin a[r.i] := 0 end;
rule "flip" begin r.b := !r.b end;
