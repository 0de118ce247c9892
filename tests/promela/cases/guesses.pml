// states 41 transitions 40 depth 29 deadlocks 2
// holds deadlock
// holds errors
/* A loop runs processes: how many depends on a choice, up to 9 at once. */
byte n, m;
proctype P(byte me) { end: me > m }
init { if :: m = 9 :: m = 3 fi; do :: n < m -> run P(n); n++ :: else -> break od }
