/* Twin of models/anderson.xml: -DN=processes -DSLOTS=places -DATOMIC=0 or 1 -DKEEP=0 or 1. */
byte next;
bit turned[SLOTS]; /* place 0 is open while this is 0, the others while it is 1 */

#define OPEN(s) (turned[s] != (s == 0))

active [N] proctype process()
{
	byte place;
	do
	:: if
	   :: d_step { ATOMIC -> place = next; next = (next + 1) % SLOTS }
	   :: d_step { !ATOMIC -> place = next };
drawn:	      next = (place + 1) % SLOTS
	   fi;
waiting:   OPEN(place);
critical:  turned[place] = (place == 0);
leaving:   d_step {
		turned[(place + 1) % SLOTS] = ((place + 1) % SLOTS != 0);
		if
		:: KEEP
		:: else -> place = 0
		fi
	   }
	od
}

#ifdef LTL
#define IN(i) process[i]@critical
#define IDLE(i) !(process[i]@drawn || process[i]@waiting || process[i]@critical || process[i]@leaving)
#if N == 2
#define SOME (IN(0) || IN(1))
#elif N == 3
#define SOME (IN(0) || IN(1) || IN(2))
#elif N == 4
#define SOME (IN(0) || IN(1) || IN(2) || IN(3))
#else
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4))
#endif
ltl in_order { []((process[0]@waiting && IDLE(1)) -> (!IN(1) W IN(0))) }
ltl progress { []<> SOME }
ltl served { [](process[0]@waiting -> <> IN(0)) }
#endif
