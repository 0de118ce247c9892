#include "step/analysis/invariants.h"

#include "step/analysis/linear_invariants.h"
#include "step/analysis/random_walk.h"
#include "step/analysis/value_ranges.h"

#include <math.h>

struct making {
  const struct model *model;
  const struct stop *stop;
  struct arena *arena;
  const struct ranges *ranges;
  struct invariants *invariants;
  struct facts_by *by;
  size_t by_count, by_cap;
  double *weights; /* of elements: bits of a key that it takes */
  bool *dependent; /* of elements */
};

static bool is_in(int64_t value, struct invariants_range range) { return range.lo <= value && value <= range.hi; }

static bool by_holds(const struct invariants *invariants, const struct facts_by *by, const int64_t *values) {
  const struct invariants_range *ranges =
      by->ranges + (size_t)(values[by->selector] - invariants->ranges[by->selector].lo) * by->element_count;
  for (uint32_t i = 0; i < by->element_count; i++)
    if (!is_in(values[by->elements[i]], ranges[i]))
      return false;
  return true;
}

int64_t invariants_value(const struct invariants *invariants, const struct invariants_dependent *dependent,
                         const int64_t *values) {
  int64_t sum = dependent->constant;
  for (uint32_t i = 0; i < dependent->term_count; i++) {
    const struct invariants_term *term = &dependent->terms[i];
    int64_t value = values[term->element];
    sum += term->table ? term->table[value - invariants->ranges[term->element].lo] : term->coefficient * value;
  }
  return sum;
}

bool invariants_hold(const struct invariants *invariants, const struct model *model, const int64_t *values) {
  for (uint32_t e = 0; e < model->value_count; e++)
    if (!is_in(values[e], invariants->ranges[e]))
      return false;
  for (uint32_t i = 0; i < invariants->by_count; i++)
    if (!by_holds(invariants, &invariants->by[i], values))
      return false;
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (invariants_value(invariants, &invariants->dependent[i], values) != values[invariants->dependent[i].element])
      return false;
  return true;
}

/* ---- selectors that pay ----------------------------------------------------------------------- */

/* Ranges by a selector, of those members that gain by it. */
struct transition_builder {
  const struct ranges_selector *selector;
  uint32_t *members; /* numbers within the selector's */
  uint32_t count;
  double *sizes; /* of each case: its share of the product of the members' whole ranges */
  double size;   /* their sum */
  bool pays;
};

static double share(struct invariants_range part, struct invariants_range whole) {
  return (double)range_size(part) / (double)range_size(whole);
}

static const struct invariants_range *cells_of(const struct making *m, const struct transition_builder *builder,
                                               int64_t value) {
  return ranges_case(m->ranges, (uint32_t)(builder->selector - m->ranges->selectors), value);
}

/* It has fewer values in some case than in all. */
static bool member_gains(const struct making *m, const struct transition_builder *builder, uint32_t member) {
  const struct invariants_range values = m->ranges->all[builder->selector->element];
  const struct invariants_range all = m->ranges->all[builder->selector->members[member]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct invariants_range *cells = cells_of(m, builder, value);
    if (!range_is_empty(cells[0]) && !(cells[1 + member].lo == all.lo && cells[1 + member].hi == all.hi))
      return true;
  }
  return false;
}

static struct transition_builder builder_of(struct making *m, const struct ranges_selector *selector) {
  const struct invariants_range values = m->ranges->all[selector->element];
  struct transition_builder builder = {.selector = selector};
  builder.members = arena_array(m->arena, selector->member_count, sizeof *builder.members);
  builder.sizes = arena_array(m->arena, range_size(values), sizeof *builder.sizes);
  for (uint32_t i = 0; i < selector->member_count; i++)
    if (!m->dependent[selector->members[i]] && member_gains(m, &builder, i))
      builder.members[builder.count++] = i;
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct invariants_range *cells = cells_of(m, &builder, value);
    double size = range_is_empty(cells[0]) ? 0 : 1;
    for (uint32_t i = 0; i < builder.count; i++)
      size *= share(cells[1 + builder.members[i]], m->ranges->all[selector->members[builder.members[i]]]);
    builder.sizes[value - values.lo] = size;
    builder.size += size;
  }
  builder.pays =
      builder.count && !m->dependent[selector->element] && builder.size < (double)range_size(values) * (1 - 1e-9);
  return builder;
}

