/* Tokens in a ring of channels. The atomic sequence of a node is blocked while the next channel is full; the d_steps
   have loops. WIDE is not 0: states of several words. */
#ifndef N
#define N 2
#endif
#ifndef MOST
#define MOST 2
#endif
#ifndef WIDE
#define WIDE 0
#endif

chan q[N] = [2] of { byte };
byte sum[N];
int wide[N];

active [N] proctype Node() {
  byte v, i;
  do
  :: atomic {
       nempty(q[_pid]) -> q[_pid]?v;
       if :: v < MOST -> v++ :: v > 0 -> v-- :: v = 0 fi;
       q[(_pid + 1) % N]!v;
       v = 0
     }
  :: d_step {
       empty(q[_pid]) && sum[_pid] < MOST -> sum[_pid]++;
       i = 0;
       do :: i < sum[_pid] -> i++ :: else -> break od;
       v = i;
       i = 0
     };
     q[_pid]!v;
     wide[_pid] = WIDE * v;
     v = 0
  :: d_step { sum[_pid] == MOST -> sum[_pid] = 0; v = 0 }
  od
}

active proctype Check() {
  assert(!(sum[0] == MOST && sum[1] == MOST && len(q[0]) == 2))
}
