/* Traces of a reduced model: runs of the model as read, which the reduction makes of runs of the reduced one. */
#ifndef FLOE_API_TRACE_WHOLE_TRACE_H
#define FLOE_API_TRACE_WHOLE_TRACE_H

#include "api/explore/exploration.h"
#include "api/trace/trace.h"
#include "engine/path.h"

/* The trace of a violation, from a request for the path to it in e->model, with edges; in the guard of
   e->result->arena. *depth: of the violation in that run. *out NULL: there is none, and a warning is logged.
   FLOE_ERROR_INTERNAL: the run is none of the model as read, or does not show the violation there, by the interpreter.
   FLOE_ERROR_MODEL: the model as read has errors, which are logged. */
floe_status whole_trace(struct exploration *e, const struct trace_request *request, const floe_trace **out,
                        int64_t *depth);
/* The same for a temporal property: `path` is the run that violates it, which continues after its last state as after
   state `loop`; if that is the last state, no transition is enabled there. */
floe_status whole_trace_loop(struct exploration *e, uint32_t property, const struct path *path, size_t loop,
                             const floe_trace **out);

#endif
