/* Which keys the states of a model get: their fields, or ranks. */
#ifndef FLOE_API_ENCODING_H
#define FLOE_API_ENCODING_H

#include "api/explore/exploration.h"
#include "step/layout/state_key.h"

/* The layout of a checked model with keys by rank, made at the first call: facts take a moment. It lives as long as the
   model stays checked. FLOE_ERROR_UNSUPPORTED, not told: there are more than 2^63 ranks. FLOE_ERROR_INTERRUPTED.
   FLOE_ERROR_MEMORY. */
floe_status index_key_alternatives_of(floe_model *model, const struct layout **out);

/* What decides which keys are better where none are forced. */
struct encoding_question {
  const struct model *model;
  const struct layout *fields;
  const floe_options *options; /* resolved, with expected_states; `table` is a scheme */
  bool any_table;              /* a bitmap may take its place */
  unsigned members;            /* that are known to share the states, and the keys of a bitmap; 0: one alone has all */
};

enum encoding_reason { ENCODING_FIELDS_DO, ENCODING_TOO_WIDE, ENCODING_FOR_MEMORY, ENCODING_FOR_BITMAP };

/* Ranks may be better, once it is known how many there are. */
bool encoding_requests_index_keys(const struct encoding_question *question);
/* Why ranks are taken, or ENCODING_FIELDS_DO: they are not. */
enum encoding_reason encoding_decide(const struct encoding_question *question, const struct layout *index_keys);

/* Decides which keys the exploration has: e->layout, by e->options. Told: FLOE_ERROR_MODEL: keys by rank are wanted,
   and there are too many. FLOE_ERROR_MEMORY. */
floe_status encoding_choose(struct exploration *e);

#endif
