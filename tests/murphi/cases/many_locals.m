-- states 5 transitions 5 depth 4 deadlocks 0
-- holds errors
-- holds low
-- A rule with more than 4,096 values of local variables after its loops are expanded.
var a: array [0..9] of 0..9;
    x: 0..9;
startstate begin x := 0; for i := 0 to 9 do a[i] := (i + 1) % 10 end end;
rule "next"
var b: array [0..59] of 0..9;
begin
  for i := 0 to 59 do for k := 0 to 99 do b[i] := a[(x + i + k + 1) % 10] end end;
  x := b[x];
end;
invariant "low" x < 10;
