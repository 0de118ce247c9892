/* Twin of models/lamport.xml: -DN=processes -DBROKEN=0, 1 or 2. */
byte first, second; /* x and y; a process is _pid + 1 */
bit up[N];

#define ME (_pid + 1)
#define DOWN(k) (k == _pid || BROKEN == 1 || !up[k])

active [N] proctype process()
{
	byte k;
again:	up[_pid] = 1;
	first = ME;
	if
	:: second != 0 ->
		up[_pid] = 0;
wait:		second == 0;
		goto again
	:: second == 0 -> second = ME
	fi;
	if
	:: first == ME
	:: first != ME ->
		up[_pid] = (BROKEN == 2);
ask:		if
		:: d_step { k + 1 < N && DOWN(k) -> k++ }; goto ask
		:: d_step { k + 1 == N && DOWN(k) -> k = 0 }
		fi;
		if
		:: second == ME
		:: d_step { second != ME -> up[_pid] = 0 }; goto wait
		fi
	fi;
critical:
	second = 0;
	up[_pid] = 0;
	goto again
}

#ifdef LTL
#define IN(i) process[i]@critical
#if N == 2
#define SOME (IN(0) || IN(1))
#elif N == 3
#define SOME (IN(0) || IN(1) || IN(2))
#elif N == 4
#define SOME (IN(0) || IN(1) || IN(2) || IN(3))
#else
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4))
#endif
ltl progress { []<> SOME }
#endif
