/* Twin of models/election.xml: -DN=processes (3 to 6) -DSTEP -DCAP=messages a buffer (at least 1) -DLOSSY=0 or 1
   -DBROKEN=0 or 1. */
chan to[N] = [CAP] of { byte };

#define MINE ((BROKEN && STEP * _pid % N == N - 2) -> N - 1 : STEP * _pid % N)
#define NEXT to[(_pid + 1) % N]

active [N] proctype process()
{
	byte number; /* on its way through */
	bit leads;
	if
	:: NEXT!MINE
	:: d_step { nempty(to[_pid]) -> to[_pid]?number; number = (number < MINE -> MINE : number) }
	fi;
	do
	:: d_step { number == 0 && nempty(to[_pid]) ->
		to[_pid]?number;
		if
		:: number == MINE || leads -> leads = 1; number = 0
		:: number < MINE && !leads -> number = 0
		:: else
		fi }
	:: d_step { number > 0 && nfull(NEXT) -> NEXT!number; number = 0 }
#if LOSSY
	:: d_step { number == 0 && !leads && nfull(NEXT) -> NEXT!MINE }
#endif
	od
}

#if LOSSY
active proctype loss()
{
	do
	:: to[0]?_
	:: to[1]?_
	:: to[2]?_
#if N > 3
	:: to[3]?_
#endif
#if N > 4
	:: to[4]?_
#endif
#if N > 5
	:: to[5]?_
#endif
	od
}
#endif

#ifdef LTL
#define IN(i) process[i]:leads
#if N == 3
#define SOME (IN(0) || IN(1) || IN(2))
#elif N == 4
#define SOME (IN(0) || IN(1) || IN(2) || IN(3))
#elif N == 5
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4))
#else
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4) || IN(5))
#endif
ltl elected { <> SOME }
#endif
