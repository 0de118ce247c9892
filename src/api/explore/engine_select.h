/* Which engine explores a model. */
#ifndef FLOE_CHOICE_H
#define FLOE_CHOICE_H

#include "api/explore/exploration.h"

/* Explores as e->options.engine says, and sets e->outcome, e->stepper, e->engine and, where GPUs explored, e->gpus.

   AUTO: the interpreter begins at once. What it has not finished soon is compiled beside it, and goes on as compiled
   code. Where there may be a GPU, it is got ready beside that (driver, kernels, memory), and the exploration begins
   anew there when it is; what was finished before ends all that. It goes back to the CPU, with a note or a warning,
   where the GPU cannot be used or fails. A run that is recorded cannot be begun anew and is the CPU's. */
floe_status choice_run(struct exploration *e);

/* Runs another task on the engine that explored. */
floe_status choice_run_again(struct exploration *e, const struct engine_task *task, struct engine_outcome *out);

/* AUTO: seconds that the interpreter has before the model is compiled beside it, and before a GPU is got ready. Tests
   set them to have both at once. */
extern struct choice_delays { double compile, gpu; } choice_delays;

/* So many states are to be expanded by e->stepper: after a run on a GPU it may be the interpreter still. */
void choice_expect_work(struct exploration *e, uint64_t states);

/* Seconds that compilers took until now, if they are done. */
double choice_compile_seconds(struct exploration *e);

void choice_end(struct exploration *e); /* frees what is of the engine */

#endif
