/* Twin of models/havi.xml, written from the description of the protocol:
   -DN=devices (2 to 4) -DRESETS -DCAP -DCURED=0 or 1 -DFULL -DONLINE.
   Sets are arrays of bits; a manager is one loop in which every step is indivisible. */
#define DOWN       0
#define REPORTING  1
#define WAITING    2
#define COLLECTING 3
#define ANNOUNCING 4
#define SETTLED    5

#define REPORT 0
#define LEADER 1

typedef set { bit has[N] };

byte round;      /* bus resets so far */
bit on_bus[N] = 1; /* plugged in */
bit untold[N] = 1; /* the media manager has noticed a reset that its device manager does not know of */
byte phase[N];
byte leader[N];  /* initial leader or best so far, then the final one */
byte known[N];   /* round of the manager; 0 without the cure */
set open[N];     /* devices not heard (COLLECTING) or not told (ANNOUNCING) */
chan inbox[N] = [CAP] of { bit, byte, byte };

hidden byte i, first;
hidden byte kind, from;

#define BOTH(a, b) (on_bus[a] && on_bus[b])
#define IS_FULL(d) (d < FULL)
#define IS_ONLINE(d) (d + ONLINE >= N)

/* Sets `first` to the initial leader among those on the bus. */
inline find_first()
{
	first = N;
	i = 0;
	do
	:: i < N && on_bus[i] && IS_FULL(i) && first == N -> first = i; i++
	:: i < N && !(on_bus[i] && IS_FULL(i) && first == N) -> i++
	:: i == N -> break
	od;
	i = 0;
	do
	:: i < N && on_bus[i] && first == N -> first = i; i++
	:: i < N && !(on_bus[i] && first == N) -> i++
	:: i == N -> break
	od
}

inline open_all(me, only_on_bus)
{
	i = 0;
	do
	:: i < N ->
		open[me].has[i] = (i != me && (!only_on_bus || BOTH(me, i)));
		i++
	:: else -> break
	od;
	i = 0 /* an indivisible step must not end in a loop */
}

inline close_all(me)
{
	i = 0;
	do
	:: i < N -> open[me].has[i] = 0; i++
	:: else -> break
	od;
	i = 0
}

/* The manager hears of the reset and starts anew. */
inline start(me)
{
	untold[me] = 0;
	if
	:: on_bus[me] -> find_first()
	:: else -> first = me
	fi;
	leader[me] = first;
	if
	:: first == me -> phase[me] = COLLECTING; open_all(me, true)
	:: else -> phase[me] = REPORTING; close_all(me)
	fi;
	if
	:: CURED -> known[me] = round
	:: else
	fi
}

/* A message of the manager's own round is taken from the buffer. */
inline take(me)
{
	inbox[me]?kind, from, _;
	if
	:: kind == LEADER && phase[me] == WAITING ->
		leader[me] = from;
		phase[me] = SETTLED
	:: kind == REPORT && phase[me] == COLLECTING && open[me].has[from] ->
		open[me].has[from] = 0;
		if
		:: IS_ONLINE(from) && !IS_ONLINE(leader[me]) -> leader[me] = from
		:: IS_ONLINE(from) == IS_ONLINE(leader[me]) && from < leader[me] -> leader[me] = from
		:: else
		fi
	:: else
	fi;
	kind = 0;
	from = 0
}

#if N == 2
#define EMPTY !(open[_pid].has[0] || open[_pid].has[1])
#elif N == 3
#define EMPTY !(open[_pid].has[0] || open[_pid].has[1] || open[_pid].has[2])
#else
#define EMPTY !(open[_pid].has[0] || open[_pid].has[1] || open[_pid].has[2] || open[_pid].has[3])
#endif
#define IS_OPEN(d) (phase[_pid] == ANNOUNCING && open[_pid].has[d])
#define TELL(d) \
	:: d_step { IS_OPEN(d) && BOTH(_pid, d) && nfull(inbox[d]) -> \
		inbox[d]!LEADER, leader[_pid], known[_pid]; open[_pid].has[d] = 0 } \
	:: d_step { IS_OPEN(d) && !BOTH(_pid, d) -> open[_pid].has[d] = 0 }
#define DROP_OLD(r) \
	:: d_step { known[_pid] > r && inbox[_pid]?[kind, from, r] -> inbox[_pid]?_, _, _ }

/* Instances 0 to N-1 have these numbers as _pid. */
active [N] proctype manager()
{
	do
	:: d_step { untold[_pid] -> start(_pid) }
	:: d_step { phase[_pid] == REPORTING && BOTH(_pid, leader[_pid]) && nfull(inbox[leader[_pid]]) ->
		inbox[leader[_pid]]!REPORT, _pid, known[_pid]; phase[_pid] = WAITING }
	:: d_step { phase[_pid] == REPORTING && !BOTH(_pid, leader[_pid]) -> phase[_pid] = WAITING }
	:: d_step { phase[_pid] == COLLECTING && EMPTY -> open_all(_pid, false); phase[_pid] = ANNOUNCING }
	:: d_step { phase[_pid] == ANNOUNCING && EMPTY -> phase[_pid] = SETTLED }
	:: d_step { phase[_pid] != DOWN && inbox[_pid]?[kind, from, eval(known[_pid])] -> take(_pid) }
	TELL(0)
	TELL(1)
#if N > 2
	TELL(2)
#endif
#if N > 3
	TELL(3)
#endif
#if CURED && RESETS > 0
	DROP_OLD(0)
#endif
#if CURED && RESETS > 1
	DROP_OLD(1)
#endif
#if CURED && RESETS > 2
	DROP_OLD(2)
#endif
#if CURED && RESETS > 3
	DROP_OLD(3)
#endif
	od
}

inline notice()
{
	round++;
	i = 0;
	do
	:: i < N -> untold[i] = 1; i++
	:: else -> break
	od;
	i = 0
}

#define PLUG(d) :: d_step { round < RESETS -> on_bus[d] = !on_bus[d]; notice() }

active proctype bus()
{
	do
	:: d_step { round < RESETS -> notice() }
	PLUG(0)
	PLUG(1)
#if N > 2
	PLUG(2)
#endif
#if N > 3
	PLUG(3)
#endif
	od
}

#ifdef LTL
#define IN(i) phase[i] == SETTLED
#if N == 2
#define ALL_SETTLED (IN(0) && IN(1))
#elif N == 3
#define ALL_SETTLED (IN(0) && IN(1) && IN(2))
#else
#define ALL_SETTLED (IN(0) && IN(1) && IN(2) && IN(3))
#endif
ltl settles { <>[] ALL_SETTLED }
#endif
