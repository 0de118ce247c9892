-- states 858 transitions 3664 depth 20 deadlocks 0
-- holds errors
-- Multisets in records, as local variables, parameters and results; an index of their own array; undefined parts.
type item: 0..2;
     bag: multiset [3] of item;
     shelf: record bag: bag; label: item end;
     pair: record a: item; b: array [boolean] of item end;
var left, right: shelf;
    pairs: multiset [2] of pair;
function without(b: bag; x: item): bag;
  var copy: bag;
begin
  copy := b;
  multisetremovepred(i: copy, copy[i] = x);
  return copy;
end;
startstate begin
  undefine left;
  clear right;
  right.label := 1;
end;
ruleset x: item do
  rule "put" multisetcount(i: left.bag, true) < 3 & multisetcount(i: right.bag, true) = 0 ==>
  begin multisetadd(x, left.bag) end;
end;
rule "move" multisetcount(i: left.bag, true) = 3 ==>
begin
  right.bag := without(left.bag, right.label);
  undefine left.bag;
end;
choose i: right.bag do
  rule "turn" begin
    right.bag[i] := (right.bag[i] + 1) % 3;
    if right.bag[i] = 0 then multisetremove(i, right.bag) end;
  end;
end;
rule "pair" multisetcount(i: pairs, isundefined(pairs[i].a)) = 0 & multisetcount(i: pairs, true) < 2 ==>
  var p: pair;
begin
  p.b[true] := multisetcount(i: right.bag, right.bag[i] = 1) % 3;
  multisetadd(p, pairs);
end;
choose i: pairs do choose j: pairs do
  rule "same" i != j ==> begin multisetremove(j, pairs) end;
  rule "name" isundefined(pairs[j].a) & i = j ==> begin pairs[i].a := pairs[i].b[true] end;
end end;
