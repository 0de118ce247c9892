-- states 3 transitions 6 depth 1 deadlocks 1
-- error the multiset has no such element
-- An element keeps its slot while the rule runs; a further one takes the first empty slot.
type bit: 0..1;
var s: multiset [2] of bit;
    last: bit;
startstate begin multisetadd(0, s); multisetadd(1, s); last := 0 end;
choose i: s do
  rule "replace" begin
    multisetremove(i, s);
    multisetadd(1, s);
    last := s[i];
  end;
  rule "twice" last = 0 & s[i] = 0 ==> begin
    multisetremove(i, s);
    last := s[i];
  end;
end;
