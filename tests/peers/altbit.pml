/* Twin of models/altbit.xml: -DCAP=messages a channel -DD=numbers -DLOSSY=0 or 1 -DBROKEN=0, 1 or 2. An
   error there (a wrong number is accepted) has no successor here. */
chan data = [CAP] of { byte, bit };
chan ack = [CAP] of { bit };

active proctype sender()
{
	byte number;
	bit sign, back;
	do
	:: data!number, sign
	:: d_step { ack?back ->
		if
		:: back == sign || BROKEN == 2 -> number = (number + 1) % D; sign = 1 - sign
		:: else
		fi;
		back = 0 }
	od
}

active proctype receiver()
{
	byte wanted, got;
	bit sign, got_sign;
	do
	:: data?got, got_sign;
	   if
	   :: d_step { got_sign != sign && BROKEN != 1 -> got = 0; got_sign = 0 }
	   :: d_step { (got_sign == sign || BROKEN == 1) && got == wanted ->
		wanted = (wanted + 1) % D; sign = 1 - got_sign; got = 0; got_sign = 0 }
	   fi;
	   ack!1 - sign
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
