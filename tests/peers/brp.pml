/* Twin of models/brp.xml: -DN=chunks (up to 254) -DMAX=repetitions -DBROKEN=0 or 1. An error there has no
   successor here. */
chan frame = [1] of { byte, bit };
chan ack = [1] of { bit };
chan expire = [0] of { byte };
byte got;
bit listening = 1; /* the receiver is not about to answer */

#define LOST (BROKEN || (empty(frame) && empty(ack) && listening))

active proctype sender()
{
	byte chunk, tries;
	bit sign;
new:	got = 0;
again:	frame!chunk, sign;
	if
	:: d_step { chunk + 1 < N && nempty(ack) -> ack?_; chunk++; sign = !sign; tries = 0 }; goto again
	:: d_step { chunk + 1 == N && nempty(ack) -> ack?_; chunk = 0; sign = !sign; tries = 0 };
ok:	   true;
	   goto new
	:: d_step { LOST && tries < MAX -> tries++ }; goto again
	:: d_step { LOST && tries == MAX && chunk + 1 < N -> chunk = 0; tries = 0 };
nok:	   expire!2;
	   goto new
	:: d_step { LOST && tries == MAX && chunk + 1 == N -> chunk = 0; tries = 0 };
dk:	   expire!2;
	   goto new
	fi
}

active proctype receiver()
{
	byte last = 2; /* bit of the frame before */
ready:	if
	:: d_step { frame?[eval(got), 0] && last != 0 && got < N -> frame?_, _; last = 0; got++; listening = 0 }
	:: d_step { frame?[eval(got), 1] && last != 1 && got < N -> frame?_, _; last = 1; got++; listening = 0 }
	:: d_step { (last == 0 && frame?[_, 0]) || (last == 1 && frame?[_, 1]) -> frame?_, _; listening = 0 }
	:: expire?last -> goto ready
	fi;
	d_step { nfull(ack) -> ack!0; listening = 1 };
	goto ready
}

active proctype loss()
{
	do
	:: frame?_, _
	:: ack?_
	od
}

#ifdef LTL
ltl reports { []<> (sender[0]@ok || sender[0]@nok || sender[0]@dk) }
#endif
