/* Keys of states: bit fields (step/layout/layout.h) or index keys (step/layout/index_key.h), by the layout's kind. */
#ifndef FLOE_STEP_LAYOUT_STATE_KEY_H
#define FLOE_STEP_LAYOUT_STATE_KEY_H

#include "step/layout/index_key.h"
#include "step/layout/layout.h"

/* The same fields with index keys; `encoding` was made for this layout. */
struct layout layout_with_index_keys(const struct layout *layout, const struct encoding *encoding);

/* values[model->value_count] <-> key[layout->key_words], for either kind of key. False: the values violate an invariant
   of the encoding, so no key exists (encoding_encode). */
bool key_of_values(const struct model *model, const struct layout *layout, const int64_t *values, uint64_t *key);
void key_values(const struct model *model, const struct layout *layout, const uint64_t *key, int64_t *values);
/* FLOE_ERROR_INTERNAL: the encoding has no key for the initial state. FLOE_ERROR_MEMORY. */
floe_status key_of_initial(const struct model *model, const struct layout *layout, uint64_t *key);
/* The state in fields of a key: `key` itself if keys are fields, else `scratch`, of key_scratch(layout) words. */
const uint64_t *key_state(const struct layout *layout, const uint64_t *key, uint64_t *scratch);
size_t key_scratch(const struct layout *layout);

/* Upper bound of the number of states: layout_state_bound, or the number of index keys. */
double key_bound(const struct model *model, const struct layout *layout);

#endif
