/* Twin of models/raft.xml: -DN=servers (2 to 7) -DTERMS -DCANDIDATES -DCAP=messages a link -DLOSSY=0 or 1
   -DCRASHES=0 or 1 -DBROKEN=0 to 3. A message is dealt with in one step by whoever takes it. */
#define FOLLOWER  0
#define CANDIDATE 1
#define LEADER    2
#define NOBODY    N

#if BROKEN == 3
#define ENOUGH ((N + 1) / 2)
#else
#define ENOUGH (N / 2 + 1)
#endif

mtype = { request, vote, heartbeat };
typedef box { chan from[N] = [CAP] of { mtype, byte } };
box to[N]; /* to[q].from[p] */
byte elected[TERMS + 1];

hidden mtype kind;
hidden byte when;
hidden byte i;

inline forget_votes()
{
	i = 0;
	do
	:: i < N -> has[i] = 0; i++
	:: else -> break
	od;
	i = 0
}

inline follow(whom)
{
	term = when;
	role = FOLLOWER;
	given_to = whom;
	forget_votes()
}

inline take(p)
{
	to[_pid].from[p]?kind, when;
	if
	:: kind == request && when > term -> follow(p)
	:: kind == request && when == term && given_to == NOBODY -> given_to = p
	:: kind == vote && role == CANDIDATE && (when == term || BROKEN == 2) -> has[p] = 1
	:: kind == heartbeat && when > term -> follow(NOBODY)
	:: kind == heartbeat && when == term && role == CANDIDATE -> role = FOLLOWER; forget_votes()
	:: else
	fi;
	kind = 0;
	when = 0
}

#define CAN_SEND(p) (p != _pid && nfull(to[p].from[_pid]))
#define PEER(p) \
	:: d_step { role == CANDIDATE && !has[p] && CAN_SEND(p) -> to[p].from[_pid]!request, term } \
	:: d_step { role == LEADER && CAN_SEND(p) -> to[p].from[_pid]!heartbeat, term } \
	:: d_step { p != _pid && nempty(to[_pid].from[p]) -> take(p) } \
	:: d_step { LOSSY && p != _pid && nempty(to[_pid].from[p]) -> to[_pid].from[p]?_, _ } \
	:: d_step { role == FOLLOWER && given_to == p && CAN_SEND(p) -> to[p].from[_pid]!vote, term }

#define VOTES (has[0] + has[1] + has[2] + has[3] + has[4] + has[5] + has[6])

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype server()
{
	byte role, term, given_to = NOBODY; /* who has this server's vote */
	bit has[7];
	do
	:: d_step { role != LEADER && _pid < CANDIDATES && term < TERMS ->
		role = CANDIDATE; term++; given_to = _pid; forget_votes(); has[_pid] = 1 }
	:: d_step { role == CANDIDATE && VOTES >= ENOUGH ->
		role = LEADER; forget_votes(); elected[term] = (elected[term] == 0 -> 1 : 2) }
	PEER(0)
	PEER(1)
#if N > 2
	PEER(2)
#endif
#if N > 3
	PEER(3)
#endif
#if N > 4
	PEER(4)
#endif
#if N > 5
	PEER(5)
#endif
#if N > 6
	PEER(6)
#endif
#if CRASHES
	:: d_step { role != FOLLOWER -> role = FOLLOWER; forget_votes();
		if
		:: BROKEN == 1 -> given_to = NOBODY
		:: else
		fi }
	:: d_step { role == FOLLOWER && BROKEN == 1 && given_to != NOBODY -> given_to = NOBODY }
#endif
	od
}

#ifdef LTL
ltl leads_on { []((server[0]:role == LEADER && server[0]:term == 1) -> (server[0]:role == LEADER W server[0]:term > 1)) }
#endif
