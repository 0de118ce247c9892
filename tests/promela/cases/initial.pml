// states 9 transitions 8 depth 6 deadlocks 2
/* Values of declarations: at the beginning of a process when it is created, elsewhere as steps. */
byte x = 3; byte w = x + 1; byte a[3] = 4;
active proctype P() {
  byte b = w; byte c = 2;
  x++;
  byte d = b + x, e = 1;
  if :: byte f = d; x = f + a[2] :: x = 0 fi
}
