-- states 6 transitions 34 depth 2 deadlocks 0
-- holds errors
-- A union has the values of its members.
type h: enum { Home };
     p: scalarset(2);
     n: union { h, p };
var o: n;
    d: boolean;
startstate begin o := Home; d := false end;
ruleset x: n do
  rule "move" o != x ==> begin o := x end;
  rule "same" begin
    if x = Home then d := true end;
    if ismember(o, p) then switch o case Home: error "no" end end;
  end;
end;
rule "reset" d & !ismember(o, p) ==> begin d := false end;
rule "set" !d ==> begin d := true end;
