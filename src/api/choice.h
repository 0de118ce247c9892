/* Which engine explores a model. */
#ifndef FLOE_CHOICE_H
#define FLOE_CHOICE_H

#include "api/explore.h"

/* Explores as e->options.engine says, and sets e->outcome, e->stepper, e->engine and, where a GPU explored, e->gpu.

   AUTO: a model that the interpreter finishes in 0.02 s is done then; else, where there may be a GPU,
   the CPU has as long as a GPU takes to start, so that at most half of the time is lost by the wrong
   choice: 0.3 s, or 1.5 s where the GPU's kernels have not been compiled for this model before. What is
   not finished then is begun anew on the GPU, and goes back to the CPU, with a note or a warning, where
   that cannot be used or fails. A run that is recorded cannot be begun anew and is the CPU's. */
floe_status choice_run(struct exploration *e);

/* Runs another task on the engine that explored. */
floe_status choice_run_again(struct exploration *e, const struct engine_task *task,
                             struct engine_outcome *out);

/* Makes e->stepper fit for expanding `states` states on the CPU: a run on a GPU needs no compiler, and has only an
   interpreter. */
floe_status choice_expect_work(struct exploration *e, uint64_t states);

void choice_end(struct exploration *e); /* frees what is of the engine */

#endif
