-- states 1541 transitions 4134 depth 18 deadlocks 0
-- violated quotients 6
-- violated errors 1
-- error value 8 for sum outside 0..7
-- Repeated parts: in procedures, in properties and in loops. They differ in numbers, variables and places of errors; some are inside others.
const N: 3;
type slot: 0..N;
     index: 0..N-1;
     message: record kind: 0..3; from: slot; end;
     queue: record count: slot; items: array[index] of message; end;
var queues: array[0..1] of queue;
    total: 0..7;

procedure push(var q: queue; kind: 0..3 from: slot);
begin
  q.items[q.count].kind := kind;
  q.items[q.count].from := from;
  q.count := q.count + 1;
end;

procedure pop(var q: queue);
begin
  for i: index do
    if i < N-1 then q.items[i] := q.items[i+1]; end;
  end;
  q.items[N-1].kind := 0;
  q.items[N-1].from := 0;
  q.count := q.count - 1;
end;

-- A variable of the caller is assigned in a part, and read behind it.
procedure add(a: slot; b: slot; var sum: 0..7);
var more: 0..7;
begin
  more := a + b;
  if more > 4 then more := more - 4; end;
  sum := sum + more;
  if sum > 5 then sum := sum - 5; end;
end;

-- With the same variable twice: the second place must read what the first has assigned.
procedure move(var a: slot; var b: slot);
begin
  if a < N then a := a + 1; b := b - b; else a := 0; end;
  if b < N then b := b + 1; a := a - a / 2; else b := 1; end;
end;

startstate
begin
  clear queues;
  total := 0;
end;

rule "push 0" queues[0].count < N ==>
var sum: 0..7;
begin
  push(queues[0], 1, 0);
  sum := 1;
  add(queues[0].count, 1, sum);
  total := sum;
end;

rule "push 1" queues[1].count < 2 ==>
var sum: 0..7;
begin
  push(queues[1], 2, queues[0].count);
  sum := total;
  add(queues[1].count, 2, sum);
  add(sum / 2, queues[0].count, sum);
  total := sum;
end;

rule "pop 0" queues[0].count > 0 ==>
begin
  pop(queues[0]);
  if queues[1].count > 0 then pop(queues[1]); push(queues[1], 3, 1); end;
end;

rule "pop 1" queues[1].count > 1 ==>
begin
  pop(queues[1]);
  pop(queues[1]);
  push(queues[0], 3, queues[0].count);
end;

rule "move" total > 3 ==>
var a: slot;
    b: slot;
begin
  a := queues[0].items[0].from;
  b := queues[1].items[0].from;
  move(a, b);
  move(a, a);
  move(b, a);
  move(b, b);
  queues[0].items[2].from := a;
  queues[1].items[2].from := b;
  total := a + b;
end;

rule "check" queues[1].count = 2 ==>
begin
  assert 6 / (queues[0].items[0].from + 1) > 1 "from of queue 0";
  assert 6 / (queues[1].items[1].from + 1) > 1 "from of queue 1";
end;

invariant "sane"
  forall q: 0..1 do forall i: index do queues[q].items[i].kind = 0 | queues[q].items[i].from < 4 | 6 / queues[q].count > i end end;

invariant "quotients"
  (queues[0].count = 0 | 6 / queues[0].count > queues[0].items[0].from) &
  (queues[1].count = 0 | 6 / queues[1].count > queues[1].items[0].from) &
  (total = 0 | 6 / total >= queues[0].items[0].from);
