/* SIGINT, SIGTERM, SIGHUP and the time before an exploration, by a thread that waits for them. No handler does that:
   NVRTC has handlers of its own for 0.1 s while it compiles, which end the process by exit code 4 without a word. */
#ifndef FLOE_CMD_SIGNALS_H
#define FLOE_CMD_SIGNALS_H

#include <stdbool.h>

/* From now on these signals end what the library does (floe_interrupt), and floe tells what it has. One that comes 0.3
   s after the first or later ends floe at once, by that signal. What is ignored stays ignored: a shell that starts floe
   in the background has it ignore SIGINT. To be called before there is another thread; again is allowed. */
void signals_catch(void);

/* The same before a model is read. What takes longer than `timeout` seconds (0: no limit) from now to
   signals_end_reading is ended as well, as undecided, since nothing is known yet: a file that is being loaded by
   floe_interrupt; parsing and checking, which that does not end, by the end of the process 0.3 s later. */
void signals_begin_reading(double timeout);
void signals_loading(bool loading);
void signals_end_reading(void); /* an exploration is about to begin */

/* Of `timeout`, for the exploration that comes first: reading was part of it. 0: no limit. */
double signals_time_left(double timeout);

/* Has one of these signals come? */
bool signals_came(void);

#endif