static void add_by(struct making *m, const struct transition_builder *builder) {
  const struct ranges_selector *s = builder->selector;
  const struct invariants_range values = m->ranges->all[s->element];
  uint32_t *elements = arena_array(m->arena, builder->count, sizeof *elements);
  struct invariants_range *ranges = arena_array(m->arena, range_size(values) * builder->count, sizeof *ranges),
                          *next = ranges;
  for (uint32_t i = 0; i < builder->count; i++)
    elements[i] = s->members[builder->members[i]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct invariants_range *cells = cells_of(m, builder, value);
    for (uint32_t i = 0; i < builder->count; i++)
      *next++ = range_is_empty(cells[0]) ? cells[0] : cells[1 + builder->members[i]];
  }
  *ARENA_PUSH(m->arena, m->by, m->by_count, m->by_cap) =
      (struct facts_by){s->element, elements, builder->count, ranges};
}

/* ---- determined elements ---------------------------------------------------------------------- */

#define LEAST_GAIN 0.05 /* bits */

/* Bits that a key would have less without one of the elements of a selector that pays. */
static void weigh_draft(struct making *m, const struct transition_builder *builder) {
  const struct invariants_range values = m->ranges->all[builder->selector->element];
  m->weights[builder->selector->element] = log2(builder->size);
  for (uint32_t i = 0; i < builder->count; i++) {
    const uint32_t member = builder->members[i], element = builder->selector->members[member];
    const struct invariants_range all = m->ranges->all[element];
    double without = 0;
    for (int64_t value = values.lo; value <= values.hi; value++)
      if (builder->sizes[value - values.lo] > 0)
        without += builder->sizes[value - values.lo] / share(cells_of(m, builder, value)[1 + member], all);
    m->weights[element] = log2((double)range_size(all)) + log2(builder->size) - log2(without);
  }
}

static void weigh(struct making *m) {
  m->weights = arena_array(m->arena, m->model->value_count, sizeof *m->weights);
  for (uint32_t e = 0; e < m->model->value_count; e++)
    m->weights[e] = log2((double)range_size(m->ranges->all[e]));
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct transition_builder builder = builder_of(m, &m->ranges->selectors[k]);
    if (builder.pays)
      weigh_draft(m, &builder);
  }
  for (uint32_t e = 0; e < m->model->value_count; e++)
    if (!(m->weights[e] >= LEAST_GAIN))
      m->weights[e] = 0;
}

static struct linear determine(struct making *m) {
  weigh(m);
  struct linear linear = linear_invariants_make(m->model, m->ranges, m->weights, m->stop, m->arena);
  for (uint32_t i = 0; i < linear.count; i++)
    m->dependent[linear.items[i].element] = true;
  return linear;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Of no use but to hold where a proof was wrong: the states of a walk are as the facts say. */
static bool holds(void *user, const int64_t *before, const int64_t *after) {
  const struct making *m = user;
  (void)before;
  return invariants_hold(m->invariants, m->model, after);
}

static void check(struct making *m) {
  const bool right = walk_steps(m->model, m->stop, m->arena, holds, m);
  if (!right)
    *m->invariants = (struct invariants){.ranges = ranges_declared(m->model, m->arena), .disproved = true};
}

static void make(void *data) {
  struct making *m = data;
  m->ranges = ranges_make(m->model, m->stop, m->arena);
  m->dependent = arena_array(m->arena, m->model->value_count, sizeof *m->dependent);
  struct linear linear = m->ranges->known ? determine(m) : (struct linear){0};
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct transition_builder builder = builder_of(m, &m->ranges->selectors[k]);
    if (builder.pays)
      add_by(m, &builder);
  }
  m->invariants = arena_alloc(m->arena, sizeof *m->invariants);
  *m->invariants = (struct invariants){.ranges = m->ranges->all,
                                       .by = m->by,
                                       .dependent = linear.items,
                                       .by_count = (uint32_t)m->by_count,
                                       .dependent_count = linear.count};
  if (m->ranges->known)
    check(m);
}

floe_status invariants_make(const struct model *model, const struct stop *stop, struct arena *arena,
                            const struct invariants **out) {
  struct making making = {.model = model, .stop = stop, .arena = arena};
  if (arena_guard(arena, make, &making))
    return FLOE_ERROR_MEMORY;
  *out = making.invariants;
  return FLOE_OK;
}
