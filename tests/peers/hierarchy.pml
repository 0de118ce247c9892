/* Twin of models/hierarchy.xml: -DP=caches (1 to 3) -DLINES=lines (1 to 3) -DBROKEN=0, 1, 2 or 3. */
#define INVALID  0
#define SHARED   1
#define MODIFIED 2

mtype = { read, write, take_shared, take_modified, invalidate, nothing_new, its_value, write_back };
chan request[P] = [1] of { byte, mtype };
chan order[P] = [1] of { mtype, bit };
chan report[P] = [2] of { mtype, byte, bit };
bit memory[LINES];
bit latest[LINES];
hidden mtype what;
hidden byte l, v;

#define MISS(a) \
	:: d_step { !asked && copy == INVALID && nfull(request[_pid]) -> request[_pid]!a, read; line = a; asked = 1 } \
	:: d_step { !asked && copy == INVALID && nfull(request[_pid]) -> request[_pid]!a, write; line = a; asked = 1 }

active [P] proctype cache()
{
	byte copy, line;
	bit value, asked;
	do
	MISS(0)
#if LINES > 1
	MISS(1)
#endif
#if LINES > 2
	MISS(2)
#endif
	:: d_step { !asked && copy == SHARED && nfull(request[_pid]) -> request[_pid]!line, write; asked = 1 }
	:: d_step { !asked && copy == SHARED -> copy = INVALID; line = 0; value = 0 }
	:: d_step { copy == MODIFIED -> value = 1 - value; latest[line] = value }
	:: d_step { copy == MODIFIED && nfull(report[_pid]) -> report[_pid]!write_back, line, value;
		copy = INVALID; line = 0; value = 0 }
	:: d_step { order[_pid]?[take_shared, _] -> order[_pid]?_, value; copy = SHARED; asked = 0 }
	:: d_step { order[_pid]?[take_modified, _] -> order[_pid]?_, value; copy = MODIFIED; asked = 0 }
	:: d_step { order[_pid]?[invalidate, _] -> order[_pid]?_, _ };
	   d_step { nfull(report[_pid]) ->
		if
		:: copy == MODIFIED -> report[_pid]!its_value, line, value
		:: else -> report[_pid]!nothing_new, line, value
		fi;
		copy = INVALID; value = 0;
		if
		:: asked
		:: else -> line = 0
		fi }
	od
}

/* All four are there, those from P on without a cache. */
#define AWAITED (awaited[0] || awaited[1] || awaited[2] || awaited[3])
#define CLEARED (!tell[0] && !tell[1] && !tell[2] && !tell[3] && (!AWAITED || (BROKEN == 2 && !written)))
#define OTHER_LINE (line != wanted && BROKEN != 1)
#define SAME_LINE(d) (line == wanted && d != client && (for_write || written))
#define TO_TELL(d) tell[d] = (holds[d] && (OTHER_LINE || SAME_LINE(d)))
#define ACCEPT(c) \
	:: d_step { nempty(request[c]) -> request[c]?wanted, what; for_write = (what == write); client = c; \
		TO_TELL(0); TO_TELL(1); TO_TELL(2); TO_TELL(3) } -> goto serve
#define TELL(c) \
	:: d_step { tell[c] && nfull(order[c]) -> order[c]!invalidate, 0; tell[c] = 0; awaited[c] = 1 }
#define HEAR(c) \
	:: d_step { nempty(report[c]) -> report[c]?what, l, v; \
		if \
		:: what != write_back -> awaited[c] = 0 \
		:: else \
		fi; \
		if \
		:: l == line -> holds[c] = 0 \
		:: else \
		fi; \
		if \
		:: what == nothing_new \
		:: what != nothing_new && l == line -> value = v; dirty = 1; written = 0 \
		:: else -> memory[l] = v \
		fi }

active proctype shared_cache()
{
	byte line, client, wanted;
	bit value, dirty, written, for_write;
	bit holds[4], tell[4], awaited[4];
ready:	do
	ACCEPT(0)
	HEAR(0)
#if P > 1
	ACCEPT(1)
	HEAR(1)
#endif
#if P > 2
	ACCEPT(2)
	HEAR(2)
#endif
	od;
serve:	do
	TELL(0)
	HEAR(0)
#if P > 1
	TELL(1)
	HEAR(1)
#endif
#if P > 2
	TELL(2)
	HEAR(2)
#endif
	:: d_step { line != wanted && CLEARED ->
		if
		:: dirty -> memory[line] = value
		:: else
		fi;
		line = wanted; value = memory[wanted]; dirty = 0; written = 0;
		holds[0] = 0; holds[1] = 0; holds[2] = 0; holds[3] = 0 }
	:: d_step { line == wanted && CLEARED && (!written || (BROKEN == 3 && holds[client])) && nfull(order[client]) ->
		if
		:: for_write -> order[client]!take_modified, value
		:: else -> order[client]!take_shared, value
		fi;
		holds[client] = 1; written = for_write; client = 0; wanted = 0; for_write = 0 } -> goto ready
	od
}
