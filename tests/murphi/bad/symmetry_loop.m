-- --symmetry=on
type n: scalarset(2);
var x: array [n] of 0..4;
    last: n;
    sum: 0..9;
function any(): boolean;
begin
  for i: n do if x[i] = 1 then return true end end;
  return false;
end;
startstate begin for i: n do x[i] := 0 end; sum := 0 end;
rule "number" sum = 0 ==> begin for i: n do x[i] := sum; sum := sum + 1 end end;
rule "last" begin for i: n do if x[i] = 1 then last := i end end end;
rule "reset" any() ==> begin sum := 0 end;
rule "again" var k: 0..9; begin k := 0; for i: n do k := k + x[i] end; sum := k end;
