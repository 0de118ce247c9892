// states 3 transitions 4 depth 2 deadlocks 0
// violated errors 2
// error index 1 of a outside 0..0
/* An index outside of an array with one element, in an assignment; index 0 is allowed. */
byte a[1], i;
active proctype P() { do :: i == 0 -> if :: i = 1 :: a[i] = i fi :: a[i] = 0 od }
