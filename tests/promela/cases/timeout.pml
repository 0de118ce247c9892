// states 48 transitions 67 depth 15 deadlocks 1
// holds deadlock
// holds errors
/* timeout: no step of any process is enabled. */
chan c = [1] of { byte }; byte lost;
active proctype S() { byte k; do :: k < 2 -> c!k; k++ :: k == 2 && timeout -> break od }
active proctype R() { byte v; do :: c?v :: c?v -> lost++ :: timeout -> if :: lost == 2 -> break :: else -> lost = 2 fi od }
