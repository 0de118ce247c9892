/* Symmetry reduction: decides whether the model is checked as a symmetric one (floe_options.symmetry). */
#ifndef FLOE_API_EXPLORE_SYMMETRY_CHECK_H
#define FLOE_API_EXPLORE_SYMMETRY_CHECK_H

#include "api/explore/exploration.h"

/* Checks e->api_model, with symmetry if the options ask for it and the model permits it. FLOE_ERROR_MODEL,
   FLOE_ERROR_USAGE, logged: they ask for it, and the model or another option does not permit it. */
floe_status symmetry_check(struct exploration *e);

/* The symmetric types as text: "node (3), value (2)"; "": no reduction. */
const char *symmetry_text(const struct model *model, struct arena *arena);

#endif
