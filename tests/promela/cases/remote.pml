// states 55 transitions 95 depth 16 deadlocks 3
// violated deadlock 10
// holds errors
/* Locations and variables of other processes. */
byte turn;
active [2] proctype P() { byte mine = 3; start: mine = _pid; turn == _pid; inside: skip; turn = 1 - turn; done: skip }
active proctype Q() { P[1]@inside -> assert(!P[0]@start && P[1]:mine == 1); P[0]@done || P[1]@done }
