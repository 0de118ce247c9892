-- states 7 transitions 14 depth 3 deadlocks 0
-- violated errors 2
-- error y is undefined
-- Undefined is a value of the state: copied in records, an error when a scalar is read.
type pair: record a, b: 0..1 end;
var p, q: pair;
    y: 0..1;
startstate begin
  p.a := 0;
end;
rule "copy" begin q := p end;
rule "set" isundefined(p.b) ==> begin p.b := 1 end;
rule "clear" !isundefined(p.b) ==> begin clear p.b; undefine q end;
rule "read" !isundefined(q.b) ==> begin p.a := y end;
invariant "one" isundefined(q.b) | q.b <= 1;
