// states 23 transitions 22 depth 22 deadlocks 1
// holds deadlock
// holds errors
/* Processes that run others: arguments, results, pids, order of death. */
byte sum, last;
proctype Leaf(byte a; byte b) { byte own = a + b; sum = sum + own; last = _pid }
proctype Node(byte depth) {
  pid p;
  if
  :: depth > 0 -> p = run Node(depth - 1); (_nr_pr <= p)
  :: else -> run Leaf(depth, 2)
  fi
}
init { run Node(2); (_nr_pr == 1); run Leaf(1, 3); (_nr_pr == 1) }
