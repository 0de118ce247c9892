/* Number and bits of a model's index keys, and the bits due to each variable. */
#include "api/explore/key_encoding.h"
#include "core/usage.h"

#include <math.h>

struct bit_counter {
  const struct encoding *encoding;
  struct arena *arena;
  double *bits; /* [value_count] */
};

/* Entropy of a random key: its group is in case c with probability p = size of c / size of the group. The selector has
   -sum p log2 p bits, each digit p log2(radix). The sum over all elements is the logarithm of the number of keys. */
static void add_group(struct bit_counter *counter, const struct index_group *group) {
  for (uint32_t c = 0; c < group->case_count; c++) {
    const struct index_case *one = &group->cases[c];
    const double share = (double)one->size / (double)group->size;
    if (one->size == 0)
      continue;
    if (group->selector != NO_SELECTOR)
      counter->bits[group->selector] -= share * log2(share);
    for (uint32_t i = 0; i < one->digit_count; i++)
      counter->bits[one->digits[i].element] += share * log2((double)one->digits[i].radix);
  }
}

static void count_index_key_bits(void *data) {
  struct bit_counter *counter = data;
  counter->bits = arena_array(counter->arena, counter->encoding->value_count, sizeof *counter->bits);
  for (uint32_t i = 0; i < counter->encoding->group_count; i++)
    add_group(counter, &counter->encoding->groups[i]);
}

static floe_status compute_bits(floe_model *model, const struct encoding *encoding, floe_log *log) {
  struct bit_counter counter = {.encoding = encoding, .arena = &model->checked_arena};
  if (!model->index_key_bits && arena_guard(counter.arena, count_index_key_bits, &counter) != 0)
    return no_memory(log);
  if (!model->index_key_bits)
    model->index_key_bits = counter.bits;
  return FLOE_OK;
}

floe_status floe_model_index_key_plan(floe_model *model, floe_log *log, floe_index_key_plan *out) {
  const struct layout *layout;
  REQUIRE(log, model);
  REQUIRE(log, out);
  FLOE_TRY(floe_model_check(model, log));
  floe_status status = index_key_layout(model, &layout);
  if (status == FLOE_ERROR_MEMORY)
    return no_memory(log);
  FLOE_TRY(status);
  FLOE_TRY(compute_bits(model, layout->encoding, log));
  *out =
      (floe_index_key_plan){.keys = layout->keys, .bits = layout->key_bits, .exact_bits = log2((double)layout->keys)};
  return FLOE_OK;
}

static bool is_dependent(const struct invariants *invariants, uint32_t element) {
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (invariants->dependent[i].element == element)
      return true;
  return false;
}

floe_index_key_entry floe_model_index_key_entry(const floe_model *model, size_t i) {
  floe_index_key_entry entry = {0};
  if (i >= floe_model_layout_entries(model) || !model->index_key_bits)
    return entry;
  const struct variable *variable = &model->model->variables[i];
  const struct invariants *invariants = model->index_keys->encoding->invariants;
  for (uint32_t e = variable->first; e < variable->first + variable->count; e++) {
    entry.bits += model->index_key_bits[e];
    if (invariants->ranges[e].lo == invariants->ranges[e].hi)
      entry.constant++;
    else if (is_dependent(invariants, e))
      entry.dependent++;
  }
  return entry;
}
