/* Twin of models/philosophers.xml: -DN=philosophers -DLEFT=left-handed ones. A fork is the number of who holds
   it, plus one. */
byte holder[N];

#define MINE (_pid + 1)
#define RIGHT_FORK holder[_pid]
#define LEFT_FORK holder[(_pid + 1) % N]

active [N] proctype philosopher()
{
	do
	:: d_step { _pid < LEFT && LEFT_FORK == 0 -> LEFT_FORK = MINE };
	   d_step { RIGHT_FORK == 0 -> RIGHT_FORK = MINE };
	   d_step { LEFT_FORK = 0; RIGHT_FORK = 0 }
	:: d_step { _pid >= LEFT && RIGHT_FORK == 0 -> RIGHT_FORK = MINE };
	   d_step { LEFT_FORK == 0 -> LEFT_FORK = MINE };
	   d_step { LEFT_FORK = 0; RIGHT_FORK = 0 }
	od
}
