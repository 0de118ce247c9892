-- states 4 transitions 16 depth 2 deadlocks 0
-- holds errors
-- The word `undefined`: as a value that is assigned, and for parameters, which can be assigned and passed on.
type r: record x: 0..2; y: boolean end;
var v: r;
procedure set(x: 0..2; w: r);
begin
  v := w;
  v.x := x;
end;
procedure pass(x: 0..2); begin set(x, undefined) end;
startstate begin v := undefined end;
rule "x" begin pass(1) end;
rule "none" begin pass(UNDEFINED) end;
rule "y" begin v.y := true end;
rule "not y" begin v.y := Undefined end;
