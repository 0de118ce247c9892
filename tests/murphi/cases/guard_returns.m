-- states 12 transitions 18 depth 5 deadlocks 3
-- holds small
-- violated deadlock 3
-- holds errors
-- Guards that call functions with several returns, some of them in nested loops.
const MOST: 2;
type id: 0..2;
var n: array [id] of 0..MOST; turn: id; mark: 0..5;

function some_full(): boolean;
begin
  for i: id do
    for k: id do
      if n[i] = MOST then return true end;
      if n[k] > n[i] & i + k = 2 & n[i] > 0 then return false end;
    end;
  end;
  return n[0] + n[1] + n[2] > 3;
end;

function first(least: 0..MOST): 0..9;
var seen: 0..9;
begin
  seen := 0;
  for i: id do
    if n[i] >= least then
      if i = turn then return i else if seen > 1 then return 5 + i end end;
      seen := seen + 1;
    elsif n[i] = 0 & mark = 3 then
      return 9;
    end;
  end;
  return 4;
end;

function ready(i: id): boolean;
begin
  if some_full() then return mark > i end;
  return first(1) = i;
end;

startstate
  for i: id do n[i] := 0 end;
  turn := 0;
  mark := 0;
end;

ruleset i: id do
  rule "add" ready(i) & n[i] < MOST ==>
    n[i] := n[i] + 1;
    turn := (turn + i + 1) % 3;
  end;
  rule "take" !ready(i) & n[i] > 0 ==>
    n[i] := n[i] - 1;
    mark := (mark + 1) % 6;
  end;
end;
rule "turn" first(1) = 4 | some_full() ==> turn := (turn + 1) % 3 end;
rule "mark" first(MOST) < 9 ==> mark := (mark + 1) % 6 end;
invariant "small" first(0) <= 9;
