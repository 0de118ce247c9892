// states 94 transitions 243 depth 11 deadlocks 1
// holds deadlock
// holds errors
/* Active processes die in the reverse order of their creation; init is the youngest. */
byte done;
active [3] proctype P() { done++; assert(_pid < 3) }
init { done = done + 10 }
