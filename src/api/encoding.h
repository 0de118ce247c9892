/* Which keys the states of a model get: their fields, or ranks. */
#ifndef FLOE_API_ENCODING_H
#define FLOE_API_ENCODING_H

#include "api/exploration.h"
#include "step/key.h"

/* The layout of a checked model with keys by rank, made at the first call: facts take a moment. It lives as long as the
   model stays checked. FLOE_ERROR_UNSUPPORTED, not told: there are more than 2^63 ranks. FLOE_ERROR_INTERRUPTED.
   FLOE_ERROR_MEMORY. */
floe_status encoding_ranks(floe_model *model, const struct layout **out);

/* Decides which keys the exploration has: e->layout, by e->options. Told: FLOE_ERROR_MODEL: keys by rank are wanted,
   and there are too many. FLOE_ERROR_MEMORY. */
floe_status encoding_choose(struct exploration *e);

#endif
