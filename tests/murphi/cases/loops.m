-- states 5 transitions 4 depth 4 deadlocks 0
-- violated errors 4
-- error a 'while' loop has more than 1000 rounds
-- Loops: for in steps and downwards, while, switch, alias, local arrays with computed indices.
var x: 0..9;
    s: 0..4;
startstate begin x := 0; s := 0 end;
rule "for" s = 0 ==>
var t: 0..99;
begin
  t := 0;
  for i := 1 to 7 by 3 do t := t + i end;
  for i := 3 to 1 do error "empty" end;
  for i := 3 to 1 by -1 do t := t - i end;
  for i := 2 to 3 do t := t + i * i - (i * i) end;
  assert t = 6;
  x := t;
  s := 1;
end;
rule "while" s = 1 ==>
var i: 0..9;
begin
  i := 0;
  while i < x do i := i + 2 end;
  assert i = 6;
  s := 2;
end;
rule "arrays" s = 2 ==>
var b: array [0..9] of 0..9;
begin
  for i: 0..9 do b[i] := i end;
  b[x] := 1;
  alias e: b[b[x]] do
    e := 7;
    x := b[1];
  end;
  switch x case 1, 2: error "no" case 7: s := 3 else error "else" end;
end;
rule "endless" s = 3 ==> begin s := 4 end;
rule "endless" s = 4 ==>
begin
  while true do x := 1 end;
end;
