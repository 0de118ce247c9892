/* Products of random models and automata of random formulas: the steps of each state are those of the model, once for
   each permitted edge of the automaton; interpreter and generated code agree. */
#include "model/temporal/product.h"

#include "compare.h"
#include "model/transition_set.h"
#include "random_model.h"
#include "random_product.h"
#include "step/analysis/invariants.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 400 };

static struct compile_options quick = {"cc -O0", "", NULL};
static size_t models, states, edges, stutters, several, indexed, failing, ending, enabled, taken, failed_atoms, blocked;

/* ---- the steps of a state, from the model and the automaton --------------------------------------- */

struct explored {
  const struct random_product *m;
  const struct model *model;
  struct stepper *product, *factor;
  const struct layout *factor_layout;
  int64_t *values, *after, *found;       /* of the product */
  uint64_t *key, *successors, *expanded; /* factor's key and successors; product's successors */
  struct step_edge *factor_edges, *product_edges;
};

static bool belongs(const struct explored *x, uint32_t transition, unsigned atom) {
  return transition < x->model->transition_count &&
         transition_in_set(x->model, &x->model->transitions[transition], &x->m->sets[atom]);
}

/* A firing of the atom's set is among the first n of x->factor_edges. */
static bool is_enabled(const struct explored *x, size_t n, unsigned atom) {
  for (size_t i = 0; i < n; i++)
    if (belongs(x, x->factor_edges[i].transition, atom))
      return true;
  return false;
}

/* The atoms about states, in a state with n firings of the model. False: one fails. */
static bool valuation_of(const struct explored *x, size_t n, uint64_t *valuation) {
  *valuation = 0;
  for (unsigned i = 0; i < RANDOM_PRODUCT_ATOMS; i++) {
    int64_t value = 0;
    if (!x->m->atoms[i])
      continue;
    if (x->m->atoms[i]->op == EXPR_ENABLED)
      value = is_enabled(x, n, i);
    else if (interpreter_eval(x->model, x->m->atoms[i], x->values, NULL, NULL, &value) != NO_SITE)
      return false;
    enabled += x->m->atoms[i]->op == EXPR_ENABLED;
    *valuation |= (uint64_t)(value != 0) << i;
  }
  return true;
}

/* Those about steps. */
static uint64_t taken_by(const struct explored *x, uint32_t transition) {
  uint64_t held = 0;
  for (unsigned i = 0; i < RANDOM_PRODUCT_ATOMS; i++)
    if (x->m->taken[i] && belongs(x, transition, i))
      held |= UINT64_C(1) << i;
  taken += held != 0;
  return held;
}

static bool permits(const struct automaton_edge *edge, uint64_t valuation) {
  for (size_t i = 0; i < edge->cube_count; i++)
    if (cube_has(edge->cubes[i], valuation))
      return true;
  return false;
}

/* Firings that the automaton's state does not permit lead to a state without successors. */
static bool has_sink(const struct explored *x, uint32_t q) {
  const struct model_automaton *automaton = x->m->loaded.model->automaton;
  return x->m->loaded.model->variables[automaton->variable].hi == x->m->automaton->states && automaton->candidates[q];
}

/* One step of the product must be this firing of the model with this edge. */
static void require_step(struct explored *x, size_t at, struct step_edge firing, uint32_t number, uint32_t to) {
  const uint32_t degree = x->m->loaded.model->automaton->degree, count = x->model->value_count;
  const struct step_edge *step = &x->product_edges[at];
  ck_assert_uint_eq(step->transition, firing.transition);
  ck_assert_uint_eq(step->choice, firing.choice * degree + number);
  ck_assert_uint_eq(step->site, firing.site);
  if (firing.site != NO_SITE)
    return;
  key_values(x->m->loaded.model, x->m->loaded.layout, x->expanded + at * x->m->loaded.layout->key_words, x->found);
  ck_assert_int_eq(memcmp(x->found, x->after, count * sizeof *x->found), 0);
  ck_assert_int_eq(x->found[count], to);
}

/* Compares the steps of the state in x->values; returns their number. */
static size_t compare_state(struct explored *x, const uint64_t *state) {
  const struct automaton *a = x->m->automaton;
  key_values(x->m->loaded.model, x->m->loaded.layout, state, x->values);
  const uint32_t q = (uint32_t)x->values[x->model->value_count];
  uint64_t valuation;
  const size_t found = x->product->expand_one(x->product, state, x->expanded, x->product_edges);
  ck_assert(key_of_values(x->model, x->factor_layout, x->values, x->key));
  size_t firings = x->factor->expand_one(x->factor, x->key, x->successors, x->factor_edges), at = 0;
  const bool stuck = firings == 0;
  if (q == a->states) {
    ck_assert_uint_eq(found, 0);
    return 0;
  }
  ending += stuck && !x->m->stutters;
  if (!valuation_of(x, firings, &valuation)) { /* the product may permit any edges there */
    failed_atoms++;
    return found;
  }
  if (stuck && x->m->stutters) {
    x->factor_edges[firings++] = (struct step_edge){(uint32_t)x->model->transition_count, 0, NO_SITE};
    memcpy(x->successors, x->key, x->factor_layout->key_words * sizeof *x->key);
  }
  for (size_t i = 0; i < firings; i++) {
    if (x->factor_edges[i].site == NO_SITE)
      key_values(x->model, x->factor_layout, x->successors + i * x->factor_layout->key_words, x->after);
    const uint64_t all = valuation | taken_by(x, x->factor_edges[i].transition);
    const size_t before = at;
    for (size_t e = a->first[q]; e < a->first[q + 1]; e++)
      if (permits(&a->edges[e], all)) {
        if (at < found)
          require_step(x, at, x->factor_edges[i], (uint32_t)(e - a->first[q]), a->edges[e].to);
        at++;
        stutters += stuck;
        failing += x->factor_edges[i].site != NO_SITE;
      }
    if (at == before && has_sink(x, q)) {
      if (at < found)
        require_step(x, at, x->factor_edges[i], (uint32_t)(a->first[q + 1] - a->first[q]), a->states);
      at++;
      blocked++;
    }
  }
  ck_assert_uint_eq(found, at);
  edges += found;
  several += found > firings;
  return found;
}

