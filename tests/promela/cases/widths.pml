// states 33 transitions 50 depth 8 deadlocks 1
// holds deadlock
// holds errors
/* Fields of messages have their widths; sizes and capacities are constants of the model. */
#define N 2
#define TWICE(x) ((x) + (x))
chan c = [N] of { bit, byte, short };
active [N] proctype P() { byte i, j; int v; c!2 + i, 256 + _pid, TWICE(20000); c?i, j, v; assert(v == -25536 && j < N && i == 0) }
