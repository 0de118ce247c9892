-- Copies of one line of memory in N caches. A cache that wants to write waits until the others have given up their copies.
const N: 2;
      CAREFUL: 0; -- 1: it also waits for copies that are only read
type node: scalarset(N);
     copy: enum { invalid, shared, exclusive };
     wish: enum { none, read, write };
var cache: array [node] of copy;
    request: record kind: wish; from: node end;

function in_the_way(c: copy): boolean;
begin
  return c = exclusive | (CAREFUL = 1 & c = shared);
end;

procedure grant(n: node; c: copy);
begin
  cache[n] := c;
  request.kind := none;
  undefine request.from;
end;

startstate "no copies" begin
  for n: node do cache[n] := invalid end;
  request.kind := none;
end;

ruleset n: node do
  ruleset w: wish do
    rule "ask" request.kind = none & w != none & cache[n] = invalid ==>
    begin
      request.kind := w;
      request.from := n;
    end;
  end;
  rule "give up" request.kind != none & request.from != n & cache[n] != invalid ==>
  begin
    cache[n] := (request.kind = read ? shared : invalid);
  end;
  rule "read" request.kind = read & request.from = n & forall m: node do cache[m] != exclusive end ==>
  begin
    grant(n, shared);
  end;
  rule "write" request.kind = write & request.from = n & !exists m: node do in_the_way(cache[m]) end ==>
  begin
    grant(n, exclusive);
  end;
  rule "drop" cache[n] = shared ==> begin cache[n] := invalid end;
end;

invariant "one writer" forall n: node do forall m: node do
  cache[n] = exclusive & cache[m] != invalid -> n = m
end end;
