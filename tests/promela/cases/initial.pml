// states 12 transitions 11 depth 9 deadlocks 2
// holds deadlock
// holds errors
/* Values of declarations: at the beginning of a process when it is created, elsewhere as steps. */
byte x = 3; byte w = x + 1; byte a[3] = 4;
active proctype P() {
  byte b = w; byte c = 2;
  x++;
  byte d = b + x, e = 1; byte again, list[2]; again++;
  if :: byte f = d; x = f + a[2] :: x = 0 fi
}
