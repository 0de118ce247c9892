-- states 10 transitions 36 depth 5 deadlocks 0
-- violated written 3
-- holds current
-- holds owner
-- holds deadlock
-- holds errors
-- Two scalarsets: arrays over one hold values of the other. One invariant is violated.
type node: scalarset(3);
     data: scalarset(2);
     kind: enum { idle, ask, owns };
var line: array [node] of record state: kind; copy: data end;
    memory, last: data;
    owner: node;
ruleset d: data do
  startstate begin
    for n: node do line[n].state := idle end;
    memory := d;
    last := d;
  end;
end;
ruleset n: node do
  rule "ask" line[n].state = idle ==> begin line[n].state := ask end;
  rule "grant" line[n].state = ask & isundefined(owner) ==> begin
    owner := n;
    line[n].state := owns;
    line[n].copy := memory;
  end;
  rule "leave" line[n].state = owns ==> begin
    memory := line[n].copy;
    line[n].state := idle;
    undefine line[n].copy;
    undefine owner;
  end;
  ruleset d: data do
    rule "write" line[n].state = owns ==> begin line[n].copy := d; last := d end;
  end;
end;
invariant "current" isundefined(owner) -> memory = last;
invariant "owner" forall n: node do line[n].state = owns -> owner = n end;
invariant "written" !isundefined(owner) -> line[owner].copy = memory;
