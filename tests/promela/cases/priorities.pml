// states 49 transitions 62 depth 11 deadlocks 6
// violated deadlock
// holds errors
/* Two processes set the priorities of each other. (Verifiers of Spin 6.5 ignore all bits of a priority but the lowest
   when they compare states: they have 40.) */
byte x;
active [2] proctype A() priority 2 { do :: x < 2 -> x++; set_priority(1 - _pid, 1 + x % 3) :: x >= 2 -> break od; false }
