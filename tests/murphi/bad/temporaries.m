var x: 0..1;
    a: array [0..9] of 0..1;
startstate begin x := 0 end;
rule
var b: array [0..199] of 0..1;
begin for i: 0..199 do for k: 0..199 do b[i] := a[k % 10]; end end end;
