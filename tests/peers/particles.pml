/* Twin of models/particles.xml: -DN=cells (2 to 254) -DK=particles -DOPEN=0 or 1. A cell changes places with the next. */
bit changed[N]; /* differs from the initial state */

#define FULL(i) (changed[i] != (i < K))

active [N - 1] proctype hop()
{
	do
	:: d_step { FULL(_pid) != FULL((_pid + 1)) ->
		changed[_pid] = !changed[_pid]; changed[_pid + 1] = !changed[_pid + 1] }
	od
}

#if OPEN
active proctype get_lost()
{
	do
	:: d_step { FULL((N - 1)) -> changed[N - 1] = !changed[N - 1] }
	od
}
#endif
