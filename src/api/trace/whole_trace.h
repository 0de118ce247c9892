/* Traces of a reduced model: runs of the model as read, which the reduction makes of runs of the reduced one. */
#ifndef FLOE_API_TRACE_WHOLE_TRACE_H
#define FLOE_API_TRACE_WHOLE_TRACE_H

#include "api/explore/exploration.h"
#include "api/trace/trace.h"
#include "engine/path.h"
#include "model/temporal/fairness.h"

/* The trace of a violation, from a request for the path to it in e->model, with edges; in the guard of
   e->result->arena. *depth: of the violation in that run. *out NULL: there is none, and a warning is logged.
   FLOE_ERROR_INTERNAL: the run is none of the model as read, or does not show the violation there, by the interpreter.
   FLOE_ERROR_MODEL: the model as read has errors, which are logged. */
floe_status whole_trace(struct exploration *e, const struct trace_request *request, const floe_trace **out,
                        int64_t *depth);

/* A run that violates a temporal property. It continues after its last state as after state `loop`; if that is the last
   state, no transition is enabled there. */
struct whole_loop {
  uint32_t property;
  const struct path *path;
  size_t loop;
  const struct fairness *fairness; /* its constraints, which the run satisfies */
};

/* The same for a temporal property. The run of the model as read satisfies the constraints of fairness, too. */
floe_status whole_trace_loop(struct exploration *e, const struct whole_loop *of, const floe_trace **out);

#endif
