/* Whether a path is an accepting cycle of a random product, by the interpreter alone. */
#ifndef FLOE_TESTS_ENGINE_CYCLES_ACCEPTING_H
#define FLOE_TESTS_ENGINE_CYCLES_ACCEPTING_H

#include "engine/path.h"
#include "model/interpreter/interpreter.h"
#include "step/stepper.h"
#include "tests/step/random_product.h"

#include <check.h>
#include <stdlib.h>

/* Constraints that are enabled in a state of the product: by firings of the model, whatever the automaton permits. */
static inline uint64_t enabled_in(const struct random_product *m, const int64_t *values) {
  const struct model_automaton *a = m->loaded.model->automaton;
  uint64_t enabled = 0;
  for (size_t t = 0; t < m->factor->transition_count; t++)
    if (a->fairness[t] && interpreter_fires(m->factor, &m->factor->transitions[t], values))
      enabled |= a->fairness[t];
  return enabled;
}

static inline void require_accepting(const struct random_product *m, const struct path *cycle) {
  const struct loaded *product = &m->loaded;
  const struct model *model = product->model;
  const struct model_automaton *a = model->automaton;
  const uint32_t words = product->layout->key_words;
  uint64_t marks = 0, enabled = 0;
  int64_t *values = calloc(model->value_count, sizeof *values), *next = calloc(model->value_count, sizeof *next);
  ck_assert_uint_gt(cycle->steps, 0);
  ck_assert_mem_eq(cycle->states, cycle->states + cycle->steps * words, words * sizeof(uint64_t));
  for (uint32_t i = 0; i < cycle->steps; i++) {
    const struct step_edge edge = cycle->edges[i];
    uint32_t site;
    key_values(model, product->layout, cycle->states + i * words, values);
    const uint64_t here = enabled_in(m, values);
    marks |= a->accepting[values[model->variables[a->variable].first] * a->degree + edge.choice % a->degree];
    marks |= a->fairness[edge.transition] | (a->weak_fair & ~here);
    enabled |= here;
    ck_assert(interpreter_fire(model, edge.transition, edge.choice, values, NULL, &site) && site == NO_SITE);
    key_values(model, product->layout, cycle->states + (i + 1) * words, next);
    ck_assert_mem_eq(values, next, model->value_count * sizeof *values);
  }
  ck_assert_uint_eq((a->sets | a->weak_fair | (a->strong_fair & enabled)) & ~marks, 0);
  free(values);
  free(next);
}

#endif
