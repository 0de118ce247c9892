-- states 99 transitions 414 depth 7 deadlocks 9
-- holds errors
-- Multisets in an array: choose fires once for each element. cases/multisets_counted.m has the same states and steps.
type node: 0..1;
     kind: enum { ask, answer };
     message: record kind: kind; from: node end;
     bag: multiset [2] of message;
var net: array [node] of bag;
function room(n: node): boolean; begin return multisetcount(i: net[n], true) < 2 end;
procedure send(k: kind; from: node; var where: bag);
  var m: message;
begin
  m.kind := k;
  m.from := from;
  multisetadd(m, where);
end;
startstate begin clear net end;
ruleset n: node; from: node do
  rule "ask" room(n) ==> begin send(ask, from, net[n]) end;
end;
ruleset n: node do
  choose i: net[n] do
    alias m: net[n][i] do
      rule "receive" m.kind = answer | room(1 - n) ==>
      begin
        if m.kind = ask then send(answer, n, net[1 - n]) end;
        multisetremove(i, net[n]);
      end;
    end;
  end;
  rule "drop" exists from: node do multisetcount(i: net[n], net[n][i].from = from) = 2 end ==>
  begin
    multisetremovepred(i: net[n], net[n][i].kind = answer);
  end;
end;
