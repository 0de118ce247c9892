/* Engine selection: runs the exploration on CPU or GPU, by floe_options.engine. */
#ifndef FLOE_API_EXPLORE_ENGINE_SELECT_H
#define FLOE_API_EXPLORE_ENGINE_SELECT_H

#include "api/explore/exploration.h"

/* Explores as e->options.engine requires. Sets e->outcome, e->code, e->engine and, if GPUs explored, e->device.gpus.

   AUTO: the interpreter starts at once. After a delay the model is compiled in the background, and compiled code takes
   over. If there may be a GPU, it is initialised in the background as well, and the exploration restarts there
   (api/attempts/attempts.h). If the GPU cannot be used or fails, the CPU explores, and a note or warning is logged. A
   recorded run cannot restart and stays on the CPU. */
floe_status engine_select_run(struct exploration *e);

/* With e->passes_mask: AUTO uses the CPU. Errors, logged: an engine or a table that cannot decide these properties is
   required. */
floe_status engine_select_for_passes(struct exploration *e);

/* Runs another task on the engine that explored, or on the CPU. */
floe_status engine_select_run_again(struct exploration *e, const struct engine_task *task, struct engine_outcome *out);

/* That will be the CPU, because a GPU would not be ready before it ends. */
bool engine_select_repeats_on_cpu(const floe_options *options);

/* AUTO: seconds from the start of the CPU until the GPU is initialised in the background. Tests set it to 0. */
extern double engine_select_gpu_delay;

/* e->code.stepper will expand this number of states: compile now if that pays. After a run on a GPU the stepper may
   still be the interpreter. */
void engine_select_expect_work(struct exploration *e, uint64_t states);

/* Seconds that finished compilers have taken so far. */
double engine_select_compile_seconds(struct exploration *e);

void engine_select_end(struct exploration *e); /* frees stepper, GPUs and their log */

#endif
