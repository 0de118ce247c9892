/* Twin of models/slidingwindow.xml: -DW=window (up to 4) -DM=sequence numbers (up to 16)
   -DD=numbers -DCAP=messages a channel -DLOSSY=0 or 1. What is an error there (a wrong number is taken) has no successor
   here either. */
chan data = [CAP] of { byte, byte }; /* sequence number, number */
chan ack = [CAP] of { byte };

#define UNDER_WAY ((end - first + D) % D)
#define AGAIN(k) :: d_step { UNDER_WAY > k && nfull(data) -> data!(first + k) % D % M, (first + k) % D }

active proctype sender()
{
	byte first, end; /* not confirmed: from first up to before end */
	byte a, k;
	do
	:: d_step { UNDER_WAY < W && nfull(data) -> data!end % M, end; end = (end + 1) % D }
	AGAIN(0)
	AGAIN(1)
	AGAIN(2)
	AGAIN(3)
	:: d_step { nempty(ack) ->
		ack?a;
		do
		:: (first + k) % M != a -> k++
		:: (first + k) % M == a && k <= UNDER_WAY -> first = (first + k) % D; break
		:: (first + k) % M == a && k > UNDER_WAY -> break
		od;
		a = 0;
		k = 0 }
	od
}

#define OLD(s) :: d_step { s != wanted % M && data?[s, _] -> data?_, _ }

active proctype receiver()
{
	byte wanted;
	do
	:: if
	   :: d_step { data?[eval(wanted % M), eval(wanted)] -> data?_, _; wanted = (wanted + 1) % D }
	   OLD(0)
	   OLD(1)
	   OLD(2)
	   OLD(3)
	   OLD(4)
	   OLD(5)
	   OLD(6)
	   OLD(7)
	   OLD(8)
	   OLD(9)
	   OLD(10)
	   OLD(11)
	   OLD(12)
	   OLD(13)
	   OLD(14)
	   OLD(15)
	   fi;
	   ack!wanted % M
	od
}

#if LOSSY
active proctype loss()
{
	do
	:: data?_, _
	:: ack?_
	od
}
#endif

#ifdef LTL
ltl delivered { []<> (receiver[1]:wanted == 0) && []<> (receiver[1]:wanted == 1) }
#endif
