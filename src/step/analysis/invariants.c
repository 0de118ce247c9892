#include "step/analysis/invariants.h"

#include "step/analysis/linear_invariants.h"
#include "step/analysis/random_walk.h"
#include "step/analysis/value_ranges.h"

#include <math.h>

struct invariants_job {
  const struct model *model;
  const struct stop *stop;
  struct arena *arena;
  const struct ranges *ranges;
  struct invariants *invariants;
  struct ranges_by_selector *by;
  size_t by_count, by_cap;
  double *weights; /* [element] bits of a key that it takes */
  bool *dependent; /* [element] */
};

static bool is_in(int64_t value, struct value_interval range) { return range.lo <= value && value <= range.hi; }

static bool selector_holds(const struct invariants *invariants, const struct ranges_by_selector *by,
                           const int64_t *values) {
  const struct value_interval *ranges =
      by->ranges + (size_t)(values[by->selector] - invariants->ranges[by->selector].lo) * by->element_count;
  for (uint32_t i = 0; i < by->element_count; i++)
    if (!is_in(values[by->elements[i]], ranges[i]))
      return false;
  return true;
}

int64_t invariants_value(const struct invariants *invariants, const struct dependent_element *dependent,
                         const int64_t *values) {
  int64_t sum = dependent->constant;
  for (uint32_t i = 0; i < dependent->term_count; i++) {
    const struct linear_term *term = &dependent->terms[i];
    int64_t value = values[term->element];
    sum += term->table ? term->table[value - invariants->ranges[term->element].lo] : term->coefficient * value;
  }
  return sum;
}

bool invariants_hold(const struct invariants *invariants, const struct model *model, const int64_t *values) {
  for (uint32_t e = 0; e < model->value_count; e++)
    if (!is_in(values[e], invariants->ranges[e]))
      return false;
  for (uint32_t i = 0; i < invariants->by_selector_count; i++)
    if (!selector_holds(invariants, &invariants->by_selector[i], values))
      return false;
  for (uint32_t i = 0; i < invariants->dependent_count; i++)
    if (invariants_value(invariants, &invariants->dependent[i], values) != values[invariants->dependent[i].element])
      return false;
  return true;
}

/* ---- selectors that make keys shorter --------------------------------------------------------- */

/* A selector with the elements that have smaller ranges in some of its cases. */
struct selector_candidate {
  const struct range_selector *selector;
  uint32_t *kept; /* indices into selector->elements */
  uint32_t count;
  double *sizes; /* [case] product of the elements' ranges, as a share of the product of their full ranges */
  double size;   /* sum of sizes */
  bool pays;
};

static double size_ratio(struct value_interval part, struct value_interval whole) {
  return (double)range_size(part) / (double)range_size(whole);
}

static const struct value_interval *cells_of(const struct invariants_job *m, const struct selector_candidate *candidate,
                                             int64_t value) {
  return ranges_case(m->ranges, (uint32_t)(candidate->selector - m->ranges->selectors), value);
}

/* True if the element has fewer values in some case than overall. */
static bool is_narrowed(const struct invariants_job *m, const struct selector_candidate *candidate, uint32_t index) {
  const struct value_interval values = m->ranges->all[candidate->selector->element];
  const struct value_interval all = m->ranges->all[candidate->selector->elements[index]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct value_interval *cells = cells_of(m, candidate, value);
    if (!range_is_empty(cells[0]) && !(cells[1 + index].lo == all.lo && cells[1 + index].hi == all.hi))
      return true;
  }
  return false;
}

static struct selector_candidate selector_candidate_of(struct invariants_job *m,
                                                       const struct range_selector *selector) {
  const struct value_interval values = m->ranges->all[selector->element];
  struct selector_candidate candidate = {.selector = selector};
  candidate.kept = arena_array(m->arena, selector->element_count, sizeof *candidate.kept);
  candidate.sizes = arena_array(m->arena, range_size(values), sizeof *candidate.sizes);
  for (uint32_t i = 0; i < selector->element_count; i++)
    if (!m->dependent[selector->elements[i]] && is_narrowed(m, &candidate, i))
      candidate.kept[candidate.count++] = i;
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct value_interval *cells = cells_of(m, &candidate, value);
    double size = range_is_empty(cells[0]) ? 0 : 1;
    for (uint32_t i = 0; i < candidate.count; i++)
      size *= size_ratio(cells[1 + candidate.kept[i]], m->ranges->all[selector->elements[candidate.kept[i]]]);
    candidate.sizes[value - values.lo] = size;
    candidate.size += size;
  }
  candidate.pays =
      candidate.count && !m->dependent[selector->element] && candidate.size < (double)range_size(values) * (1 - 1e-9);
  return candidate;
}

