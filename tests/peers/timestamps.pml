/* Twin of models/timestamps.xml: -DN=sites (2 to 8) -DCONTENDERS -DENTRIES -DCAP=messages a link -DBROKEN=0 to 4. */
#define MOST 8
#define REST 0
#define WANT 1
#define BUSY 2

mtype = { request, answer, release };
typedef inbox { chan from[N] = [CAP] of { mtype, byte } };
inbox to[N]; /* to[q].from[p] */

#if BROKEN == 2
#define LESSER(p) 1
#else
#define LESSER(p) (p > _pid)
#endif
#if BROKEN == 4
#define MAY_ANSWER 1
#else
#define MAY_ANSWER (round == N)
#endif

/* Nothing stands in this site's way on behalf of site p. */
#define LATER(p) (time[p] == 0 || time[p] > time[_pid] || (time[p] == time[_pid] && LESSER(p)))
#define CLEAR(p) (p >= N || p == _pid || ((heard[p] || BROKEN == 1) && LATER(p)))
#define ALL_CLEAR \
	(CLEAR(0) && CLEAR(1) && CLEAR(2) && CLEAR(3) && CLEAR(4) && CLEAR(5) && CLEAR(6) && CLEAR(7))

#define START round = (_pid == 0 -> 1 : 0)
#define ONWARD \
	round++; \
	if \
	:: round == _pid -> round++ \
	:: else \
	fi

#define SITE(p) \
	:: d_step { p != _pid && to[_pid].from[p]?[request, _] -> \
		to[_pid].from[p]?_, time[p]; \
		debt[p] = 1; \
		if \
		:: BROKEN != 3 && clock <= time[p] -> clock = time[p] + 1 \
		:: else \
		fi } \
	:: d_step { p != _pid && debt[p] && MAY_ANSWER && nfull(to[p].from[_pid]) -> \
		to[p].from[_pid]!answer, 0; debt[p] = 0 } \
	:: d_step { p != _pid && to[_pid].from[p]?[answer, _] -> to[_pid].from[p]?_, _; heard[p] = 1 } \
	:: d_step { p != _pid && to[_pid].from[p]?[release, _] -> to[_pid].from[p]?_, _; time[p] = 0 }

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype site()
{
	byte doing, clock = 1, round = N, wishes = (_pid < CONTENDERS -> ENTRIES : 0);
	byte time[MOST]; /* of the requests */
	bit debt[MOST], heard[MOST];
	do
	:: d_step { doing == REST && wishes > 0 && round == N ->
		doing = WANT; wishes--; time[_pid] = clock; clock++; START }
	:: d_step { doing == WANT && round < N && nfull(to[round].from[_pid]) ->
		to[round].from[_pid]!request, time[_pid]; ONWARD }
	:: d_step { doing == WANT && round == N && ALL_CLEAR -> doing = BUSY }
	:: d_step { doing == BUSY -> doing = REST; time[_pid] = 0; START }
	:: d_step { doing == REST && round < N && nfull(to[round].from[_pid]) ->
		to[round].from[_pid]!release, 0; heard[round] = 0; ONWARD }
	SITE(0)
	SITE(1)
#if N > 2
	SITE(2)
#endif
#if N > 3
	SITE(3)
#endif
#if N > 4
	SITE(4)
#endif
#if N > 5
	SITE(5)
#endif
#if N > 6
	SITE(6)
#endif
#if N > 7
	SITE(7)
#endif
	od
}

#ifdef LTL
ltl served { [](site[0]:doing == WANT -> <> (site[0]:doing == BUSY)) }
#endif
