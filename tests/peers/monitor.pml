/* Twin of models/monitor.xml: -DPRODUCERS -DCONSUMERS (1 to 4 each) -DSIZE=places -DALL=0 or 1 -DBROKEN=0, 1 or 2. */
#define THREADS (PRODUCERS + CONSUMERS)

bit locked;
short items;
bit sleeps[8]; /* entries from THREADS on are unused */
hidden byte t;

/* Producers wait for one condition and consumers for another, or all for the same one. */
#if BROKEN == 2
#define TOLD(s, from, to) (sleeps[s])
#else
#define TOLD(s, from, to) (sleeps[s] && s >= from && s < to)
#endif
#define SOME(from, to) (TOLD(0, from, to) || TOLD(1, from, to) || TOLD(2, from, to) || TOLD(3, from, to) || \
	TOLD(4, from, to) || TOLD(5, from, to) || TOLD(6, from, to) || TOLD(7, from, to))
#define WAKE(s, from, to) :: d_step { !ALL && TOLD(s, from, to) -> sleeps[s] = 0; locked = 0 }

#if BROKEN == 1
#define AFTERWARDS work
#else
#define AFTERWARDS look
#endif

#define THREAD(hindered, change, from, to) \
enter:	if \
	:: d_step { !locked -> locked = 1 } \
	fi; \
look:	if \
	:: d_step { hindered -> sleeps[_pid] = 1; locked = 0 } -> goto wait \
	:: d_step { !(hindered) -> skip } -> goto work \
	fi; \
wait:	if \
	:: d_step { !sleeps[_pid] && !locked -> locked = 1 } -> goto AFTERWARDS \
	fi; \
work:	change; \
	if \
	WAKE(0, from, to) \
	WAKE(1, from, to) \
	WAKE(2, from, to) \
	WAKE(3, from, to) \
	WAKE(4, from, to) \
	WAKE(5, from, to) \
	WAKE(6, from, to) \
	WAKE(7, from, to) \
	:: d_step { ALL -> \
		t = 0; \
		do \
		:: t < THREADS && TOLD(t, from, to) -> sleeps[t] = 0; t++ \
		:: t < THREADS && !TOLD(t, from, to) -> t++ \
		:: t >= THREADS -> break \
		od; \
		t = 0; locked = 0 } \
	:: d_step { !ALL && !SOME(from, to) -> locked = 0 } \
	fi; \
	goto enter

active [PRODUCERS] proctype producer()
{
	THREAD(items >= SIZE, items++, PRODUCERS, THREADS)
}

active [CONSUMERS] proctype consumer()
{
	THREAD(items <= 0, items--, 0, PRODUCERS)
}

#ifdef LTL
#if THREADS == 2
#define SOME (producer[0]@work || consumer[1]@work)
#elif PRODUCERS == 1 && CONSUMERS == 2
#define SOME (producer[0]@work || consumer[1]@work || consumer[2]@work)
#else
#define SOME (producer[0]@work || producer[1]@work || producer[2]@work || \
	consumer[3]@work || consumer[4]@work || consumer[5]@work)
#endif
ltl progress { []<> SOME } /* two threads, three with one producer, or three of each kind */
#endif
