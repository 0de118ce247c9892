#include "step/analysis/invariants.h"

#include "step/analysis/linear_invariants.h"
#include "step/analysis/value_ranges.h"
#include "step/analysis/random_walk.h"

#include <math.h>

struct making {
  const struct model *model;
  const struct stop *stop;
  struct arena *arena;
  const struct ranges *ranges;
  struct facts *facts;
  struct facts_by *by;
  size_t by_count, by_cap;
  double *weights;  /* of elements: bits of a key that it takes */
  bool *determined; /* of elements */
};

static bool is_in(int64_t value, struct facts_range range) { return range.lo <= value && value <= range.hi; }

static bool by_holds(const struct facts *facts, const struct facts_by *by, const int64_t *values) {
  const struct facts_range *ranges =
      by->ranges + (size_t)(values[by->selector] - facts->ranges[by->selector].lo) * by->element_count;
  for (uint32_t i = 0; i < by->element_count; i++)
    if (!is_in(values[by->elements[i]], ranges[i]))
      return false;
  return true;
}

int64_t facts_value(const struct facts *facts, const struct facts_determined *determined, const int64_t *values) {
  int64_t sum = determined->constant;
  for (uint32_t i = 0; i < determined->term_count; i++) {
    const struct facts_term *term = &determined->terms[i];
    int64_t value = values[term->element];
    sum += term->table ? term->table[value - facts->ranges[term->element].lo] : term->coefficient * value;
  }
  return sum;
}

bool facts_hold(const struct facts *facts, const struct model *model, const int64_t *values) {
  for (uint32_t e = 0; e < model->value_count; e++)
    if (!is_in(values[e], facts->ranges[e]))
      return false;
  for (uint32_t i = 0; i < facts->by_count; i++)
    if (!by_holds(facts, &facts->by[i], values))
      return false;
  for (uint32_t i = 0; i < facts->determined_count; i++)
    if (facts_value(facts, &facts->determined[i], values) != values[facts->determined[i].element])
      return false;
  return true;
}

/* ---- selectors that pay ----------------------------------------------------------------------- */

/* Ranges by a selector, of those members that gain by it. */
struct draft {
  const struct ranges_selector *selector;
  uint32_t *members; /* numbers within the selector's */
  uint32_t count;
  double *sizes; /* of each case: its share of the product of the members' whole ranges */
  double size;   /* their sum */
  bool pays;
};

static double share(struct facts_range part, struct facts_range whole) {
  return (double)range_size(part) / (double)range_size(whole);
}

static const struct facts_range *cells_of(const struct making *m, const struct draft *draft, int64_t value) {
  return ranges_case(m->ranges, (uint32_t)(draft->selector - m->ranges->selectors), value);
}

/* It has fewer values in some case than in all. */
static bool member_gains(const struct making *m, const struct draft *draft, uint32_t member) {
  const struct facts_range values = m->ranges->all[draft->selector->element];
  const struct facts_range all = m->ranges->all[draft->selector->members[member]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct facts_range *cells = cells_of(m, draft, value);
    if (!range_is_empty(cells[0]) && !(cells[1 + member].lo == all.lo && cells[1 + member].hi == all.hi))
      return true;
  }
  return false;
}

static struct draft draft_of(struct making *m, const struct ranges_selector *selector) {
  const struct facts_range values = m->ranges->all[selector->element];
  struct draft draft = {.selector = selector};
  draft.members = arena_array(m->arena, selector->member_count, sizeof *draft.members);
  draft.sizes = arena_array(m->arena, range_size(values), sizeof *draft.sizes);
  for (uint32_t i = 0; i < selector->member_count; i++)
    if (!m->determined[selector->members[i]] && member_gains(m, &draft, i))
      draft.members[draft.count++] = i;
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct facts_range *cells = cells_of(m, &draft, value);
    double size = range_is_empty(cells[0]) ? 0 : 1;
    for (uint32_t i = 0; i < draft.count; i++)
      size *= share(cells[1 + draft.members[i]], m->ranges->all[selector->members[draft.members[i]]]);
    draft.sizes[value - values.lo] = size;
    draft.size += size;
  }
  draft.pays = draft.count && !m->determined[selector->element] && draft.size < (double)range_size(values) * (1 - 1e-9);
  return draft;
}

