/* What keys by rank of a model take, and what each variable costs in them. */
#include "api/explore/key_encoding.h"
#include "core/usage.h"

#include <math.h>

struct costing {
  const struct encoding *encoding;
  struct arena *arena;
  double *bits; /* [value_count] */
};

/* A key taken at random has its group in case c with probability size of c / size of the group: what its selector says
   is that, and what its digits say is worth the logarithms of their radices. So the sum over all elements is the
   logarithm of the number of keys. */
static void add_group(struct costing *costing, const struct encoding_group *group) {
  for (uint32_t c = 0; c < group->case_count; c++) {
    const struct encoding_case *one = &group->cases[c];
    const double share = (double)one->size / (double)group->size;
    if (one->size == 0)
      continue;
    if (group->selector != NO_SELECTOR)
      costing->bits[group->selector] -= share * log2(share);
    for (uint32_t i = 0; i < one->digit_count; i++)
      costing->bits[one->digits[i].element] += share * log2((double)one->digits[i].radix);
  }
}

static void cost(void *data) {
  struct costing *costing = data;
  costing->bits = arena_array(costing->arena, costing->encoding->value_count, sizeof *costing->bits);
  for (uint32_t i = 0; i < costing->encoding->group_count; i++)
    add_group(costing, &costing->encoding->groups[i]);
}

static floe_status make_costs(floe_model *model, const struct encoding *encoding, floe_log *log) {
  struct costing costing = {.encoding = encoding, .arena = &model->checked_arena};
  if (!model->rank_bits && arena_guard(costing.arena, cost, &costing) != 0)
    return no_memory(log);
  if (!model->rank_bits)
    model->rank_bits = costing.bits;
  return FLOE_OK;
}

floe_status floe_model_index_key_plan(floe_model *model, floe_log *log, floe_index_key_plan *out) {
  const struct layout *layout;
  WANT(log, model);
  WANT(log, out);
  FLOE_TRY(floe_model_check(model, log));
  floe_status status = index_key_alternatives_of(model, &layout);
  if (status == FLOE_ERROR_MEMORY)
    return no_memory(log);
  FLOE_TRY(status);
  FLOE_TRY(make_costs(model, layout->encoding, log));
  *out = (floe_index_key_plan){.keys = layout->keys, .bits = layout->key_bits, .exact_bits = log2((double)layout->keys)};
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
  if (i >= floe_model_layout_entries(model) || !model->rank_bits)
    return entry;
  const struct variable *variable = &model->model->variables[i];
  const struct invariants *invariants = model->index_keys->encoding->invariants;
  for (uint32_t e = variable->first; e < variable->first + variable->count; e++) {
    entry.bits += model->rank_bits[e];
    if (invariants->ranges[e].lo == invariants->ranges[e].hi)
      entry.constant++;
    else if (is_dependent(invariants, e))
      entry.dependent++;
  }
  return entry;
}
