/* Twin of models/packetring.xml: -DN=stations (2 to 6) -DCAP=places a queue -DSENDS=packets a station (1 to 3) -DNEAR
   -DFAR=steps to where they go (1 to 5) -DBROKEN=0 to 2. A packet that arrives out of order is not taken. */
typedef packet { byte to, from, number; bit here };
chan queue[N] = [CAP] of { byte, byte, byte };

#define NEXT queue[(_pid + 1) % N]
#define MINE queue[_pid]
#if BROKEN == 1
#define FREE 1
#else
#define FREE 2
#endif

#define SEND(d) \
	:: d_step { sent < SENDS && d >= NEAR && d <= FAR && len(NEXT) <= CAP - FREE -> \
		NEXT!(_pid + d) % N, _pid, sent; sent++ }
#define ARRIVE(s, n) \
	:: d_step { !held.here && n >= due[s] && MINE?[eval(_pid), s, n] -> MINE?_, _, _; due[s] = n + 1 }
#define TAKE(s) \
	:: d_step { !held.here && s != _pid && MINE?[s, _, _] -> MINE?held.to, held.from, held.number; held.here = 1 }
#define CLEAR held.here = 0; held.to = 0; held.from = 0; held.number = 0

#if SENDS == 1
#define EACH(s) TAKE(s) ARRIVE(s, 0)
#elif SENDS == 2
#define EACH(s) TAKE(s) ARRIVE(s, 0) ARRIVE(s, 1)
#else
#define EACH(s) TAKE(s) ARRIVE(s, 0) ARRIVE(s, 1) ARRIVE(s, 2)
#endif

active [N] proctype station()
{
	byte sent;
	packet held;
	byte due[N];
	do
	SEND(1)
	SEND(2)
	SEND(3)
	SEND(4)
	SEND(5)
	:: d_step { held.here && nfull(NEXT) -> NEXT!held.to, held.from, held.number; CLEAR }
#if BROKEN == 2
	:: d_step { held.here && full(NEXT) && nfull(MINE) -> MINE!held.to, held.from, held.number; CLEAR }
#endif
	EACH(0)
	EACH(1)
#if N > 2
	EACH(2)
#endif
#if N > 3
	EACH(3)
#endif
#if N > 4
	EACH(4)
#endif
#if N > 5
	EACH(5)
#endif
	od
}
