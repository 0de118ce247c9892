-- states 182 transitions 752 depth 8 deadlocks 0
-- holds errors
-- The statement `assume`: a rule fires only if its assumptions hold where they stand.
type id: 0..2;
var a: array [id] of 0..3;
    last: id;
procedure check(v: 0..6; limit: 0..6);
begin
  if v > 2 then assume limit > v end;
end;
startstate begin for i: id do a[i] := i end; last := 0 end;
ruleset i: id do
  rule "add" begin
    a[i] := (a[i] + 1) % 4;
    assume a[i] != 1 | last = i;
    for k: id do check(a[k], 3 + (k + last) % 3) end;
    last := i;
  end;
  rule "return" a[i] > 0 ==> begin
    if a[i] = 3 then return end;
    assume last != i;
    a[i] := 0;
    last := i;
  end;
  rule "error before" a[i] = 2 ==> begin
    assume last != 2;
    assert last != 2;
    last := 2;
  end;
end;
