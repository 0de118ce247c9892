/* A stepper that starts as the interpreter or a table of arcs (step/arcs/arc_stepper.h) and switches to compiled code
   when it is ready, between two blocks of states. A thread generates and compiles the code during the search. Short
   searches need no compiler, nor do large models with a table of arcs. */
#ifndef FLOE_STEP_COMPILE_TIERED_STEPPER_H
#define FLOE_STEP_COMPILE_TIERED_STEPPER_H

#include "step/stepper.h"

/* The objects that `options` refers to must outlive the stepper. Its stop (may be NULL) or freeing the stepper cancels
   compilation. Compilation begins after `delay` seconds or on request (ON_REQUEST,
   core/threads/delayed_thread.h). Its messages are added to
   `log` when the stepper is freed. */
floe_status tiered_stepper_create(const struct model *model, const struct layout *layout,
                                  const struct compile_options *options, double delay, floe_log *log,
                                  struct stepper **out);

/* Starts compilation now, if it has not started: much work is expected. */
void tiered_compile_now(struct stepper *stepper);

/* Updates name and detail; true: the stepper is compiled code now. Only the thread that uses the stepper may call
   this. */
bool tiered_stepper_is_compiled(struct stepper *stepper);

/* Duration of compilation in seconds; 0: it has not finished. */
double tiered_stepper_seconds(const struct stepper *stepper);

#endif
