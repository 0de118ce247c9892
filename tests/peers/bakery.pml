/* Twin of models/bakery.xml: -DN=processes (2 to 4) -DMAX=tickets -DBROKEN=0 or 1. */
byte ticket[N];
bit choosing[N];

#define LARGER(a, b) ((a) > (b) -> (a) : (b))
#if N == 2
#define GREATEST LARGER(ticket[0], ticket[1])
#elif N == 3
#define GREATEST LARGER(ticket[0], LARGER(ticket[1], ticket[2]))
#else
#define GREATEST LARGER(LARGER(ticket[0], ticket[1]), LARGER(ticket[2], ticket[3]))
#endif
/* j does not stand before this process */
#define GIVES_WAY(j) (ticket[j] == 0 || ticket[_pid] < ticket[j] || (ticket[_pid] == ticket[j] && _pid <= j))

active [N] proctype customer()
{
	byte seen, j;
	do
	:: choosing[_pid] = true;
	   if
	   :: d_step { GREATEST == MAX -> choosing[_pid] = false }
	   :: d_step { GREATEST < MAX -> seen = GREATEST };
	      d_step { ticket[_pid] = seen + 1; choosing[_pid] = false; seen = 0 };
	ask:  BROKEN || !choosing[j];
	      if
	      :: d_step { GIVES_WAY(j) && j + 1 < N -> j++ } -> goto ask
	      :: d_step { GIVES_WAY(j) && j + 1 == N -> j = 0 }
	      fi;
critical:      ticket[_pid] = 0
	   fi
	od
}

#ifdef LTL
ltl in_order { []((ticket[0] > 0 && ticket[1] == 0 && !choosing[1]) -> (!customer[1]@critical W customer[0]@critical)) }
ltl served { [](ticket[0] > 0 -> <> customer[0]@critical) }
#endif