static void add_by(struct making *m, const struct draft *draft) {
  const struct ranges_selector *s = draft->selector;
  const struct facts_range values = m->ranges->all[s->element];
  uint32_t *elements = arena_array(m->arena, draft->count, sizeof *elements);
  struct facts_range *ranges = arena_array(m->arena, range_size(values) * draft->count, sizeof *ranges), *next = ranges;
  for (uint32_t i = 0; i < draft->count; i++)
    elements[i] = s->members[draft->members[i]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct facts_range *cells = cells_of(m, draft, value);
    for (uint32_t i = 0; i < draft->count; i++)
      *next++ = range_is_empty(cells[0]) ? cells[0] : cells[1 + draft->members[i]];
  }
  *ARENA_PUSH(m->arena, m->by, m->by_count, m->by_cap) = (struct facts_by){s->element, elements, draft->count, ranges};
}

/* ---- determined elements ---------------------------------------------------------------------- */

#define LEAST_GAIN 0.05 /* bits */

/* Bits that a key would have less without one of the elements of a selector that pays. */
static void weigh_draft(struct making *m, const struct draft *draft) {
  const struct facts_range values = m->ranges->all[draft->selector->element];
  m->weights[draft->selector->element] = log2(draft->size);
  for (uint32_t i = 0; i < draft->count; i++) {
    const uint32_t member = draft->members[i], element = draft->selector->members[member];
    const struct facts_range all = m->ranges->all[element];
    double without = 0;
    for (int64_t value = values.lo; value <= values.hi; value++)
      if (draft->sizes[value - values.lo] > 0)
        without += draft->sizes[value - values.lo] / share(cells_of(m, draft, value)[1 + member], all);
    m->weights[element] = log2((double)range_size(all)) + log2(draft->size) - log2(without);
  }
}

static void weigh(struct making *m) {
  m->weights = arena_array(m->arena, m->model->value_count, sizeof *m->weights);
  for (uint32_t e = 0; e < m->model->value_count; e++)
    m->weights[e] = log2((double)range_size(m->ranges->all[e]));
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct draft draft = draft_of(m, &m->ranges->selectors[k]);
    if (draft.pays)
      weigh_draft(m, &draft);
  }
  for (uint32_t e = 0; e < m->model->value_count; e++)
    if (!(m->weights[e] >= LEAST_GAIN))
      m->weights[e] = 0;
}

static struct linear determine(struct making *m) {
  weigh(m);
  struct linear linear = invariants_make(m->model, m->ranges, m->weights, m->stop, m->arena);
  for (uint32_t i = 0; i < linear.count; i++)
    m->determined[linear.items[i].element] = true;
  return linear;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Of no use but to hold where a proof was wrong: the states of a walk are as the facts say. */
static bool holds(void *user, const int64_t *before, const int64_t *after) {
  const struct making *m = user;
  (void)before;
  return facts_hold(m->facts, m->model, after);
}

static void check(struct making *m) {
  const bool right = walk_steps(m->model, m->stop, m->arena, holds, m);
  if (!right)
    *m->facts = (struct facts){.ranges = ranges_declared(m->model, m->arena), .disproved = true};
}

static void make(void *data) {
  struct making *m = data;
  m->ranges = ranges_make(m->model, m->stop, m->arena);
  m->determined = arena_array(m->arena, m->model->value_count, sizeof *m->determined);
  struct linear linear = m->ranges->known ? determine(m) : (struct linear){0};
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct draft draft = draft_of(m, &m->ranges->selectors[k]);
    if (draft.pays)
      add_by(m, &draft);
  }
  m->facts = arena_alloc(m->arena, sizeof *m->facts);
  *m->facts = (struct facts){.ranges = m->ranges->all,
                             .by = m->by,
                             .determined = linear.items,
                             .by_count = (uint32_t)m->by_count,
                             .determined_count = linear.count};
  if (m->ranges->known)
    check(m);
}

floe_status facts_make(const struct model *model, const struct stop *stop, struct arena *arena,
                       const struct facts **out) {
  struct making making = {.model = model, .stop = stop, .arena = arena};
  if (arena_guard(arena, make, &making))
    return FLOE_ERROR_MEMORY;
  *out = making.facts;
  return FLOE_OK;
}
