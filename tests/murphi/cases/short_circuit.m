-- states 8 transitions 64 depth 2 deadlocks 0
-- holds errors
-- Operands that are not evaluated cause no errors: indices of local arrays, bounds of quantifiers.
var x: 0..2;
    y: boolean;
startstate begin undefine x; y := false end;
rule "index" var a: array [0..2] of 0..1; begin
  for i: 0..2 do a[i] := i % 2 end;
  if !isundefined(x) & a[x] = 0 then y := true else y := !y end;
end;
rule "choice" var a: array [0..2] of 0..1; begin
  for i: 0..2 do a[i] := i % 2 end;
  y := isundefined(x) ? true : a[x] = 1;
end;
rule "quantifier" var a: array [0..2] of 0..2; begin
  for i: 0..2 do a[i] := 2 - i end;
  y := isundefined(x) | forall i: 0..2 do i = x | a[a[x]] = x end;
end;
rule "bounds" begin
  y := !isundefined(x) -> exists i := x to 2 do i = 1 end;
end;
rule "unset" begin undefine x end;
ruleset v: 0..2 do rule "set" begin x := v end end;
