/* Fill of an iceberg table when the first key finds no place in the two levels of the paper. */
#include "tables/host_table.h"
#include "tables/iceberg/iceberg.h"

enum { PART = 256, NUMBER = 100 }; /* number of a permutation that no table uses */

static void fill_up(struct table *table, const struct permutation *order, struct table_overflow *out) {
  const struct table_shape *shape = &table->shape;
  const struct iceberg_state *state = iceberg_of(table);
  uint64_t keys[PART], slots[PART];
  uint8_t answers[PART];
  *out = (struct table_overflow){.slots = third_begin_of(shape)};
  for (uint64_t next = 0;;) {
    size_t n = 0;
    for (; n < PART && next <= order->mask; n++, next++)
      keys[n] = permutation_apply(order, next);
    if (n == 0)
      return;
    state->instance->placements(&state->view, keys, n, answers, slots, true);
    for (size_t i = 0; i < n; i++, out->keys++)
      if (slots[i] >= out->slots) { /* at level 3, or without a slot */
        out->met = true;
        return;
      }
  }
}

floe_status iceberg_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out) {
  struct permutation order;
  struct table *table;
  FLOE_TRY(table_create(config, &table));
  const floe_status status = permutation_make(NULL, config->key_bits, seed, NUMBER, NULL, &order);
  if (status == FLOE_OK)
    fill_up(table, &order, out);
  table_free(table);
  return status;
}
