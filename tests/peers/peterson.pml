/* Twin of models/peterson.xml: -DN=processes (2 to 7) -DLEVELS=levels. */
byte level[N]; /* 0: outside */
byte last[LEVELS];

#define LOWER(i) (i == _pid || level[i] < level[_pid])
#if N == 2
#define ALONE (LOWER(0) && LOWER(1))
#elif N == 3
#define ALONE (LOWER(0) && LOWER(1) && LOWER(2))
#elif N == 4
#define ALONE (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3))
#elif N == 5
#define ALONE (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4))
#elif N == 6
#define ALONE (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5))
#else
#define ALONE (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5) && LOWER(6))
#endif
#define FREE (last[level[_pid] - 1] != _pid || ALONE)

active [N] proctype process()
{
outside:
	level[_pid] = 1;
sign:
	last[level[_pid] - 1] = _pid;
	if
	:: d_step { FREE && level[_pid] < LEVELS -> level[_pid]++ } -> goto sign
	:: FREE && level[_pid] == LEVELS ->
critical:	level[_pid] = 0;
		goto outside
	fi
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
ltl served { [](level[0] > 0 -> <> IN(0)) }
#endif
