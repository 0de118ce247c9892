// states 456 transitions 970 depth 14 deadlocks 16
// holds deadlock
// holds errors
/* Atomic sequences that block, meet others, end a process, begin it; d_step with the first option only. */
chan c = [0] of { byte }; byte g, n;
active [2] proctype S() { atomic { n++; end1: c!n; g = 1 }; g = 3; end2: atomic { (n == 4) -> n++; g++ } }
active proctype R() {
  byte v;
end3: do
  :: atomic { c?v -> g = v; if :: v = 1 :: v = 2 fi }
  :: d_step { n < 4 && g == 3 -> n++; do :: v > 0 -> v-- :: v == 0 -> break :: else -> v = 0 od; g = 7 }
  :: atomic { n == 5 -> break }
  od
}
init { atomic { g = 2; g = 0 } }
