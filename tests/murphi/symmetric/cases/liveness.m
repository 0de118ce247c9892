-- holds worn
-- violated fresh 2
-- Liveness properties of all values of a scalarset: a node is worn for ever.
type node: scalarset(3);
var s: array [node] of enum { idle, busy, worn_out };
startstate begin for n: node do s[n] := idle end end;
ruleset n: node do
  rule "start" s[n] = idle ==> begin s[n] := busy end;
  rule "end" s[n] = busy ==> begin s[n] := idle end;
  rule "wear" s[n] = busy ==> begin s[n] := worn_out end;
end;
liveness "fresh" forall n: node do s[n] = idle end;
liveness "worn" exists n: node do s[n] = worn_out end;
