/* Twin of models/rwlock.xml: -DREADERS -DWRITERS -DBROKEN=0 or 1. */
byte readers;
bit mutex = 1;
bit free = 1;

#define DOWN d_step { mutex || BROKEN -> mutex = BROKEN }

active [READERS] proctype reader()
{
	do
	:: true;
	   DOWN;
	   readers++;
	   if
	   :: d_step { readers == 1 && free -> free = 0 }
	   :: readers != 1
	   fi;
	   mutex = 1;
	   true; /* has read */
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
	   free = 1
	od
}
