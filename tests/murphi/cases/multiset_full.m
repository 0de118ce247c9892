-- states 6 transitions 6 depth 2 deadlocks 0
-- error the multiset 's' is full
type bit: 0..1;
var s: multiset [2] of bit;
startstate begin clear s end;
ruleset b: bit do rule "add" begin multisetadd(b, s) end end;
