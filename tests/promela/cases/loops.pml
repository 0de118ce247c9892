// states 18578 transitions 29427 depth 118 deadlocks 131
// holds deadlock
// holds errors
/* Loops over arrays and channels; select over many values. */
byte a[3], s; typedef M { byte v; bit b }; chan c = [3] of { M };
active proctype P() {
  byte i; M m;
  select (s : 0 .. 40); byte b_1; select (b_1 : 0 .. 2);
  for (i in a) { a[i] = s % (i + 1) };
  m.v = 1; c!m; m.v = 2; c!m;
  for (m in c) { s = s + m.v }
}
active proctype Q() { s = s / 2 }
