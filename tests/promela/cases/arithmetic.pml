// states 21 transitions 20 depth 20 deadlocks 1
// holds deadlock
// holds errors
/* Values wrap to the width of their type; operators are those of 32-bit integers. */
byte b = 250; short s = 32766; int i = 2147483646; unsigned u : 3 = 6; bit t;
active proctype P() {
  do
  :: b = b + 3; s++; i++; u = u + 3; t = !t;
     if :: b < 3 -> break :: else fi
  od;
  assert(s < 0 && i < 0 && b == 0);
  b = (7 / 2) | (5 & 6) ^ 1; assert(b == 7);
  b = (1 << 4) >> 2; assert(b == 4 && ~b == -5);
  b = (b > 3 -> 9 : 8); assert(b % 4 == 1)
}
