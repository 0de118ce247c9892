// states 98 transitions 190 depth 25 deadlocks 1
// violated deadlock 16
// holds errors
/* A hidden variable is not in the state. */
hidden byte h; byte x;
active [2] proctype P() { do :: x < 3 -> h = x; x++; h++ :: x == 3 -> x = 0 od }