static void add_by_selector(struct invariants_job *m, const struct selector_candidate *candidate) {
  const struct range_selector *s = candidate->selector;
  const struct value_interval values = m->ranges->all[s->element];
  uint32_t *elements = arena_array(m->arena, candidate->count, sizeof *elements);
  struct value_interval *ranges = arena_array(m->arena, range_size(values) * candidate->count, sizeof *ranges),
                        *next = ranges;
  for (uint32_t i = 0; i < candidate->count; i++)
    elements[i] = s->elements[candidate->kept[i]];
  for (int64_t value = values.lo; value <= values.hi; value++) {
    const struct value_interval *cells = cells_of(m, candidate, value);
    for (uint32_t i = 0; i < candidate->count; i++)
      *next++ = range_is_empty(cells[0]) ? cells[0] : cells[1 + candidate->kept[i]];
  }
  *ARENA_PUSH(m->arena, m->by, m->by_count, m->by_cap) =
      (struct ranges_by_selector){s->element, elements, candidate->count, ranges};
}

/* ---- dependent elements ----------------------------------------------------------------------- */

#define MIN_GAIN 0.05 /* bits */

/* Weight of an element: the bits that a key saves without it, given the selector. */
static void weigh_candidate(struct invariants_job *m, const struct selector_candidate *candidate) {
  const struct value_interval values = m->ranges->all[candidate->selector->element];
  m->weights[candidate->selector->element] = log2(candidate->size);
  for (uint32_t i = 0; i < candidate->count; i++) {
    const uint32_t index = candidate->kept[i], element = candidate->selector->elements[index];
    const struct value_interval all = m->ranges->all[element];
    double without = 0;
    for (int64_t value = values.lo; value <= values.hi; value++)
      if (candidate->sizes[value - values.lo] > 0)
        without += candidate->sizes[value - values.lo] / size_ratio(cells_of(m, candidate, value)[1 + index], all);
    m->weights[element] = log2((double)range_size(all)) + log2(candidate->size) - log2(without);
  }
}

static void weigh_elements(struct invariants_job *m) {
  m->weights = arena_array(m->arena, m->model->value_count, sizeof *m->weights);
  for (uint32_t e = 0; e < m->model->value_count; e++)
    m->weights[e] = log2((double)range_size(m->ranges->all[e]));
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct selector_candidate candidate = selector_candidate_of(m, &m->ranges->selectors[k]);
    if (candidate.pays)
      weigh_candidate(m, &candidate);
  }
  for (uint32_t e = 0; e < m->model->value_count; e++)
    if (!(m->weights[e] >= MIN_GAIN))
      m->weights[e] = 0;
}

static struct linear_invariants determine(struct invariants_job *m) {
  weigh_elements(m);
  struct linear_invariants linear = linear_invariants_find(m->model, m->ranges, m->weights, m->stop, m->arena);
  for (uint32_t i = 0; i < linear.count; i++)
    m->dependent[linear.items[i].element] = true;
  return linear;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* A check against errors of the proofs: states of a random walk must satisfy the invariants. */
static bool state_satisfies(void *user, const int64_t *before, const int64_t *after) {
  const struct invariants_job *m = user;
  (void)before;
  return invariants_hold(m->invariants, m->model, after);
}

static void check_on_walk(struct invariants_job *m) {
  const bool right = random_walk_steps(m->model, m->stop, m->arena, state_satisfies, m);
  if (!right)
    *m->invariants = (struct invariants){.ranges = ranges_declared(m->model, m->arena), .disproved = true};
}

static void prove_invariants(void *data) {
  struct invariants_job *m = data;
  m->ranges = ranges_make(m->model, RANGES_WORK, m->stop, m->arena);
  m->dependent = arena_array(m->arena, m->model->value_count, sizeof *m->dependent);
  struct linear_invariants linear = m->ranges->known ? determine(m) : (struct linear_invariants){0};
  for (uint32_t k = 0; k < m->ranges->selector_count; k++) {
    struct selector_candidate candidate = selector_candidate_of(m, &m->ranges->selectors[k]);
    if (candidate.pays)
      add_by_selector(m, &candidate);
  }
  m->invariants = arena_alloc(m->arena, sizeof *m->invariants);
  *m->invariants = (struct invariants){.ranges = m->ranges->all,
                                       .by_selector = m->by,
                                       .dependent = linear.items,
                                       .by_selector_count = (uint32_t)m->by_count,
                                       .dependent_count = linear.count};
  if (m->ranges->known)
    check_on_walk(m);
}

floe_status invariants_make(const struct model *model, const struct stop *stop, struct arena *arena,
                            const struct invariants **out) {
  struct invariants_job job = {.model = model, .stop = stop, .arena = arena};
  if (arena_guard(arena, prove_invariants, &job))
    return FLOE_ERROR_MEMORY;
  *out = job.invariants;
  return FLOE_OK;
}
