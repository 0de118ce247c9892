#include "step/layout/state_key.h"

#include "core/mem.h"
#include "step/layout/canonical.h"

#include <string.h>

struct layout layout_with_index_keys(const struct layout *layout, const struct encoding *encoding) {
  struct layout index_keys = *layout;
  index_keys.encoding = encoding;
  index_keys.key_bits = encoding->bits;
  index_keys.key_words = 1;
  index_keys.keys = encoding->keys;
  return index_keys;
}

bool key_of_values(const struct model *model, const struct layout *layout, const int64_t *values, uint64_t *key) {
  if (layout->encoding)
    return encoding_encode(layout->encoding, values, key);
  layout_pack(model, layout, values, key);
  if (layout->canonical)
    canonical_form(layout->canonical, key);
  return true;
}

void key_values(const struct model *model, const struct layout *layout, const uint64_t *key, int64_t *values) {
  if (layout->encoding)
    encoding_decode(layout->encoding, *key, values);
  else
    layout_unpack(model, layout, key, values);
}

floe_status key_of_initial(const struct model *model, const struct layout *layout, uint64_t *key) {
  if (!layout->encoding) {
    layout_initial(model, layout, key);
    if (layout->canonical)
      canonical_form(layout->canonical, key);
    return FLOE_OK;
  }
  int64_t *values = mem_array(model->value_count, sizeof *values);
  if (!values)
    return FLOE_ERROR_MEMORY;
  model_initial_values(model, values);
  const bool allowed = encoding_encode(layout->encoding, values, key);
  mem_free(values);
  return allowed ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

/* Room for the values, then the state. */
size_t key_scratch(const struct layout *layout) {
  return layout->encoding ? (size_t)layout->encoding->value_count + layout->words : 0;
}

const uint64_t *key_state(const struct layout *layout, const uint64_t *key, uint64_t *scratch) {
  const struct encoding *encoding = layout->encoding;
  if (!encoding)
    return key;
  int64_t *values = (int64_t *)scratch;
  uint64_t *state = scratch + encoding->value_count;
  encoding_decode(encoding, *key, values);
  memcpy(state, encoding->state, layout->words * sizeof *state);
  for (uint32_t i = 0; i < encoding->place_count; i++) {
    const struct index_place *place = &encoding->places[i];
    state[place->word] |= ((uint64_t)(values[place->element] - place->lo) & place->mask) * place->factor
                          << place->shift;
  }
  return state;
}

double key_bound(const struct model *model, const struct layout *layout) {
  return layout->encoding ? (double)layout->keys : layout_state_bound(model);
}
