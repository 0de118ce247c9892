/* State layout: the position of each variable in the W 64-bit words of a packed state, and the kind of key that stands
   for a state everywhere outside the model's code: these words, or an index key (step/layout/index_key.h). If one word
   is too small, variables are assigned to words for tree compression (step/layout/word_assignment.h). */
#ifndef FLOE_STEP_LAYOUT_LAYOUT_H
#define FLOE_STEP_LAYOUT_LAYOUT_H

#include "model/model.h"
#include "step/layout/field.h"

struct encoding;
struct canonical_tables;

struct layout {
  const struct field *fields; /* one per variable of the model */
  uint32_t bits;              /* in all, at least 1 */
  uint32_t words;             /* of a state in fields, at least 1 */
  /* Of a key. Without an encoding the state in fields is the key: for words == 1 the low `bits` bits of the word. */
  uint32_t key_bits, key_words;
  uint64_t keys;                   /* upper bound of one-word keys, exclusive; 0: 2^64, or keys have more words */
  const struct encoding *encoding; /* of keys of one word; NULL: fields */
  /* A key is that of the canonical form of the state (step/layout/canonical.h); NULL: of the state. Fields only. */
  const struct canonical_tables *canonical;
};

/* One more than the one-word key in which every element has its greatest value; 0: keys have more words. */
uint64_t layout_key_bound(const struct model *model, const struct layout *layout);
/* A layout whose keys are the fields. */
floe_status layout_make(const struct model *model, struct arena *arena, const struct layout **out);

/* State in fields, for either kind of key: values[model->value_count] <-> state[layout->words] */
void layout_pack(const struct model *model, const struct layout *layout, const int64_t *values, uint64_t *state);
void layout_unpack(const struct model *model, const struct layout *layout, const uint64_t *state, int64_t *values);
void layout_initial(const struct model *model, const struct layout *layout, uint64_t *state);
double layout_state_bound(const struct model *model);

#endif
