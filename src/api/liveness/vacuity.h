/* Parts of a temporal property that decide nothing (floe_vacuous). */
#ifndef FLOE_API_LIVENESS_VACUITY_H
#define FLOE_API_LIVENESS_VACUITY_H

#include "api/explore/explore.h"
#include "model/temporal/fairness.h"

/* The product with a property of kind `reachable` before its own for each antecedent on a state. The guard of `arena`
   must be active. */
const struct model *vacuity_add_properties(const struct model *product, const struct temporal *temporal,
                                           struct arena *arena);

struct vacuity_request {
  const struct exploration *e; /* of the model, complete */
  const struct temporal *temporal;
  const struct fairness *fairness;
  uint64_t reached; /* bit i: property i of the product was; all, if it has none, or not all states of the model */
};

/* Adds what was found to a verdict. The guard of e->result->arena must be active. */
void vacuity_describe(const struct vacuity_request *request, floe_verdict *verdict);

#endif
