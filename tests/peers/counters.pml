/* Twin of models/counters.xml: -DN=processes -DK=numbers. One step of floe is one step here. */
byte n[N];

active [N] proctype counter()
{
	do
	:: n[_pid] = (n[_pid] + 1) % K
	od
}
