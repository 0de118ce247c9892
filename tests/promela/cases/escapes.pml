// states 43 transitions 61 depth 9 deadlocks 3
// holds deadlock
// holds errors
/* unless: the outer escape comes first. */
byte x, y;
active proctype P() {
  { { x = 1; x = 2; y = x } unless { x == 2 -> y = 5 } } unless { x == 1 && y == 0 -> y = 6 };
  x = 9
}
active proctype Q() { y = 1; y = 0 }
