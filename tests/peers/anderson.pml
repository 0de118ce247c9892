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
	   :: d_step { !ATOMIC -> place = next }; next = (place + 1) % SLOTS
	   fi;
	   OPEN(place);
	   turned[place] = (place == 0); /* inside */
	   d_step {
		turned[(place + 1) % SLOTS] = ((place + 1) % SLOTS != 0);
		if
		:: KEEP
		:: else -> place = 0
		fi
	   }
	od
}
