/* Twin of models/rwlock.xml: -DREADERS -DWRITERS -DBROKEN=0 or 1. */
byte readers;
bit mutex = 1;
bit free = 1;

#define DOWN d_step { mutex || BROKEN -> mutex = BROKEN }

active [READERS] proctype reader()
{
	do
	:: true;
coming:	   DOWN;
	   readers++;
	   if
	   :: d_step { readers == 1 && free -> free = 0 }
	   :: readers != 1
	   fi;
	   mutex = 1;
reading:   true;
	   DOWN;
	   readers--;
	   if
	   :: d_step { readers == 0 -> free = 1 }
	   :: readers != 0
	   fi;
	   mutex = 1
	od
}

active [WRITERS] proctype writer()
{
	do
	:: true;
	   d_step { free -> free = 0 };
writing:   free = 1
	od
}

#ifdef LTL
#if READERS == 1 && WRITERS == 1
#define SOME (reader[0]@reading || writer[1]@writing)
#elif READERS == 2 && WRITERS == 1
#define SOME (reader[0]@reading || reader[1]@reading || writer[2]@writing)
#else
#define SOME (reader[0]@reading || reader[1]@reading || reader[2]@reading || writer[3]@writing || writer[4]@writing)
#endif
ltl progress { []<> SOME } /* up to two readers and one writer, or three readers and two writers */
ltl reads { [](reader[0]@coming -> <> reader[0]@reading) }
#endif
