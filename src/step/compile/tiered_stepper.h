/* A stepper that begins as the interpreter and goes on as compiled code when that is ready, between two blocks of
   states: generated and compiled by a thread beside the search. Models that are done before need no compiler. */
#ifndef FLOE_SWITCHING_H
#define FLOE_SWITCHING_H

#include "step/stepper.h"

/* What `options` refers to must live as long; its stop, which may be NULL, ends the compilation, and so does freeing
   the stepper. Compilation begins `delay` seconds from now, or when it is asked for; < 0: not before. What there is to
   be told of it comes into `log` when the stepper is freed. */
floe_status tiered_stepper_create(const struct model *model, const struct layout *layout,
                                  const struct compile_options *options, double delay, floe_log *log,
                                  struct stepper **out);

/* Much work is coming: compilation begins now, if it has not. */
void tiered_compile_now(struct stepper *stepper);

/* Brings name and detail up to date; true: it is compiled code by now. To be called by the thread that uses the
 * stepper. */
bool tiered_stepper_is_compiled(struct stepper *stepper);

/* What compilation took, in seconds; 0: it is not over. */
double tiered_stepper_seconds(const struct stepper *stepper);

#endif
