/* From a path of packed states to a trace in words. */
#ifndef FLOE_TRACE_H
#define FLOE_TRACE_H

#include "api/result/result.h"
#include "engine/engine.h"
#include "engine/trace/witness_path.h"

struct trace_request {
  const struct model *model;
  const struct layout *layout;
  const struct stepper *interpreter;
  uint32_t property;
  const struct engine_violation *violation;
  const struct path *path; /* to hit->state */
  struct arena *scratch;   /* the caller frees both */
  struct arena *indexed;
  struct stop stop;         /* ends the search for what is waited for */
  struct step_edge failing; /* `errors`: the firing (transition NO_TRANSITION: a property); else unused */
};

/* Re-executes the path with the interpreter and describes it, all memory from `arena` (guarded by
   the caller). FLOE_ERROR_INTERNAL: the path is no path, or does not show what it should; *trace is
   not set. FLOE_ERROR_MEMORY: the same, of `scratch`. */
floe_status trace_make(const struct trace_request *request, struct arena *arena, const floe_trace **trace);

/* Appends the parts of an expression and their values in a state. `selects` and `edge` NULL: it is a property's; else
   of the guard of that transition. */
void trace_parts_add(const struct model *model, const struct expr *expr, const int64_t *values, const int64_t *selects,
                     const struct edge *edge, struct arena *arena, struct trace_parts *parts);
/* Appends what every instance waits for in the last state, `values`, in which nothing is enabled; where time ends
   before, what some wait for (trace->waits_cut). FLOE_ERROR_MEMORY: that of scratch or indexed ended. */
floe_status trace_waits(const struct trace_request *request, const int64_t *values, struct arena *arena,
                        struct floe_trace *trace);

#endif
