/* What a state's key is: its fields (step/layout/layout.h), or its rank (step/layout/index_key.h), as the layout has it. */
#ifndef FLOE_KEY_H
#define FLOE_KEY_H

#include "step/layout/index_key.h"
#include "step/layout/layout.h"

/* The same fields with keys by rank; `encoding` was made for them. */
struct layout key_by_rank(const struct layout *layout, const struct encoding *encoding);

/* Keys, whatever they are: values[model->value_count] <-> key[layout->key_words]. False: the encoding has no key for
   them, since what it takes for certain of all reachable states is not so (encoding_encode). */
bool key_of_values(const struct model *model, const struct layout *layout, const int64_t *values, uint64_t *key);
void key_values(const struct model *model, const struct layout *layout, const uint64_t *key, int64_t *values);
/* FLOE_ERROR_INTERNAL: the encoding has none for it. FLOE_ERROR_MEMORY. */
floe_status key_of_initial(const struct model *model, const struct layout *layout, uint64_t *key);
/* The state in fields of a key: returns `key` itself where that is one, else `scratch`, which has room for
   key_scratch(layout) words. */
const uint64_t *key_state(const struct layout *layout, const uint64_t *key, uint64_t *scratch);
size_t key_scratch(const struct layout *layout);

/* States that there can be, as layout_state_bound has it or, with an encoding, as that has it. */
double key_bound(const struct model *model, const struct layout *layout);

#endif
