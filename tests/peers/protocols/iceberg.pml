/* Twin of models/protocols/iceberg.xml, written along src/tables/kernel/iceberg.h:
   -DTHREADS (1 to 3) -DCALLS -DKEYS (1 to 3) -DFIRST (1 to 4) -DSECOND (1 or 2) -DTHIRD (1 to 4) -DBUCKETS (1 or 2) -DFORM
   -DCOUNT -DBLIND -DSTORE. (FILLED is 0: nothing is there at first.) Each d_step is one access to a slot, or none.

   A level is scanned into masks, `seen` for slots looked at and `open` for those seen empty: of one bucket in the low four
   bits, at level 2 of bucket 1 there and of bucket 2 in the high ones. */
#define BOTH (level == 1)
#define WIDTH (level == 0 -> FIRST : (level == 1 -> SECOND : THIRD))
#define ALL ((1 << WIDTH) - 1)
#define WHOLE (BOTH -> ALL | ALL << 4 : ALL)

byte first[FIRST];
byte second[2 * SECOND];
byte third[BUCKETS * THIRD];
bit given[KEYS + 1];
bit wrong;

#define ONE(k) (k == 2)  /* the number of its first secondary bucket, and of its second one */
#define TWO(k) (k == 1)
#define THIRD_AT(i) ((level - 2 + key) % BUCKETS * THIRD + (i))
#define CODE(b) (BOTH && b >= 4 -> KEYS + key : key)
#define SLOT(b) (level == 0 -> first[(b) % FIRST] : \
                (level == 1 -> second[((b) < 4 -> ONE(key) : TWO(key)) * SECOND + (b) % 4 % SECOND] : third[THIRD_AT((b) % THIRD)]))

#define UNSEEN(b) (WHOLE >> b & 1 && !(seen >> b & 1))
/* May this slot be looked at now? Slot by slot and bucket by bucket; a bucket in any order; any order. */
#define BEFORE(b) (b < 4 -> (1 << b) - 1 : ALL | ((1 << b) - 1) & (ALL << 4))
#define ITS_TURN(b) (FORM == 2 || (FORM == 1 && (b < 4 || (seen & ALL) == ALL)) || (FORM == 0 && (seen & BEFORE(b)) == BEFORE(b)))
/* Where the scan slot by slot ends, all that follows in the bucket is called empty. */
#define REST(b) (b < 4 -> ALL & ~((1 << b) - 1) : (ALL << 4) & ~((1 << b) - 1))

#define END_CALL { key = 0; level = 0; seen = 0; open = 0 }
#define WRITE(b) if \
	:: level == 0 -> first[(b) % FIRST] = CODE(b) \
	:: level == 1 -> second[(b < 4 -> ONE(key) : TWO(key)) * SECOND + (b) % 4 % SECOND] = CODE(b) \
	:: level > 1 -> third[THIRD_AT((b) % THIRD)] = CODE(b) \
	fi

#define CALL(k) :: d_step { calls < CALLS && k <= KEYS -> calls++; key = k }; goto scan
#define SEE_KEY(b)   :: d_step { UNSEEN(b) && ITS_TURN(b) && SLOT(b) == CODE(b) -> wrong = wrong || !given[key]; END_CALL }; goto idle
#define SEE_EMPTY(b) :: d_step { UNSEEN(b) && ITS_TURN(b) && SLOT(b) == 0 -> \
	if :: FORM == 0 -> seen = seen | REST(b); open = open | REST(b) \
	   :: else -> seen = seen | 1 << b; open = open | 1 << b fi }; goto scan
#define SEE_OTHER(b) :: d_step { UNSEEN(b) && ITS_TURN(b) && SLOT(b) != 0 && SLOT(b) != CODE(b) -> seen = seen | 1 << b }; goto scan

/* Bucket 2 comes before bucket 1 at the same number. */
#define NUMBER(b) (b >= 4 -> 2 * (b - 4) : (BOTH -> 2 * b + 1 : b))
#define AHEAD(a, b) (open >> a & 1 && NUMBER(a) < NUMBER(b))
#define NEXT(b) (open >> b & 1 && !AHEAD(0, b) && !AHEAD(1, b) && !AHEAD(2, b) && !AHEAD(3, b) && !AHEAD(4, b) && !AHEAD(5, b))
#define CLAIM_PUT(b)   :: d_step { NEXT(b) && (SLOT(b) == 0 || STORE) -> \
	WRITE(b); wrong = wrong || given[key]; given[key] = 1; END_CALL }; goto idle
#define CLAIM_FOUND(b) :: d_step { NEXT(b) && !BLIND && !STORE && SLOT(b) == CODE(b) -> wrong = wrong || !given[key]; END_CALL }; goto idle
#define CLAIM_ON(b)    :: d_step { NEXT(b) && !STORE && SLOT(b) != 0 && (BLIND || SLOT(b) != CODE(b)) -> open = open & ~(1 << b) }; goto claim

#define BITS(m) (((m) & 1) + ((m) >> 1 & 1) + ((m) >> 2 & 1) + ((m) >> 3 & 1))
#define UP(m) ((m) | (m) << 1 | (m) << 2 | (m) << 3) /* from the lowest bit on */
#define EACH(what) what(0) what(1) what(2) what(3) what(4) what(5)

active [THREADS] proctype thread()
{
	byte calls, key, level, seen, open;

idle:
	if
	CALL(1) CALL(2) CALL(3)
	fi;

scan:
	if
	EACH(SEE_KEY)
	EACH(SEE_EMPTY)
	EACH(SEE_OTHER)
	:: d_step { seen == WHOLE ->
		seen = 0;
		if
		:: COUNT && !BOTH -> open = ALL & ~((1 << (WIDTH - BITS(open))) - 1)
		:: !(COUNT && !BOTH) && FORM == 2 -> open = UP(open & 15) & ALL | (UP(open >> 4) & ALL) << 4
		:: else
		fi }; goto claim
	fi;

claim:
	if
	EACH(CLAIM_PUT)
	EACH(CLAIM_FOUND)
	EACH(CLAIM_ON)
	:: d_step { !open && level < 1 + BUCKETS -> level++ }; goto scan
	:: d_step { !open && level == 1 + BUCKETS -> wrong = wrong || given[key]; END_CALL }; goto idle
	fi
}
