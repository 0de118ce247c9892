/* Twin of models/philosophers.xml: -DN=philosophers -DLEFT=left-handed ones -DSEATS=those at the table at a time,
   N where it is not given. A fork is the number of who holds it, plus one. */
#ifndef SEATS
#define SEATS N
#endif
byte holder[N];
byte seated;

#define MINE (_pid + 1)
#define RIGHT_FORK holder[_pid]
#define LEFT_FORK holder[(_pid + 1) % N]

active [N] proctype philosopher()
{
	do
	:: d_step { _pid < LEFT && seated < SEATS && LEFT_FORK == 0 -> LEFT_FORK = MINE; seated++ };
	   d_step { RIGHT_FORK == 0 -> RIGHT_FORK = MINE };
	   d_step { LEFT_FORK = 0; RIGHT_FORK = 0; seated-- }
	:: d_step { _pid >= LEFT && seated < SEATS && RIGHT_FORK == 0 -> RIGHT_FORK = MINE; seated++ };
	   d_step { LEFT_FORK == 0 -> LEFT_FORK = MINE };
	   d_step { LEFT_FORK = 0; RIGHT_FORK = 0; seated-- }
	od
}

#ifdef LTL
#define IN(i) (holder[i] == i + 1 && holder[(i + 1) % N] == i + 1)
#if N == 3
#define SOME (IN(0) || IN(1) || IN(2))
#elif N == 4
#define SOME (IN(0) || IN(1) || IN(2) || IN(3))
#elif N == 5
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4))
#else
#define SOME (IN(0) || IN(1) || IN(2) || IN(3) || IN(4) || IN(5))
#endif
ltl progress { []<> SOME }
ltl served { []((holder[0] == 1 || holder[1] == 1) -> <> IN(0)) }
#endif
