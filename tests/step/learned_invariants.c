#include "learned_invariants.h"

#include "step/layout/index_key.h"
#include "step/layout/state_key.h"
#include "step/stepper.h"

#include <stdlib.h>
#include <string.h>

/* All reachable states: values[n][value_count]. */
struct seen {
  const struct model *model;
  int64_t *values;
  size_t n;
};

static bool add_state(uint64_t *states, size_t *n, size_t most, size_t words, const uint64_t *state) {
  for (size_t i = 0; i < *n; i++)
    if (!memcmp(states + i * words, state, words * sizeof *state))
      return true;
  if (*n == most)
    return false;
  memcpy(states + (*n)++ * words, state, words * sizeof *state);
  return true;
}

static bool explore(struct loaded *loaded, uint64_t *states, size_t most, size_t *n) {
  struct stepper *stepper;
  if (interpreter_create(loaded->model, loaded->layout, &stepper) != FLOE_OK)
    return false;
  const size_t words = loaded->layout->words, room = stepper->max_successors + (size_t)1;
  uint64_t *successors = calloc(room, words * sizeof *successors);
  struct step_edge *edges = calloc(room, sizeof *edges);
  bool all = true;
  layout_initial(loaded->model, loaded->layout, states);
  *n = 1;
  for (size_t i = 0; all && i < *n; i++) {
    const size_t count = stepper->expand_one(stepper, states + i * words, successors, edges);
    for (size_t k = 0; all && k < count; k++)
      all = edges[k].site != NO_SITE || add_state(states, n, most, words, successors + k * words);
  }
  stepper->free(stepper);
  free(successors);
  free(edges);
  return all;
}

static bool see(struct loaded *loaded, size_t most, struct seen *seen) {
  const size_t words = loaded->layout->words, values = loaded->model->value_count;
  uint64_t *states = calloc(most + 1, words * sizeof *states);
  const bool all = explore(loaded, states, most, &seen->n);
  seen->model = loaded->model;
  seen->values = calloc(seen->n * values + 1, sizeof *seen->values);
  for (size_t i = 0; i < seen->n; i++)
    layout_unpack(loaded->model, loaded->layout, states + i * words, seen->values + i * values);
  free(states);
  return all;
}

static int64_t value_of(const struct seen *seen, size_t state, uint32_t element) {
  return seen->values[state * seen->model->value_count + element];
}

/* ---- ranges ------------------------------------------------------------------------------------ */

static void widen(struct value_interval *range, int64_t value) {
  range->lo = value < range->lo ? value : range->lo;
  range->hi = value > range->hi ? value : range->hi;
}

static const struct variable *variable_of(const struct model *model, uint32_t element) {
  size_t v = 0;
  while (element - model->variables[v].first >= model->variables[v].count)
    v++;
  return &model->variables[v];
}

static struct value_interval declared(const struct model *model, uint32_t element) {
  const struct variable *variable = variable_of(model, element);
  const int64_t init = variable->init[element - variable->first];
  return variable->assigned ? (struct value_interval){variable->lo, variable->hi} : (struct value_interval){init, init};
}

static void learn_ranges(const struct seen *seen, struct value_interval *ranges) {
  for (uint32_t e = 0; e < seen->model->value_count; e++) {
    ranges[e] = (struct value_interval){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < seen->n; i++)
      widen(&ranges[e], value_of(seen, i, e));
  }
}

/* ---- cases ------------------------------------------------------------------------------------- */

struct learner {
  struct loaded *loaded;
  const struct seen *seen; /* NULL: declared ranges */
  struct invariants *invariants;
  struct ranges_by_selector *by;
};

/* Range of an element if the selector is `value`. Places of a channel beyond its length have `lo`. */
static struct value_interval range_at(const struct learner *l, uint32_t selector, int64_t value, uint32_t element) {
  const struct variable *variable = variable_of(l->loaded->model, element);
  struct value_interval range = {INT64_MAX, INT64_MIN};
  for (size_t i = 0; l->seen && i < l->seen->n; i++)
    if (value_of(l->seen, i, selector) == value)
      widen(&range, value_of(l->seen, i, element));
  if (l->seen)
    return range;
  const uint32_t at = (element - variable->first) % variable->length;
  if (variable->kind == VARIABLE_FIELD && (int64_t)at >= value)
    return (struct value_interval){variable->lo, variable->lo};
  return declared(l->loaded->model, element);
}

