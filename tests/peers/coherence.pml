/* Twin of models/coherence.xml: -DN=caches (2 to 4) -DBROKEN=0, 1 or 2. */
#define INVALID  0
#define SHARED   1
#define MODIFIED 2

mtype = { read, write, take_shared, take_modified, invalidate };
chan request[N] = [1] of { mtype };
chan order[N] = [1] of { mtype };
bit answered[N]; /* the channel answer */

active [N] proctype cache()
{
	byte copy;
	bit asked;
	do
	:: d_step { copy == INVALID && !asked && nfull(request[_pid]) -> request[_pid]!read; asked = 1 }
	:: d_step { copy < MODIFIED && !asked && nfull(request[_pid]) -> request[_pid]!write; asked = 1 }
	:: d_step { copy == SHARED -> copy = INVALID }
	:: d_step { copy < MODIFIED && order[_pid]?[take_shared] -> order[_pid]?_; copy = SHARED; asked = 0 }
	:: d_step { copy < MODIFIED && order[_pid]?[take_modified] -> order[_pid]?_; copy = MODIFIED; asked = 0 }
	:: d_step { order[_pid]?[invalidate] -> order[_pid]?_; copy = INVALID };
	   d_step { !answered[_pid] -> answered[_pid] = 1 }
	od
}

#define IN_WAY(c) (holds[c] && !told[c] && c != client && (for_write || (owned && BROKEN != 2)))
#define TELL(c) \
	:: d_step { IN_WAY(c) && nfull(order[c]) -> order[c]!invalidate; told[c] = 1; \
		if \
		:: BROKEN == 1 -> holds[c] = 0; owned = 0 \
		:: else \
		fi }
#define HEAR(c) \
	:: d_step { answered[c] -> answered[c] = 0; told[c] = 0; holds[c] = 0; \
		if \
		:: BROKEN != 1 -> owned = 0 \
		:: else \
		fi }
#define ACCEPT(c) \
	:: d_step { request[c]?[read] -> request[c]?_; client = c } -> goto serve \
	:: d_step { request[c]?[write] -> request[c]?_; client = c; for_write = 1 } -> goto serve

active proctype home()
{
	byte client;
	bit for_write, owned;
	bit holds[4], told[4];
ready:	do
	ACCEPT(0)
	ACCEPT(1)
	HEAR(0)
	HEAR(1)
#if N > 2
	ACCEPT(2)
	HEAR(2)
#endif
#if N > 3
	ACCEPT(3)
	HEAR(3)
#endif
	od;
serve:	do
	TELL(0)
	TELL(1)
	HEAR(0)
	HEAR(1)
#if N > 2
	TELL(2)
	HEAR(2)
#endif
#if N > 3
	TELL(3)
	HEAR(3)
#endif
	:: d_step { !for_write && (!owned || BROKEN == 2) && nfull(order[client]) ->
		order[client]!take_shared; holds[client] = 1; client = 0 } -> goto ready
	:: d_step { for_write && nfull(order[client]) &&
		holds[0] + holds[1] + holds[2] + holds[3] == holds[client] ->
		order[client]!take_modified; holds[client] = 1; owned = 1; client = 0; for_write = 0 } -> goto ready
	od
}
