-- states 2970 transitions 12436 depth 20 deadlocks 0
-- violated small 6
-- holds errors
-- Whole records copied and written back: only what changes is stored, and nothing that has changed meanwhile is lost.
type pair: record a: 0..3; b: 0..3; end;
var now: pair;
    other: array[0..2] of pair;
    turn: 0..2;

startstate
begin
  clear now;
  clear other;
  turn := 0;
end;

-- The copy has one change.
rule "one field" now.a < 3 ==>
var next: pair;
begin
  next := now;
  next.a := next.a + 1;
  now := next;
end;

-- The variable changes after it is read: the old value is stored.
rule "changed meanwhile" now.b < 3 ==>
var next: pair;
begin
  next := now;
  now.a := 0;
  next.b := next.b + 1;
  now := next;
end;

-- An element with a computed index may be the one that was read.
rule "some element" ==>
var next: pair;
begin
  next := other[1];
  other[turn].b := now.b;
  other[1] := next;
  turn := (turn + 1) % 3;
end;

-- Read in one branch only.
rule "in a branch" now.b > 0 ==>
var next: pair;
begin
  next := other[0];
  if turn = 1 then next := other[2]; end;
  other[2] := next;
  if turn = 2 then next := now; other[0].a := now.a; now := next; else now := next; end;
end;

-- Nothing changes.
rule "nothing" ==>
var next: pair;
begin
  next := now;
  now := next;
  other[2] := other[2];
end;

invariant "small" now.a + now.b < 6 | turn > 0;