static void add_case(struct learner *l, uint32_t selector, const uint32_t *elements, uint32_t count) {
  struct arena *arena = &l->loaded->arena;
  const struct value_interval range = l->invariants->ranges[selector];
  const uint64_t cases = (uint64_t)(range.hi - range.lo) + 1;
  if (count == 0 || cases < 2)
    return;
  struct value_interval *ranges = arena_array(arena, cases * count, sizeof *ranges);
  uint32_t *copy = arena_array(arena, count, sizeof *copy);
  memcpy(copy, elements, count * sizeof *copy);
  for (uint64_t c = 0; c < cases; c++)
    for (uint32_t i = 0; i < count; i++)
      ranges[c * count + i] = range_at(l, selector, range.lo + (int64_t)c, elements[i]);
  l->by[l->invariants->by_selector_count++] = (struct ranges_by_selector){selector, copy, count, ranges};
}

/* Adds the elements of one instance or channel: those of variables of its kind. */
static void add_cases_of(struct learner *l, const struct variable *selector, uint32_t instance) {
  const struct model *model = l->loaded->model;
  const enum variable_kind kind = selector->kind == VARIABLE_LOCATION ? VARIABLE_LOCAL : VARIABLE_FIELD;
  uint32_t *elements = calloc(model->value_count + 1, sizeof *elements), count = 0;
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    for (uint32_t i = 0; i < variable->length; i++)
      if (variable->kind == kind && variable->owner == selector->owner && variable->assigned &&
          variable->lo < variable->hi)
        elements[count++] = variable->first + instance * variable->length + i;
  }
  add_case(l, selector->first + instance, elements, count);
  free(elements);
}

static void learn_cases(struct learner *l) {
  const struct model *model = l->loaded->model;
  l->by = arena_array(&l->loaded->arena, model->value_count + 1, sizeof *l->by);
  l->invariants->by_selector = l->by;
  for (size_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    if ((variable->kind == VARIABLE_LOCATION || variable->kind == VARIABLE_LENGTH) && variable->assigned)
      for (uint32_t i = 0; i < variable->count; i++)
        add_cases_of(l, variable, i);
  }
}

/* ---- dependent elements ----------------------------------------------------------------------- */

struct determining {
  const struct seen *seen;
  struct invariants *invariants;
  struct arena *arena;
  bool *used, *dependent; /* used as a term; dependent on terms */
  struct dependent_element *list;
};

static bool is_constant(const struct determining *d, uint32_t element) {
  return d->invariants->ranges[element].lo == d->invariants->ranges[element].hi;
}

static void add_dependent(struct determining *d, uint32_t element, int64_t constant, struct linear_term *terms,
                          uint32_t count) {
  struct linear_term *copy = arena_array(d->arena, count, sizeof *copy);
  memcpy(copy, terms, count * sizeof *copy);
  d->list[d->invariants->dependent_count++] = (struct dependent_element){element, constant, copy, count};
  d->dependent[element] = true;
  for (uint32_t i = 0; i < count; i++)
    d->used[terms[i].element] = true;
}

/* True if element = constant + the two terms in all states. */
static bool is_sum(const struct determining *d, uint32_t element, const struct linear_term terms[2],
                   int64_t *constant) {
  for (size_t i = 0; i < d->seen->n; i++) {
    const int64_t rest = value_of(d->seen, i, element) - terms[0].coefficient * value_of(d->seen, i, terms[0].element) -
                         terms[1].coefficient * value_of(d->seen, i, terms[1].element);
    if (i == 0)
      *constant = rest;
    if (rest != *constant)
      return false;
  }
  return true;
}

static bool try_sum(struct determining *d, uint32_t element, uint32_t x, uint32_t y) {
  int64_t constant;
  for (int64_t a = -1; a <= 1; a += 2)
    for (int64_t b = -1; b <= 1; b++) {
      struct linear_term terms[] = {{x, a, NULL}, {y, b, NULL}};
      if (!is_sum(d, element, terms, &constant))
        continue;
      add_dependent(d, element, constant, terms, b ? 2 : 1);
      return true;
    }
  return false;
}

static bool try_table(struct determining *d, uint32_t element, uint32_t x) {
  const struct value_interval range = d->invariants->ranges[x];
  const size_t size = (size_t)(range.hi - range.lo) + 1;
  if (size > 100)
    return false;
  int64_t *table = arena_array(d->arena, size, sizeof *table);
  for (size_t i = 0; i < size; i++)
    table[i] = INT64_MIN;
  for (size_t i = 0; i < d->seen->n; i++) {
    int64_t *at = &table[value_of(d->seen, i, x) - range.lo];
    if (*at != INT64_MIN && *at != value_of(d->seen, i, element))
      return false;
    *at = value_of(d->seen, i, element);
  }
  for (size_t i = 0; i < size; i++)
    table[i] = table[i] == INT64_MIN ? d->invariants->ranges[element].lo : table[i];
  struct linear_term term = {x, 1, table};
  add_dependent(d, element, 0, &term, 1);
  return true;
}