static bool contains(const uint64_t *list, size_t n, const uint64_t *key, uint32_t words) {
  for (size_t i = 0; i < n; i++)
    if (memcmp(list + i * words, key, words * sizeof *key) == 0)
      return true;
  return false;
}

static void compare_all(struct explored *x) {
  const uint32_t words = x->m->loaded.layout->key_words;
  uint64_t *list = calloc(MOST_STATES * (size_t)words, sizeof *list);
  size_t n = 1;
  ck_assert_int_eq(key_of_initial(x->m->loaded.model, x->m->loaded.layout, list), FLOE_OK);
  for (size_t i = 0; i < n; i++) {
    const size_t count = compare_state(x, list + i * words);
    for (size_t k = 0; k < count && n < MOST_STATES; k++)
      if (x->product_edges[k].site == NO_SITE && !contains(list, n, x->expanded + k * words, words))
        memcpy(list + n++ * words, x->expanded + k * words, words * sizeof *list);
  }
  states += n;
  free(list);
}

static void compare_with_factors(const struct random_product *m, const struct loaded *factor, struct stepper *product) {
  struct explored x = {.m = m, .model = factor->model, .product = product, .factor_layout = factor->layout};
  ck_assert_int_eq(interpreter_create(factor->model, factor->layout, &x.factor), FLOE_OK);
  const size_t values = m->loaded.model->value_count, most = product->max_successors + x.factor->max_successors + 1;
  x.values = calloc(values, sizeof *x.values);
  x.after = calloc(values, sizeof *x.after);
  x.found = calloc(values, sizeof *x.found);
  x.key = calloc(factor->layout->key_words, sizeof *x.key);
  x.successors = calloc(most * factor->layout->key_words, sizeof *x.successors);
  x.expanded = calloc(most * m->loaded.layout->key_words, sizeof *x.expanded);
  x.factor_edges = calloc(most, sizeof *x.factor_edges);
  x.product_edges = calloc(most, sizeof *x.product_edges);
  compare_all(&x);
  x.factor->free(x.factor);
  void *const memory[] = {x.values, x.after, x.found, x.key, x.successors, x.expanded, x.factor_edges, x.product_edges};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    free(memory[i]);
}

static void use_index_keys(void *data) {
  struct loaded *product = data;
  const struct stop stop = {NULL};
  const struct invariants *invariants;
  const struct encoding *encoding;
  struct layout *layout = arena_alloc(&product->arena, sizeof *layout);
  if (invariants_make(product->model, &stop, &product->arena, &invariants) != FLOE_OK ||
      encoding_make(product->model, product->layout, invariants, &product->arena, &encoding) != FLOE_OK)
    return;
  *layout = layout_with_index_keys(product->layout, encoding);
  product->layout = layout;
  indexed++;
}

/* Every third product has index keys, if it can. */
static void compare_product(struct random_model *model) {
  struct random_product m;
  if (random_product_make(&m, model->loaded.model, model->seed + 1)) {
    struct loaded *product = &m.loaded;
    if (model->seed % 3 == 0)
      ck_assert_int_eq(arena_guard(&product->arena, use_index_keys, product), 0);
    struct comparison comparison = {.loaded = product, .max_states = 300, .random_states = 50, .seed = m.seed};
    const floe_status status =
        compiled_create(product->model, product->layout, &quick, product->log, &comparison.other);
    ck_assert_msg(status == FLOE_OK, "%s: %s", model->name, loaded_message(product));
    ck_assert_int_eq(interpreter_create(product->model, product->layout, &comparison.reference), FLOE_OK);
    compare_with_factors(&m, &model->loaded, comparison.reference);
    const bool same = compare_steppers(&comparison);
    ck_assert_msg(same, "%s: %s", model->name, comparison.difference);
    comparison.other->free(comparison.other);
    comparison.reference->free(comparison.reference);
    models++;
  }
  random_product_free(&m);
}

START_TEST(products_of_random_models) {
  each_random_model("plain", random_seeds(20), compare_product);
  each_random_model("lively", random_seeds(20), compare_product);
  each_random_model("wide", random_seeds(20) / 4, compare_product);
  ck_assert_uint_gt(models, 20);
  ck_assert_uint_gt(states, 10 * models);
  ck_assert_uint_gt(edges, states);
  ck_assert_uint_gt(stutters, 0);
  ck_assert_uint_gt(ending, 0);
  ck_assert_uint_gt(failing, 0);
  ck_assert_uint_gt(several, 0);
  ck_assert_uint_gt(indexed, 0);
  ck_assert_uint_gt(enabled, 0);
  ck_assert_uint_gt(taken, 0);
  ck_assert_uint_gt(failed_atoms, 0);
  ck_assert_uint_gt(blocked, 0);
}
END_TEST

int main(void) {
  if (!random_models_possible())
    return 77;
  return suite_end(run_tests("product", CK_NOFORK, products_of_random_models));
}
