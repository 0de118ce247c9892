#include "counter_stepper.h"

#include <string.h>
#include <unistd.h>

static uint64_t counter(const struct fake *fake, uint64_t state, unsigned i) {
  return state >> (i * fake->bits) & ((UINT64_C(1) << fake->bits) - 1);
}

uint64_t fake_sum(const struct fake *fake, uint64_t state) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < fake->n; i++)
    sum += counter(fake, state, i);
  return sum;
}

uint64_t fake_least(const struct fake *fake, uint64_t sum) {
  uint64_t state = 0;
  for (unsigned i = 0; i < fake->n; i++) {
    uint64_t value = sum < fake->k ? sum : fake->k - 1;
    state |= value << (i * fake->bits);
    sum -= value;
  }
  return state;
}

/* Returns false if counter i cannot move. */
static bool raise_counter(const struct fake *fake, uint64_t state, unsigned i, uint64_t *next) {
  uint64_t value = counter(fake, state, i);
  bool last = value == fake->k - 1;
  if (last && !fake->wrap)
    return false;
  uint64_t step = UINT64_C(1) << (i * fake->bits);
  *next = last ? state - value * step : state + step;
  return true;
}

static size_t expand_one(const struct stepper *stepper, const uint64_t *state, uint64_t *successors,
                         struct step_edge *edges) {
  const struct fake *fake = (const struct fake *)stepper;
  bool fails = fake_sum(fake, *state) == fake->fail_sum;
  size_t count = 0;
  for (unsigned i = 0; i < fake->n; i++)
    if (raise_counter(fake, *state, i, &successors[count]))
      edges[count++] = (struct step_edge){i, 0, fails && i == 0 ? FAKE_SITE : NO_SITE};
  return count;
}

static uint64_t properties(const struct stepper *stepper, const uint64_t *state, struct step_error *error) {
  const struct fake *fake = (const struct fake *)stepper;
  uint64_t sum = fake_sum(fake, *state);
  *error = (struct step_error){NO_TRANSITION, NO_SITE};
  return (uint64_t)(sum == fake->bad_sum) << FAKE_BAD | (uint64_t)(sum == fake->good_sum) << FAKE_GOOD;
}

static uint64_t generate(const struct fake *fake, struct step_block *block, uint64_t state, struct step_error *error) {
  uint64_t successors[64];
  struct step_edge edges[64];
  size_t n = expand_one(&fake->base, &state, successors, edges);
  uint32_t made = 0;
  for (size_t i = 0; i < n; i++) {
    if (edges[i].site != NO_SITE) {
      *error = (struct step_error){edges[i].transition, edges[i].site};
      block->firing_failed = true;
      continue;
    }
    block->successors[block->produced++] = successors[i];
    block->fired[edges[i].transition]++;
    made++;
  }
  if (made > block->max_out_degree)
    block->max_out_degree = made;
  block->deadlocks += n == 0;
  return (uint64_t)(n == 0) << FAKE_DEADLOCK | (uint64_t)(made < n) << FAKE_ERRORS;
}

static void expand_block(const struct stepper *stepper, struct step_block *block) {
  const struct fake *fake = (const struct fake *)stepper;
  if (fake->pause)
    usleep(fake->pause);
  for (; block->next < block->count; block->next++) {
    uint64_t state = block->states[block->next];
    if (!block->properties_only && block->capacity - block->produced < stepper->max_successors)
      return;
    struct step_error error;
    uint64_t triggered = properties(stepper, &state, &error);
    if (!block->properties_only)
      triggered |= generate(fake, block, state, &error);
    triggered &= block->requested_properties;
    block->triggered |= triggered;
    if (triggered)
      block->on_trigger(block->user, block->next, triggered, error);
  }
}

void fake_init(struct fake *fake, unsigned n, unsigned k) {
  memset(fake, 0, sizeof *fake);
  fake->n = n;
  fake->k = k;
  fake->wrap = true;
  while (UINT64_C(1) << fake->bits < k)
    fake->bits++;
  fake->bad_sum = fake->good_sum = fake->fail_sum = FAKE_NEVER;
  fake->base = (struct stepper){.name = "fake",
                                .words = 1,
                                .max_successors = n,
                                .expand_block = expand_block,
                                .expand_one = expand_one,
                                .properties = properties};
  static const floe_property_kind kinds[] = {FLOE_INVARIANT, FLOE_REACHABLE, FLOE_DEADLOCK, FLOE_ERRORS};
  for (unsigned i = 0; i < FAKE_PROPERTIES; i++)
    fake->properties[i].kind = kinds[i];
  fake->counters = (struct variable){.count = n, .assigned = true, .hi = (int64_t)k - 1};
  fake->model.variables = &fake->counters;
  fake->model.variable_count = 1;
  fake->model.properties = fake->properties;
  fake->model.property_count = FAKE_PROPERTIES;
  fake->model.transition_count = n;
  fake->layout.bits = n * fake->bits;
  fake->layout.words = 1;
  fake->layout.key_bits = fake->layout.bits;
  fake->layout.key_words = 1;
}
