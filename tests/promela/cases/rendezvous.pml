// states 54 transitions 83 depth 13 deadlocks 4
// violated deadlock 12
// holds errors
/* Rendezvous: matches, two receivers, `else` beside a send. */
chan c = [0] of { byte, byte }; byte n;
active proctype S() {
  byte k = 1;
  do :: k < 4 -> c!k, n; k++ :: k == 4 -> if :: c!9, 0 :: else -> break fi od
}
active [2] proctype R() { byte v; do :: c?1, v :: c?eval(n + 2), v -> n = v + 1 :: c?3, _ -> break od }
