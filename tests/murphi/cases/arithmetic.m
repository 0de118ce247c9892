-- states 1 transitions 0 depth 0 deadlocks 0
-- violated errors 0
-- error value 10 for x outside -3..9
-- Precedence, truncation, decimal numbers, values of negative ranges.
var x: -3..9;
    y: 0..9;
startstate begin
  x := -7 / 2;
  assert x = -3;
  assert -7 % 2 = -1;
  x := (x - 3) + 4;
  assert x = -2;
  y := 0x9 - 1;
end;
rule "far" begin x := y + 2 end;
invariant "precedence" !x = 0 & (false & false -> false) & (x < 0 ? 1 : 2) = 1 & x + 2 * 3 = 4;
