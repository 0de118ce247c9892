-- states 38 transitions 553 depth 8 deadlocks 0
-- violated moved 7
-- holds deadlock
-- holds errors
-- A function from a scalarset to itself: instances that look alike differ by the cycles that they are on, so that several
-- orders are tried.
type node: scalarset(5);
var next: array [node] of node;
    at: node;
    full: boolean;
startstate begin for n: node do next[n] := n end; full := false end;
ruleset n: node; m: node do
  rule "join" n != m & next[n] = n & next[m] = m ==> begin next[n] := m; next[m] := n end;
  rule "insert" n != m & next[n] = n & next[m] != m ==> begin next[n] := next[m]; next[m] := n end;
  rule "swap" n != m & next[n] != n & next[m] != m & full ==>
  var old: node;
  begin old := next[n]; next[n] := next[m]; next[m] := old end;
end;
ruleset n: node do rule "enter" isundefined(at) ==> begin at := n end end;
rule "move" !isundefined(at) ==> begin at := next[at] end;
rule "leave" !isundefined(at) & next[at] = at ==> begin undefine at end;
rule "close" !full & forall n: node do next[n] != n end ==> begin full := true end;
invariant "moved" full -> exists n: node do next[n] != n end;