static bool can_determine(const struct determining *d, uint32_t element, uint32_t by) {
  return by != element && !d->dependent[by] && !is_constant(d, by);
}

static void determine(struct determining *d, uint32_t element) {
  const uint32_t n = (uint32_t)d->seen->model->value_count, most = n < 40 ? n : 40;
  for (uint32_t x = 0; x < most; x++)
    for (uint32_t y = x; y < most && can_determine(d, element, x); y++)
      if (can_determine(d, element, y) && try_sum(d, element, x, y))
        return;
  for (uint32_t x = 0; x < most; x++)
    if (can_determine(d, element, x) && try_table(d, element, x))
      return;
}

static void learn_determined(struct loaded *loaded, const struct seen *seen, struct invariants *invariants) {
  const size_t n = loaded->model->value_count;
  struct determining d = {.seen = seen, .invariants = invariants, .arena = &loaded->arena};
  d.used = calloc(n + 1, sizeof *d.used);
  d.dependent = calloc(n + 1, sizeof *d.dependent);
  d.list = arena_array(d.arena, n + 1, sizeof *d.list);
  invariants->dependent = d.list;
  for (uint32_t e = 0; e < n; e++)
    if (!d.used[e] && !is_constant(&d, e))
      determine(&d, e);
  free(d.used);
  free(d.dependent);
}

/* ---- the whole --------------------------------------------------------------------------------- */

struct learn_job {
  struct loaded *loaded;
  enum learning learning;
  const struct seen *seen;
  struct invariants *invariants;
};

static void prove(struct learn_job *job) {
  const struct invariants *invariants;
  if (invariants_make(job->loaded->model, NULL, &job->loaded->arena, &invariants) != FLOE_OK)
    return;
  job->invariants = arena_alloc(&job->loaded->arena, sizeof *job->invariants);
  *job->invariants = *invariants;
}

static void learn(void *data) {
  struct learn_job *job = data;
  const struct model *model = job->loaded->model;
  if (job->learning == LEARN_PROVED) {
    prove(job);
    return;
  }
  struct value_interval *ranges = arena_array(&job->loaded->arena, model->value_count + 1, sizeof *ranges);
  job->invariants = arena_alloc(&job->loaded->arena, sizeof *job->invariants);
  *job->invariants = (struct invariants){.ranges = ranges};
  const bool exact = job->learning == LEARN_RANGES || job->learning == LEARN_ALL;
  for (uint32_t e = 0; e < model->value_count; e++)
    ranges[e] = declared(model, e);
  if (exact)
    learn_ranges(job->seen, ranges);
  if (job->learning == LEARN_ALL)
    learn_determined(job->loaded, job->seen, job->invariants);
  struct learner learner = {job->loaded, exact ? job->seen : NULL, job->invariants, NULL};
  if (job->learning == LEARN_CASES || job->learning == LEARN_ALL)
    learn_cases(&learner);
}

struct invariants *learn_invariants(struct loaded *loaded, enum learning learning, size_t most) {
  struct seen seen = {0};
  const bool needs_states = learning == LEARN_RANGES || learning == LEARN_ALL;
  const bool known = !needs_states || see(loaded, most, &seen);
  struct learn_job job = {loaded, learning, &seen, NULL};
  const bool learned = known && arena_guard(&loaded->arena, learn, &job) == 0;
  free(seen.values);
  return learned ? job.invariants : NULL;
}

static void take_layout(void *data) {
  struct learn_job *job = data;
  struct layout *layout = arena_alloc(&job->loaded->arena, sizeof *layout);
  const struct encoding *encoding;
  if (encoding_make(job->loaded->model, job->loaded->layout, job->invariants, &job->loaded->arena, &encoding) !=
      FLOE_OK)
    return;
  *layout = layout_with_index_keys(job->loaded->layout, encoding);
  job->loaded->layout = layout;
}

bool use_index_keys(struct loaded *loaded, struct invariants *invariants) {
  struct learn_job job = {.loaded = loaded, .invariants = invariants};
  return arena_guard(&loaded->arena, take_layout, &job) == 0 && loaded->layout->encoding != NULL;
}
