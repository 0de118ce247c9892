/* Key encoding: decides whether the visited set holds states as bit fields or as index keys. */
#ifndef FLOE_API_EXPLORE_KEY_ENCODING_H
#define FLOE_API_EXPLORE_KEY_ENCODING_H

#include "api/explore/exploration.h"
#include "step/layout/state_key.h"

/* Layout of a checked model with index keys, made at the first call, which takes some tenths of a second for the
   invariants. It lives as long as the model stays checked. FLOE_ERROR_UNSUPPORTED, not logged: more than 2^63 index
   keys. FLOE_ERROR_INTERRUPTED. FLOE_ERROR_MEMORY. */
floe_status index_key_layout(floe_model *model, const struct layout **out);

/* Input of the decision, with encoding AUTO. */
struct encoding_input {
  const struct model *model;
  const struct layout *fields;
  const floe_options *options; /* resolved, with expected_states; `table` is a scheme */
  bool any_table;              /* a bitmap may replace the table */
  bool on_gpu;                 /* the search may run on a GPU */
  unsigned members;            /* of the group that divides the states, and the keys of a bitmap; 0: no group */
};

enum encoding_reason {
  ENCODING_FIELDS_SUFFICE,
  ENCODING_INDEX_FOR_WIDTH,  /* keys of fields have several words, and the code for index keys is short */
  ENCODING_INDEX_FOR_MEMORY, /* the expected states would not fit in memory with fields */
  ENCODING_INDEX_FOR_BITMAP  /* a bitmap of all index keys replaces a hash table */
};

/* True: index keys may be better, depending on their number. */
bool encoding_considers_index_keys(const struct encoding_input *input);
enum encoding_reason encoding_decide(const struct encoding_input *input, const struct layout *index_keys);

/* Sets e->layout by e->options. Logged: FLOE_ERROR_MODEL: index keys are required, and there are too many.
   FLOE_ERROR_MEMORY. */
floe_status encoding_choose(struct exploration *e);

#endif
