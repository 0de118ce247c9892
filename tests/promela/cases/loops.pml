/* Loops over arrays and channels; select over many values. */
byte a[3], s; chan c = [3] of { byte, bit }; typedef M { byte v; bit b };
active proctype P() {
  byte i; M m;
  select (s : 0 .. 40);
  for (i in a) { a[i] = s % (i + 1) };
  c!1, 0; c!2, 1;
  for (m in c) { s = s + m.v }
}
active proctype Q() { s = s / 2 }
