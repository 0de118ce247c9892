// states 402 transitions 794 depth 17 deadlocks 5
// violated deadlock 14
// holds errors
/* Buffered channels in arrays: sorted sends, random receives, polls, messages that stay. */
mtype = { low, high };
chan c[2] = [2] of { mtype, byte };
active proctype S() {
  byte k;
  do
  :: k < 3 -> if :: c[k % 2]!!high, k :: c[k % 2]!low(k) fi; k++
  :: else -> break
  od
}
active proctype R() {
  byte v; mtype m;
  do
  :: c[0]??low, v
  :: c[0]?[high, v] && nfull(c[1]) -> c[0]?m, v
  :: c[1]?<m, v> -> c[1]?_, _
  :: len(c[0]) + len(c[1]) == 0 && v == 2 -> break
  od
}
