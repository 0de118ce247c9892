/* Twin of models/raymond.xml: -DN=nodes (2 to 80) -DACTIVE=how many at a time -DBROKEN=0 to 2. More than some 20 nodes
   want pan.c compiled with -DVECTORSZ=8192. */
#define REST   0
#define WANT   1
#define INSIDE 2

mtype = { request, token };
chan up[N] = [2] of { mtype };   /* from a node to its parent */
chan down[N] = [2] of { mtype }; /* from the parent to a node */
chan queue[N] = [4] of { byte }; /* who wants the token: numbers of nodes */
byte busy;

#define MINE    queue[_pid]
#define FIRST   (2 * _pid + 1)
#define SECOND  (2 * _pid + 2)
#define PARENT  ((_pid - 1) / 2)
#define CAN_ASK (!asked && nempty(MINE))

#if BROKEN == 1
#define FREE (towards == _pid)
#else
#define FREE (towards == _pid && doing != INSIDE)
#endif
#if BROKEN == 2
#define GIVEN(p) MINE?_; towards = p
#else
#define GIVEN(p) MINE?_; towards = p; asked = 0
#endif

/* What passes between a node and neighbour p, by the links that lead to it and from it. */
#define NEIGHBOUR(there, p, out, in) \
	:: d_step { there && towards == p && CAN_ASK && nfull(out) -> out!request; asked = 1 } \
	:: d_step { there && in?[request] -> in?_; MINE!p } \
	:: d_step { there && FREE && MINE?[eval(p)] && nfull(out) -> out!token; GIVEN(p) } \
	:: d_step { there && in?[token] -> in?_; towards = _pid }

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype node()
{
	byte doing, towards = (_pid == 0 -> 0 : PARENT);
	bit asked;
	do
	:: d_step { doing == REST && busy < ACTIVE -> busy++; doing = WANT; MINE!_pid }
	:: d_step { doing == WANT && towards == _pid && MINE?[eval(_pid)] -> MINE?_; doing = INSIDE; asked = 0 }
	:: d_step { doing == INSIDE -> doing = REST; busy-- }
	NEIGHBOUR(_pid > 0, PARENT, up[_pid], down[_pid])
	NEIGHBOUR(FIRST < N, FIRST, down[FIRST], up[FIRST])
	NEIGHBOUR(SECOND < N, SECOND, down[SECOND], up[SECOND])
	od
}
