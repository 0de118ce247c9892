/* The stepper that an engine needs. */
#ifndef FLOE_API_EXPLORE_MAKE_STEPPER_H
#define FLOE_API_EXPLORE_MAKE_STEPPER_H

#include "floe.h"
#include "step/stepper.h"

/* Seconds from the start of the interpreter until AUTO compiles in the background. Tests set it to 0. */
extern double make_stepper_delay;

/* By options->engine. INTERPRETER: the interpreter. CPU: compiled code, or a table of arcs that suffices; without a
   compiler a table of arcs or the interpreter, and a note in the log. AUTO and GPU: a tiered stepper; on a GPU it
   expands violating states only, and is compiled on request. What the arguments refer to must outlive the stepper.
   `stop` cancels compilers. */
floe_status make_stepper(const floe_options *options, const struct model *model, const struct layout *layout,
                         const struct stop *stop, floe_log *log, struct stepper **out);
/* It is tiered (step/compile/tiered_stepper.h). */
static inline bool has_tiered_stepper(const floe_options *options) {
  return options->engine == FLOE_ENGINE_AUTO || options->engine == FLOE_ENGINE_GPU;
}

#endif
