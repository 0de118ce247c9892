-- states 588 transitions 2976 depth 16 deadlocks 0
-- holds errors
-- Assumptions outside of rules: a firing that they forbid counts, and changes nothing.
type id: 0..2;
var a: array [id] of 0..3;
    s: record last: id; v: array [boolean] of 0..1 end;
startstate begin for i: id do a[i] := 0 end; s.last := 0; undefine s.v end;
ruleset i: id do
  rule "up" begin a[i] := (a[i] + 1) % 4; s.last := i end;
  rule "down" a[i] > 0 ==> begin
    if i > 0 then a[i - 1] := a[i]; s.v[a[i] > 1] := i % 2 end;
    a[s.last] := a[i] - 1;
    s.last := (i + s.last) % 3;
  end;
end;
ruleset i: id; j: id do assume "close" i < j -> a[i] <= a[j] + 1 end;
assume a[0] + a[1] + a[2] < 6;
invariant "small" a[0] < 3 | a[1] < 2;
