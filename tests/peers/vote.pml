/* Twin of models/vote.xml: -DN=servers (2 to 5) -DTERMS -DCAP=messages a mailbox -DLOSSY=0 or 1 -DBROKEN=0 to 3.
   While busy is set, nobody takes a turn but the one who asks or answers. */
#define FOLLOWER  0
#define CANDIDATE 1
#define LEADER    2
#define NOBODY    N
#define MAJORITY  (N / 2 + 1)
#define LENGTH    (_pid >= N - MAJORITY) /* of the log of the one whose turn it is */

chan request[N] = [CAP] of { byte, byte, bit };
chan answer[N] = [CAP] of { byte, bit };
byte elections[TERMS + 1]; /* 2: more than one */
bit busy;

hidden byte when, who, flag;

inline catch_up()
{
	if
	:: when > term -> role = FOLLOWER; term = when; given_to = NOBODY; votes = 0
	:: else
	fi
}

#define NEXT peer = (peer + 1 == _pid -> peer + 2 : peer + 1)
#define MAY_VOTE ((given_to == NOBODY || BROKEN == 1) && (flag >= LENGTH || BROKEN == 3))
#define COUNTS (role == CANDIDATE && flag && (when == term || BROKEN == 2))

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype server()
{
	byte role, term, given_to = NOBODY, votes, peer;
listen:	do
	:: d_step { !busy && role != LEADER && term < TERMS ->
		busy = 1; role = CANDIDATE; term++; given_to = _pid; votes = 0; peer = (_pid == 0 -> 1 : 0) } -> goto ask
	:: d_step { !busy && nempty(request[_pid]) ->
		busy = 1; request[_pid]?when, who, flag; catch_up();
		if
		:: when == term && MAY_VOTE -> given_to = who
		:: else
		fi;
		peer = who } -> goto reply
	:: d_step { !busy && nempty(answer[_pid]) -> answer[_pid]?when, flag; catch_up();
		if
		:: COUNTS && votes + 2 < MAJORITY -> votes++
		:: COUNTS && votes + 2 >= MAJORITY -> role = LEADER; votes = 0;
			elections[term] = (elections[term] == 0 -> 1 : 2)
		:: else
		fi }
	od;
ask:	do
	:: d_step { peer < N && nfull(request[peer]) -> request[peer]!term, _pid, LENGTH; NEXT }
	:: d_step { peer < N && full(request[peer]) -> NEXT }
	:: d_step { peer == N -> peer = 0; busy = 0 } -> goto listen
	od;
reply:	if
	:: d_step { nfull(answer[peer]) -> answer[peer]!term, (given_to == peer); peer = 0; busy = 0 } -> goto listen
	:: d_step { full(answer[peer]) -> peer = 0; busy = 0 } -> goto listen
	fi
}

#if LOSSY
#define LOSE(s) \
	:: d_step { !busy && nempty(request[s]) -> request[s]?_, _, _ } \
	:: d_step { !busy && nempty(answer[s]) -> answer[s]?_, _ }

active proctype loss()
{
	do
	LOSE(0)
	LOSE(1)
#if N > 2
	LOSE(2)
#endif
#if N > 3
	LOSE(3)
#endif
#if N > 4
	LOSE(4)
#endif
	od
}
#endif
