-- states 190 transitions 506 depth 18 deadlocks 2
-- violated few 4
-- violated deadlock 9
-- holds errors
-- Multisets that hold values of a scalarset: one for all, and one for each value.
type node: scalarset(3);
     kind: enum { ask, answer };
     message: record kind: kind; dest: node; from: node end;
var net: multiset [2] of message;
    seen: array [node] of multiset [2] of node;
    busy: array [node] of boolean;
startstate begin for n: node do busy[n] := false end end;
ruleset n: node; m: node do
  rule "ask" n != m & !busy[n] & multisetcount(i: net, true) < 2 & multisetcount(k: seen[m], true) = 0 ==>
  var new: message;
  begin
    new.kind := ask;
    new.dest := m;
    new.from := n;
    multisetadd(new, net);
    busy[n] := true;
  end;
end;
choose i: net do
  rule "answer" net[i].kind = ask & multisetcount(k: seen[net[i].dest], true) < 2 ==>
  var new: message;
  begin
    new.kind := answer;
    new.dest := net[i].from;
    new.from := net[i].dest;
    multisetadd(net[i].from, seen[net[i].dest]);
    multisetremove(i, net);
    multisetadd(new, net);
  end;
  rule "done" net[i].kind = answer ==> begin
    busy[net[i].dest] := false;
    multisetremove(i, net);
  end;
end;
ruleset n: node do
  rule "forget" multisetcount(k: seen[n], true) = 2 ==> begin
    multisetremovepred(k: seen[n], !busy[seen[n][k]]);
  end;
end;
invariant "few" multisetcount(i: net, net[i].kind = answer) < 2;
