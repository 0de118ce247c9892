/* Twin of models/twophase.xml: -DN=participants (1 to 4) -DCRASHES -DBROKEN=0 or 1. */
mtype = { prepare, stop, commit, yes, no };
chan order[N] = [1] of { mtype };
chan vote[N] = [1] of { mtype };
byte left = CRASHES; /* processes that may still crash */

#define CRASH d_step { left > 0 -> left-- }

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype participant()
{
	if
	:: order[_pid]?prepare
	:: CRASHES > 0 -> goto over
	:: CRASH -> goto crashed
	fi;
	if
	:: vote[_pid]!yes
	:: vote[_pid]!no -> goto over
	:: CRASH -> goto crashed
	fi;
	if
	:: order[_pid]?commit -> goto committed
	:: order[_pid]?stop -> goto over
	:: BROKEN -> goto over
	:: CRASH -> goto crashed
	fi;
over:	do
	:: order[_pid]?_
	od;
crashed:
	do
	:: order[_pid]?_
	od;
committed:
	false
}

/* the set of those that have been asked and not been told the end */
#define SEND(p, what, before) :: d_step { asked[p] == before && nfull(order[p]) -> order[p]!what; asked[p] = !before }
#if N == 1
#define EACH(m, what, before) m(0, what, before)
#elif N == 2
#define EACH(m, what, before) m(0, what, before) m(1, what, before)
#elif N == 3
#define EACH(m, what, before) m(0, what, before) m(1, what, before) m(2, what, before)
#else
#define EACH(m, what, before) m(0, what, before) m(1, what, before) m(2, what, before) m(3, what, before)
#endif
#define COUNT(p, what, before) :: d_step { vote[p]?[yes] -> vote[p]?_; yeses++ } :: vote[p]?no -> goto stop_all
#define ASKED (asked[0] + asked[1] + asked[2] + asked[3])

active proctype coordinator()
{
	bit asked[4];
	byte yeses;
	do
	EACH(SEND, prepare, 0)
	:: ASKED == N -> break
	:: CRASH -> goto crashed
	od;
	do
	EACH(COUNT, yes, 0)
	:: CRASHES > 0 -> goto stop_all
	:: yeses == N -> goto commit_all
	:: CRASH -> goto crashed
	od;
commit_all:
	do
	EACH(SEND, commit, 1)
	:: ASKED == 0 -> goto done
	:: CRASH -> goto crashed
	od;
stop_all:
	do
	EACH(SEND, stop, 1)
	:: ASKED == 0 -> goto done
	:: CRASH -> goto crashed
	od;
done:	false;
crashed:
	false
}

#ifdef LTL
#define IN(p) (participant[p]@over || participant[p]@committed)
#if N == 1
#define ALL_DECIDED (IN(0))
#elif N == 2
#define ALL_DECIDED (IN(0) && IN(1))
#elif N == 3
#define ALL_DECIDED (IN(0) && IN(1) && IN(2))
#else
#define ALL_DECIDED (IN(0) && IN(1) && IN(2) && IN(3))
#endif
ltl decided { <> ALL_DECIDED } /* without crashes */
#endif
