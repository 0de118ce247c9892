/* Twin of models/szymanski.xml: -DN=processes -DBROKEN=0 to 3. */
byte flag[N];

active [N] proctype process()
{
	byte j;
	do
	:: flag[_pid] = 1;
	   do
	   :: d_step { j < N && (BROKEN == 3 || flag[j] < 3) -> j++ }
	   :: d_step { j == N -> j = 0 } -> break
	   od;
	   flag[_pid] = 3;
	   do
	   :: d_step { j < N && flag[j] != 1 -> j++ }
	   :: d_step { j < N && flag[j] == 1 -> j = 0; flag[_pid] = 2 } ->
		if
		:: flag[0] == 4
		:: flag[1] == 4
#if N > 2
		:: flag[2] == 4
#endif
#if N > 3
		:: flag[3] == 4
#endif
#if N > 4
		:: flag[4] == 4
#endif
		fi;
		break
	   :: d_step { j == N -> j = 0 } -> break
	   od;
	   flag[_pid] = 4;
	   do
	   :: d_step { j < _pid && (BROKEN == 1 || flag[j] < 2) -> j++ }
	   :: d_step { j == _pid -> j = 0 } -> break
	   od;
critical:
	   j = _pid + 1;
	   do
	   :: d_step { j < N && (BROKEN == 2 || flag[j] < 2 || flag[j] == 4) -> j++ }
	   :: d_step { j == N -> j = 0; flag[_pid] = 0 } -> break
	   od
	od
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
ltl served { [](flag[N - 1] == 1 -> <> IN((N - 1))) }
#endif
