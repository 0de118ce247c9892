// states 80 transitions 135 depth 16 deadlocks 2
// violated errors 11
/* Records in arrays and in messages. */
typedef Point { byte x; byte y[2] };
typedef Line { Point from, to; bool used };
Line l[2]; chan c = [1] of { Point, bit };
active proctype P() {
  Point p;
  l[1].to.y[1] = 3; l[0].from.x = l[1].to.y[1] + 1;
  p.y[0] = 7;
  c!p, 1; c?l[0].to, l[1].used;
  assert(l[0].to.y[0] == 7 && l[1].used && l[0].from.x == 4)
}
active proctype Q() { byte i; for (i : 0 .. 1) { l[i].used = 1 - l[i].used } }
