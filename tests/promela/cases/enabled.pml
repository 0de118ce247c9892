// states 27 transitions 36 depth 12 deadlocks 4
// violated deadlock 6
// violated early
// violated behind
// holds waits
// holds inside
/* enabled and pc_value in claims and formulas. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 2 -> break od; x == 7; d_step { x > 6; x = 1 } }
active proctype R() provided (x != 1) { x == 2; x--; if :: x == 1 -> skip :: else fi }
never early { do :: !enabled(1) && x == 1 -> break :: true od }
ltl waits { [] (x == 3 -> !enabled(0)) }
ltl behind { [] (pc_value(1) != 6) }
ltl inside { [] (pc_value(1) != 3 && !enabled(2)) }
