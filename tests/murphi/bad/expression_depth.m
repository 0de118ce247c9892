-- the result of the function has an operator for each round
var x: 0..1;
function f(): 0..1;
var s: 0..1;
begin
  s := 0;
  for i := 1 to 6000 do s := (s + x) % 2; end;
  return s;
end;
startstate begin x := 0; end;
rule f() = 0 ==> begin x := 1; end;
