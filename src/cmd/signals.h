/* SIGINT, SIGTERM, SIGHUP, and the time limit before an exploration. A thread waits for the signals. There is no
   handler, because NVRTC installs its own for 0.1 s while it compiles, and those end the process silently with exit
   code 4. */
#ifndef FLOE_CMD_SIGNALS_H
#define FLOE_CMD_SIGNALS_H

#include <stdbool.h>

/* From now on these signals end the library's work (floe_interrupt), and floe reports its results so far. The second
   signal ends traces, if floe finds them; else it ends floe at once, as does a third one. A signal within 0.3 s after
   another one is ignored. Ignored signals stay ignored: a shell that starts floe in the
   background makes it ignore SIGINT. Call before any other thread starts; repeated calls are allowed. */
void signals_catch(void);

/* The same before a model is read. If the time from now to signals_end_reading exceeds `timeout` seconds (0: no
   limit), the run ends undecided: floe_interrupt ends the loading of a file; parsing and checking, which cannot be
   interrupted, end with the process 0.3 s later. */
void signals_begin_reading(double timeout);
/* The same; the process prints `answer` to standard output if it ends while it parses or checks. */
void signals_begin_reading_for(const char *answer, double timeout);
void signals_loading(bool loading);
void signals_searching(bool searching); /* during floe_explore and floe_resume: a terminal shows what a signal does */
void signals_end_reading(void);         /* call before an exploration begins */

/* Seconds of `timeout` that remain for the first exploration after reading. 0: no limit. */
double signals_time_left(double timeout);

/* True after one of these signals. */
bool signals_received(void);

#endif
