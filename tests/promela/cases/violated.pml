// states 26 transitions 40 depth 10 deadlocks 1
// violated deadlock 10
// violated errors 5
/* A violated assertion; the process continues. An invalid end. */
byte x;
active proctype P() { do :: x < 2 -> x++; assert(x != 2) :: x == 2 -> break od; x == 3 }
active proctype Q() provided (x > 0) { printf("%d\n", x); skip }
