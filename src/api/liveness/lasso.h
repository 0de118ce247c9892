/* The trace of a violated temporal property: from a path and a cycle of the product to a run of the model. */
#ifndef FLOE_API_LIVENESS_LASSO_H
#define FLOE_API_LIVENESS_LASSO_H

#include "api/explore/exploration.h"
#include "engine/path.h"
#include "model/temporal/fairness.h"

struct lasso_request {
  struct exploration *e; /* of the model */
  uint32_t property;
  const struct model *product;
  const struct fairness *fairness;
  const struct path *prefix; /* from the initial state to the first state of the cycle, with edges */
  const struct path *cycle;
  struct arena *scratch;
};

/* Executes prefix and cycle by the interpreter, on the product and then on the model, and makes the trace; in the arena
   guard of e->result->arena, with one of `scratch`, which the caller frees. FLOE_ERROR_INTERNAL: they are no run of the
   product, the cycle does not close or is not accepting, or the run is not one of the model, is not fair, or satisfies
   the property. *out NULL: the model is reduced, and a warning is logged.
 */
floe_status lasso_trace(const struct lasso_request *request, const floe_trace **out);

#endif
