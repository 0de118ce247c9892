/* Twin of models/paxos.xml: -DP=proposers (1 to 4) -DA=acceptors (1 to 5) -DBALLOTS -DCAP=messages a channel, 0:
   handshakes -DBROKEN=0 to 3. The receiver processes a message in the same step. */
#define IDLE      0
#define PREPARING 1
#define PROPOSING 2
#define DECIDED   3

#define READY     0
#define PROMISING 1
#define VOTING    2

mtype = { prepare, accept, promise, vote };

typedef proposer_state { byte phase, ballot, latest, wants; bit told[5], heard[5] };
typedef acceptor_state { byte busy, promised, voted, what, client };
proposer_state proposer[P];
acceptor_state acceptor[A];

#if CAP > 0
typedef box { chan from[P] = [CAP] of { mtype, byte, byte } };
typedef letter_box { chan from[A] = [CAP] of { mtype, byte, byte, byte } };
box call[A];
letter_box reply[P];
#endif

hidden mtype kind;
hidden byte number, vote_number, what;
hidden byte i;

#define ME proposer[_pid]
#define HEARD (ME.heard[0] + ME.heard[1] + ME.heard[2] + ME.heard[3] + ME.heard[4])
#if BROKEN == 2
#define ENOUGH ((A + 1) / 2)
#else
#define ENOUGH (A / 2 + 1)
#endif

inline begin_phase(which)
{
	ME.phase = which;
	ME.latest = 0;
	i = 0;
	do
	:: i < A -> ME.told[i] = 0; ME.heard[i] = 0; i++
	:: else -> break
	od;
	i = 0
}

/* Acceptor a gets (kind, number, what) from p. */
inline ask(a, p)
{
	if
	:: kind == prepare && number > acceptor[a].promised ->
		acceptor[a].promised = number;
		acceptor[a].busy = PROMISING;
		acceptor[a].client = p
	:: kind == accept && (number >= acceptor[a].promised || BROKEN == 3) ->
		acceptor[a].promised = (number > acceptor[a].promised -> number : acceptor[a].promised);
		acceptor[a].voted = number;
		acceptor[a].what = what;
		acceptor[a].busy = VOTING;
		acceptor[a].client = p
	:: else
	fi;
	kind = 0; number = 0; what = 0
}

/* Proposer p gets (kind, number, vote_number, what) from a. */
inline answer(p, a)
{
	if
	:: kind == promise && proposer[p].phase == PREPARING && number == proposer[p].ballot ->
		proposer[p].heard[a] = 1;
		if
		:: vote_number > proposer[p].latest -> proposer[p].latest = vote_number; proposer[p].wants = what
		:: else
		fi
	:: kind == vote && proposer[p].phase == PROPOSING && number == proposer[p].ballot -> proposer[p].heard[a] = 1
	:: else
	fi;
	kind = 0; number = 0; vote_number = 0; what = 0
}

#if CAP > 0
#define CAN_CALL(a) nfull(call[a].from[_pid])
#define CALL(a, k, w) call[a].from[_pid]!k, ME.ballot, w
#define GET_REPLY(a) :: d_step { nempty(reply[_pid].from[a]) -> \
		reply[_pid].from[a]?kind, number, vote_number, what; answer(_pid, a) }
#define CAN_REPLY nfull(reply[HIS.client].from[_pid - P])
#define REPLY(k, n, v, w) reply[HIS.client].from[_pid - P]!k, n, v, w
#define GET_CALL(p) :: d_step { HIS.busy == READY && nempty(call[_pid - P].from[p]) -> \
		call[_pid - P].from[p]?kind, number, what; ask(_pid - P, p) }
#else
#define CAN_CALL(a) (acceptor[a].busy == READY)
#define CALL(a, k, w) kind = k; number = ME.ballot; what = w; ask(a, _pid)
#define GET_REPLY(a)
#define CAN_REPLY true
#define REPLY(k, n, v, w) kind = k; number = n; vote_number = v; what = w; answer(HIS.client, (_pid - P))
#define GET_CALL(p)
#endif

#define TELL(a) \
	:: d_step { ME.phase == PREPARING && !ME.told[a] && CAN_CALL(a) -> ME.told[a] = 1; CALL(a, prepare, 0) } \
	:: d_step { ME.phase == PROPOSING && !ME.told[a] && CAN_CALL(a) -> ME.told[a] = 1; CALL(a, accept, ME.wants) } \
	GET_REPLY(a)

/* Instances 0 to P-1 have these numbers as _pid, */
active [P] proctype propose()
{
	do
	:: d_step { ME.phase == IDLE && _pid < BALLOTS ->
		ME.ballot = _pid + 1; ME.wants = _pid + 1; ME.phase = PREPARING }
	:: d_step { (ME.phase == PREPARING || ME.phase == PROPOSING) && ME.ballot + P <= BALLOTS ->
		begin_phase(PREPARING); ME.ballot = ME.ballot + P; ME.wants = _pid + 1 }
	:: d_step { ME.phase == PREPARING && HEARD >= ENOUGH ->
		begin_phase(PROPOSING); ME.wants = (BROKEN == 1 -> _pid + 1 : ME.wants) }
	:: d_step { ME.phase == PROPOSING && HEARD >= ENOUGH -> begin_phase(DECIDED) }
	TELL(0)
#if A > 1
	TELL(1)
#endif
#if A > 2
	TELL(2)
#endif
#if A > 3
	TELL(3)
#endif
#if A > 4
	TELL(4)
#endif
	od
}

/* and acceptors those from P on. */
#define HIS acceptor[_pid - P]

active [A] proctype accept_it()
{
	do
	:: d_step { HIS.busy == PROMISING && CAN_REPLY ->
		HIS.busy = READY; REPLY(promise, HIS.promised, HIS.voted, HIS.what); HIS.client = 0 }
	:: d_step { HIS.busy == VOTING && CAN_REPLY -> HIS.busy = READY; REPLY(vote, HIS.voted, 0, 0); HIS.client = 0 }
	GET_CALL(0)
#if P > 1
	GET_CALL(1)
#endif
#if P > 2
	GET_CALL(2)
#endif
#if P > 3
	GET_CALL(3)
#endif
	od
}
