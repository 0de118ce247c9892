/* Twin of models/journal.xml: -DBLOCKS (2 to 254) -DMAX -DTRANSFERS -DCRASHES -DBROKEN=0 to 3. Each block is a process that offers itself;
   one process writes. More than about 100 blocks need pan.c compiled with -DVECTORSZ=4096. */
#define FIRST ((MAX + 1) / 2)

mtype = { idle, wants_target, notes, marks, writes, writes_second, erases, down };
mtype doing = idle;
int disk[BLOCKS] = FIRST;
byte transfers, crashes;
byte source, target; /* in memory */

/* on the disk as well */
typedef record { byte block; int amount };
record journal[2];
byte records;
bit whole;

active [BLOCKS] proctype offer()
{
	do
	:: d_step { doing == idle && transfers < TRANSFERS && disk[_pid] > 0 ->
		transfers++; source = _pid; doing = wants_target }
	:: d_step { doing == wants_target && _pid != source && disk[_pid] < MAX -> target = _pid; doing = notes }
	od
}

#define NOTE(n, which, change) journal[n].block = which; journal[n].amount = disk[which] + change; records++
#define WRITE(n) disk[journal[n].block] = journal[n].amount
#define FORGET(n) journal[n].block = 0; journal[n].amount = 0

active proctype write()
{
	do
	:: d_step { doing == notes && records == 0 -> NOTE(0, source, -1) }
	:: d_step { doing == notes && records == 1 -> NOTE(1, target, 1); source = 0; target = 0; doing = marks }
	:: d_step { doing == marks -> whole = (BROKEN != 1); doing = writes }
	:: d_step { doing == writes -> WRITE(0); whole = (whole && BROKEN != 3); doing = writes_second }
	:: d_step { doing == writes_second -> WRITE(1); doing = erases }
	:: d_step { doing == erases -> FORGET(0); FORGET(1); records = 0; whole = 0; doing = idle }
	:: d_step { doing == down -> doing = ((whole || (BROKEN == 2 && records > 0)) -> writes : erases) }
	:: d_step { doing != idle && doing != down && crashes < CRASHES ->
		crashes++; source = 0; target = 0; doing = down }
	od
}
