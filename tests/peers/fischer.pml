/* Twin of models/fischer.xml: -DN=processes -DA=latest tick -DB=ticks to wait. */
byte id;
byte phase[N]; /* 0 outside, 1 writing, 2 waiting, 3 inside */
byte time[N];

hidden byte i;

active [N] proctype process()
{
	do
	:: d_step { phase[_pid] == 0 && id == 0 -> phase[_pid] = 1 }
	:: d_step { phase[_pid] == 1 -> id = _pid + 1; phase[_pid] = 2; time[_pid] = 0 }
	:: d_step { phase[_pid] == 2 && time[_pid] == B ->
		time[_pid] = 0; phase[_pid] = (id == _pid + 1 -> 3 : 0) }
	:: d_step { phase[_pid] == 3 -> id = 0; phase[_pid] = 0 }
	od
}

/* nobody is at the end of the time for writing */
#define LATE(p) (phase[p] == 1 && time[p] >= A)
#define IN_TIME(p) (p >= N || !LATE((p < N -> p : 0)))

active proctype clock()
{
	do
	:: d_step { IN_TIME(0) && IN_TIME(1) && IN_TIME(2) && IN_TIME(3) && IN_TIME(4) && IN_TIME(5) ->
		i = 0;
		do
		:: i < N && (phase[i] == 1 || (phase[i] == 2 && time[i] < B)) -> time[i]++; i++
		:: i < N && !(phase[i] == 1 || (phase[i] == 2 && time[i] < B)) -> i++
		:: i == N -> break
		od;
		i = 0 }
	od
}

#ifdef LTL
ltl writes { [](phase[0] == 1 -> <> (phase[0] == 2)) }
#endif
