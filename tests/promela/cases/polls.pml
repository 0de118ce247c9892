// states 13 transitions 18 depth 8 deadlocks 1
// violated deadlock 8
// holds errors
/* A poll may leave out the last fields. */
mtype = { red, white, sync }; chan c[2] = [2] of { byte, byte }; chan d[2]; byte r;
active proctype A() { d[0] = c[1]; d[1] = c[0]; do :: c[0]!white,0 :: atomic { r == 0 && len(c[0]) < 2 -> c[0]!red, 0 -> r = 1 } od }
active proctype B() { do :: c[0]?white,0 :: atomic { r == 1 && d[1]?[red] -> c[0]?red,0; r = 2 } :: len(d[1]) > 1 && r == 2 -> break od }
