// states 72 transitions 105 depth 15 deadlocks 3
// holds deadlock
// holds errors
/* Channels as parameters and in messages; channels of processes. */
chan request = [1] of { chan, byte };
proctype Client(byte n; chan to) { chan mine = [1] of { byte }; byte v; to!mine, n; mine?v; assert(v == n + 1) }
active proctype Server() { chan back; byte v; end: do :: request?back, v -> back!v + 1 od }
init { run Client(1, request); run Client(2, request) }
