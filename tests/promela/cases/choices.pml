// states 19 transitions 20 depth 14 deadlocks 1
// holds deadlock
// holds errors
/* for, select, else in nested options, goto out of a loop. */
byte i, s;
active proctype P() {
  for (i : 1 .. 3) { s = s + i };
  select (i : 2 .. 4);
again:
  do
  :: if :: i == 2 -> goto out :: else -> i-- fi
  :: s == 0 -> break
  od;
out:
  s = 0; goto end_here;
  s = 1;
end_here:
  s == 1
}
