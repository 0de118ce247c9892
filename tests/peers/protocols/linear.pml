/* Twin of models/protocols/linear.xml, written along src/tables/kernel/linear.h:
   -DTHREADS -DCALLS -DKEYS (1 to 3) -DSLOTS (2 or 4) -DWINDOW -DHOME -DFORM -DREUSE -DEMPTY -DBLIND -DSTORE.
   (FILLED and DEAD are 0: nothing is there at first.) Each d_step is one access to a slot, or none. */
#define TOMB  (KEYS + 2)
#define me    _pid
#define MASK  ((1 << WINDOW) - 1)

#define PUT    0
#define FIND   1
#define DELETE 2

byte slot[SLOTS];
bit wrong;
byte key[THREADS];   /* of the call in work */
bit absent[THREADS]; /* at some moment of the call the key was not there */

#define AT(i)       slot[(i) % SLOTS]
#define PRESENT(k)  (slot[0] == k || slot[1] == k || AT(2) == k || AT(3) == k)
#define HOME_OF(k)  ((HOME + (k == 3)) % SLOTS)
#define IN_HASTE    ((dead) -> TOMB : 0)
#define FIRST       (left == SLOTS)
#define OFFSET      (FIRST -> HOME_OF(key[me]) - at : 0)
#define LEAST(a, b) (((a) < (b)) -> (a) : (b))
#define USABLE      LEAST(left, WINDOW - OFFSET)
#define HAS(i)      (i < WINDOW && (unread >> i & 1))
#define LOWEST(i)   (i < WINDOW && (open >> i & 1) && !(open & ((1 << i) - 1)))
#define NOW(i)      AT(at + i)

#define FORGET { key[me] = 0; work = 0; at = 0; left = 0; unread = 0; open = 0; absent[me] = 0; dead = 0 }
#define BEGIN(k, w) { calls++; key[me] = k; work = w; left = SLOTS; absent[me] = !PRESENT(k) }
#define WALKS(k, w) calls < CALLS && k <= KEYS && (!FORM || w == DELETE)
#define SCANS(k)    calls < CALLS && k <= KEYS && FORM

#define CALL_WALK(k, w) :: d_step { WALKS(k, w) -> BEGIN(k, w); at = HOME_OF(k) }; goto walk
#define CALL_SCAN(k, w) :: d_step { SCANS(k) -> BEGIN(k, w); at = HOME_OF(k) / WINDOW * WINDOW; unread = MASK }; goto scan

#define SCAN_KEY(i)   :: d_step { left && HAS(i) && NOW(i) == key[me] -> FORGET }; goto idle
#define SCAN_OTHER(i) :: d_step { left && HAS(i) && NOW(i) != key[me] -> \
                           if :: NOW(i) == 0 -> open = open | 1 << i :: else fi; \
                           unread = unread & ~(1 << i) }; goto scan
#define CLAIM_KEY(i)   :: d_step { work == PUT && LOWEST(i) && NOW(i) == 0 -> NOW(i) = key[me]; FORGET }; goto idle
#define CLAIM_FOUND(i) :: d_step { work == PUT && LOWEST(i) && NOW(i) == key[me] && !BLIND -> FORGET }; goto idle
#define CLAIM_ON(i)    :: d_step { work == PUT && LOWEST(i) && NOW(i) && (NOW(i) != key[me] || BLIND) -> \
                            open = open & ~(1 << i) }; goto claims
#define EACH(what) what(0) what(1) what(2) what(3)

active [THREADS] proctype thread()
{
	byte calls, work, at, left, unread, open, dead;

idle:
	if
	CALL_WALK(1, PUT) CALL_WALK(2, PUT) CALL_WALK(3, PUT)
	CALL_WALK(1, FIND) CALL_WALK(2, FIND) CALL_WALK(3, FIND)
	CALL_WALK(1, DELETE) CALL_WALK(2, DELETE) CALL_WALK(3, DELETE)
	CALL_SCAN(1, PUT) CALL_SCAN(2, PUT) CALL_SCAN(3, PUT)
	CALL_SCAN(1, FIND) CALL_SCAN(2, FIND) CALL_SCAN(3, FIND)
	fi;

walk:
	if
	:: d_step { left && slot[at] == key[me] && work != DELETE -> FORGET }; goto idle
	:: d_step { left && slot[at] == key[me] && work == DELETE }; goto bury
	:: d_step { left && slot[at] == 0 && work == PUT -> at = (dead -> dead - 1 : at) }; goto claim
	:: d_step { left && slot[at] == 0 && work != PUT }; goto done
	:: d_step { left && slot[at] && slot[at] != key[me] ->
		if
		:: REUSE && work == PUT && !dead && slot[at] == TOMB -> dead = at + 1
		:: else
		fi;
		at = (at + 1) % SLOTS; left-- }; goto walk
	:: d_step { !left && work == PUT && dead -> at = dead - 1 }; goto claim
	:: d_step { !left && !(work == PUT && dead) }; goto done
	fi;

claim:
	if
	:: d_step { slot[at] == IN_HASTE -> slot[at] = key[me]; FORGET }; goto idle
	:: d_step { slot[at] == key[me] && !BLIND -> FORGET }; goto idle
	:: d_step { slot[at] != IN_HASTE && (slot[at] != key[me] || BLIND) ->
		if
		:: dead -> left = SLOTS; at = HOME_OF(key[me]); dead = 0
		:: else -> left--; at = (at + 1) % SLOTS
		fi }; goto walk
	fi;

bury:
	if
	:: d_step { slot[at] == key[me] || STORE ->
		wrong = wrong || slot[at] != key[me];
		slot[at] = (EMPTY -> 0 : TOMB);
		if :: key[0] == key[me] -> absent[0] = 1 :: else fi;
		if :: THREADS > 1 && key[1 % THREADS] == key[me] -> absent[1 % THREADS] = 1 :: else fi;
		if :: THREADS > 2 && key[2 % THREADS] == key[me] -> absent[2 % THREADS] = 1 :: else fi;
		FORGET }; goto idle
	:: d_step { slot[at] != key[me] && !STORE -> at = (at + 1) % SLOTS; left-- }; goto walk
	fi;

scan:
	if
	EACH(SCAN_KEY)
	EACH(SCAN_OTHER)
	:: d_step { left && !unread -> open = open & (((1 << USABLE) - 1) << OFFSET) }; goto claims
	:: d_step { !left }; goto done
	fi;

claims:
	if
	:: d_step { work == FIND && open }; goto done
	EACH(CLAIM_KEY)
	EACH(CLAIM_FOUND)
	EACH(CLAIM_ON)
	:: d_step { FORM && !open ->
		left = left - USABLE;
		at = (at + WINDOW < SLOTS -> at + WINDOW : 0);
		unread = (left -> MASK : 0) }; goto scan
	fi;

done:
	if
	:: d_step { true -> wrong = wrong || !absent[me]; FORGET }; goto idle
	fi
}
