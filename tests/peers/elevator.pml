/* Twin of models/elevator.xml: -DN=persons -DFLOORS (2 to 4) -DBROKEN=0 or 1. */
bit called[4];
byte wanted[4]; /* persons who wait at the floor or ride to it */
byte at;
bit is_open;

#define HERE (is_open && at == floor)
#define ENTER(f) \
	:: d_step { f < FLOORS && f != floor && HERE -> wanted[floor]--; wanted[f]++; called[f] = 1; floor = f }

active [N] proctype person()
{
	byte floor;
	do
	:: d_step { true -> wanted[floor]++; called[floor] = !HERE };
waiting:   if
	   ENTER(0)
	   ENTER(1)
	   ENTER(2)
	   ENTER(3)
	   fi;
riding:	   d_step { HERE -> wanted[floor]-- }
	od
}

#define ABOVE ((called[1] && at < 1) || (called[2] && at < 2) || (called[3] && at < 3))
#define BELOW ((called[0] && at > 0) || (called[1] && at > 1) || (called[2] && at > 2))

active proctype cabin()
{
	bit down;
	do
	:: d_step { called[at] -> called[at] = 0; is_open = 1 };
	   d_step { BROKEN || wanted[at] == 0 -> is_open = 0 }
	:: !called[at] && ((!down && ABOVE) || (down && BELOW)) ->
	   at = (down -> at - 1 : at + 1)
	:: d_step { !called[at] && ((!down && !ABOVE && BELOW) || (down && !BELOW && ABOVE)) -> down = !down }
	od
}

#ifdef LTL
ltl served { [](person[0]@waiting -> <> person[0]@riding) }
ltl arrives { [](person[0]@riding -> <> !(person[0]@waiting || person[0]@riding)) }
#endif
