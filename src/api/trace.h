/* From a path of packed states to a trace in words. */
#ifndef FLOE_TRACE_H
#define FLOE_TRACE_H

#include "api/result.h"
#include "engine/engine.h"
#include "engine/path.h"

struct trace_request {
  const struct model *model;
  const struct layout *layout;
  const struct stepper *interpreter;
  uint32_t property;
  const struct engine_hit *hit;
  const struct path *path;  /* to hit->state */
  struct step_edge failing; /* `errors`: the firing (transition NO_TRANSITION: a property); else unused */
};

/* Re-executes the path with the interpreter and describes it, all memory from `arena` (guarded by
   the caller). FLOE_ERROR_INTERNAL: the path is no path, or does not show what it should; *trace is
   not set. */
floe_status trace_make(const struct trace_request *request, struct arena *arena, const floe_trace **trace);

/* Appends the parts of a property and their values in a state. */
void trace_parts(const struct model *model, const struct expr *property, const int64_t *values, struct arena *arena,
                 struct floe_trace *trace);

#endif
