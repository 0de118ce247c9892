/* Accepting cycles of products of random models and formulas, found by the CPU engine, compared with reachability in
   the explicit product; each cycle is executed. One and three threads, flat and multiword states; also sought between
   levels. */
#include "core/system/clock.h"
#include "engine/cycles/depth_first.h"
#include "engine/engine.h"
#include "engine/path.h"
#include "model/interpreter/interpreter.h"
#include "reachability.h"
#include "tests/engine/cycles/accepting.h"
#include "tests/step/random_model.h"
#include "tests/step/random_product.h"
#include "tests/suite.h"

#include <string.h>

enum { MOST = REACHABILITY_MOST, MOST_STEPS = 6000 };

static size_t by_depth, cycles_by_depth, products, with_cycle, multiword, weak, fair, fair_cycle, decided, spared;

/* ---- the explicit product ------------------------------------------------------------------------- */

struct explicit {
  uint64_t *keys; /* [MOST * words] */
  unsigned count, steps;
  struct marked_edge step[MOST_STEPS];
  uint64_t enabled[MOST]; /* constraints of fairness */
  bool too_large;
};

static unsigned index_of(struct explicit *x, const uint64_t *key, uint32_t words) {
  for (unsigned i = 0; i < x->count; i++)
    if (memcmp(x->keys + i * words, key, words * sizeof *key) == 0)
      return i;
  if (x->count == MOST) {
    x->too_large = true;
    return 0;
  }
  memcpy(x->keys + x->count * words, key, words * sizeof *key);
  return x->count++;
}

static void explore(struct explicit *x, const struct random_product *m, const struct stepper *stepper) {
  const struct loaded *product = &m->loaded;
  const struct model_automaton *a = product->model->automaton;
  const uint32_t words = product->layout->key_words;
  uint64_t *successors = calloc((size_t)stepper->max_successors * words, sizeof *successors);
  struct step_edge *edges = calloc(stepper->max_successors, sizeof *edges);
  int64_t *values = calloc(product->model->value_count, sizeof *values);
  x->count = 1;
  ck_assert_int_eq(key_of_initial(product->model, product->layout, x->keys), FLOE_OK);
  for (unsigned i = 0; i < x->count && !x->too_large; i++) {
    key_values(product->model, product->layout, x->keys + i * words, values);
    const int64_t state = values[product->model->variables[a->variable].first];
    const size_t n = stepper->expand_one(stepper, x->keys + i * words, successors, edges);
    x->enabled[i] = enabled_in(m, values);
    for (size_t k = 0; k < n && !x->too_large; k++)
      if (edges[k].site == NO_SITE) {
        x->too_large = x->steps == MOST_STEPS;
        if (x->too_large)
          break;
        x->step[x->steps].from = i;
        x->step[x->steps].to = index_of(x, successors + k * words, words);
        x->step[x->steps++].marks = a->accepting[state * a->degree + edges[k].choice % a->degree] |
                                    a->fairness[edges[k].transition] | (a->weak_fair & ~x->enabled[i]);
      }
  }
  free(successors);
  free(edges);
  free(values);
}

static bool has_accepting_cycle(const struct explicit *x, const struct model_automaton *a) {
  return has_fair_cycle(x->step, x->steps, x->count, x->enabled, a->sets | a->weak_fair, a->strong_fair, NULL);
}

/* ---- the engine ----------------------------------------------------------------------------------- */

static struct engine_outcome run(const struct loaded *product, struct stepper *stepper, unsigned threads,
                                 uint64_t first_attempt) {
  static atomic_bool interrupt;
  const floe_options options = {.threads = threads,
                                .table = "iceberg",
                                .memory = UINT64_C(1) << 30,
                                .max_depth = UINT32_MAX,
                                .max_states = UINT64_MAX,
                                .progress_seconds = 1};
  uint64_t initial[16];
  ck_assert_uint_le(product->layout->key_words, 16);
  ck_assert_int_eq(key_of_initial(product->model, product->layout, initial), FLOE_OK);
  const struct engine_task task = {.model = product->model,
                                   .layout = product->layout,
                                   .initial = initial,
                                   .stepper = stepper,
                                   .options = &options,
                                   .limits.interrupt = &interrupt,
                                   .limits.started = clock_seconds(),
                                   .cycles = true,
                                   .first_attempt = first_attempt};
  struct engine_outcome outcome;
  ck_assert_int_eq(engine_run(&engine_cpu, &task, product->log, &outcome), FLOE_OK);
  if (!first_attempt || !outcome.cycles.exists)
    ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  ck_assert_int_eq(outcome.cycles.status, FLOE_OK);
  return outcome;
}

static void require_same(const struct loaded *product, const struct engine_outcome *a, const struct engine_outcome *b) {
  ck_assert_int_eq(a->end, b->end);
  ck_assert_uint_eq(a->states, b->states);
  ck_assert_uint_eq(a->transitions, b->transitions);
  ck_assert_uint_eq(a->checksum, b->checksum);
  ck_assert_int_eq(a->cycles.exists, b->cycles.exists);
  if (!a->cycles.exists)
    return;
  ck_assert_uint_eq(a->cycles.cycle->steps, b->cycles.cycle->steps);
  ck_assert_mem_eq(a->cycles.cycle->states, b->cycles.cycle->states,
                   a->cycles.cycle->steps * product->layout->key_words * sizeof(uint64_t));
}

/* Attempts between levels end the search only with a cycle of the product, and do not depend on threads. Without a
   cycle, all states are found as without attempts. */
static void require_attempts(const struct random_product *m, struct stepper *stepper,
                             const struct engine_outcome *whole) {
  const struct loaded *product = &m->loaded;
  struct engine_outcome first = run(product, stepper, 1, 2);
  struct engine_outcome second = run(product, stepper, 3, 2);
  require_same(product, &first, &second);
  ck_assert_int_eq(first.cycles.exists, whole->cycles.exists);
  if (first.end == FLOE_END_DECIDED) {
    require_accepting(m, first.cycles.cycle);
    ck_assert_uint_eq(first.cycles.fair_processes, 0);
    ck_assert_uint_lt(first.states, whole->states + 1);
    decided++;
    spared += first.states < whole->states;
  } else {
    require_same(product, &first, whole);
  }
  engine_outcome_free(&first);
  engine_outcome_free(&second);
}

static void require_outcome(const struct random_product *m, struct stepper *stepper, bool right, const char *name) {
  const struct loaded *product = &m->loaded;
  struct engine_outcome first = run(product, stepper, 1, 0);
  struct engine_outcome second = run(product, stepper, 3, 0);
  ck_assert_msg(first.cycles.exists == right, "%s: a cycle was %s", name, right ? "not found" : "found");
  ck_assert_msg(second.cycles.exists == right, "%s, three threads: a cycle was %s", name,
                right ? "not found" : "found");
  require_same(product, &first, &second);
  if (right)
    require_accepting(m, first.cycles.cycle);
  require_attempts(m, stepper, &first);
  engine_outcome_free(&first);
  engine_outcome_free(&second);
}

/* The depth-first search has the same result, or none: with strong fairness, a failing firing, or a bound that is too
   small. */
static void require_depth_first(const struct random_product *m, const struct stepper *stepper, uint64_t states,
                                bool right, const char *name) {
  struct depth_first_task task = {m->loaded.model, m->loaded.layout, stepper, states, {.interrupt = NULL}};
  const enum depth_first_result result = depth_first_search(&task);
  ck_assert_msg(result != DEPTH_FIRST_CYCLE || right, "%s, depth first: a cycle was found", name);
  ck_assert_msg(result != DEPTH_FIRST_NONE || !right, "%s, depth first: a cycle was not found", name);
  by_depth += result != DEPTH_FIRST_UNKNOWN;
  cycles_by_depth += result == DEPTH_FIRST_CYCLE;
  if (!m->loaded.model->automaton->strong_fair && right)
    ck_assert_int_eq(result, DEPTH_FIRST_CYCLE);
  task.most = states - 1;
  ck_assert(states == 1 || depth_first_search(&task) != DEPTH_FIRST_NONE);
}

static void check_product(struct random_model *model) {
  struct random_product product;
  if (random_product_make(&product, model->loaded.model, model->seed + 77)) {
    struct stepper *stepper;
    struct explicit x = {.keys = calloc(MOST * (size_t)product.loaded.layout->key_words, sizeof *x.keys)};
    ck_assert_int_eq(interpreter_create(product.loaded.model, product.loaded.layout, &stepper), FLOE_OK);
    explore(&x, &product, stepper);
    if (!x.too_large) {
      const bool right = has_accepting_cycle(&x, product.loaded.model->automaton);
      require_outcome(&product, stepper, right, model->name);
      require_depth_first(&product, stepper, x.count, right, model->name);
      products++;
      with_cycle += right;
      multiword += product.loaded.layout->key_words > 1;
      weak += product.loaded.model->automaton->weak;
      fair += product.fairness.count > 0;
      fair_cycle += product.fairness.count > 0 && right;
    }
    stepper->free(stepper);
    free(x.keys);
  }
  random_product_free(&product);
}

START_TEST(products_of_random_models) {
  each_random_model("plain", random_seeds(60), check_product);
  each_random_model("lively", random_seeds(60), check_product);
  each_random_model("wide", random_seeds(60) / 2, check_product);
  ck_assert_uint_gt(products, 30);
  ck_assert_uint_gt(with_cycle, 10);
  ck_assert_uint_gt(products - with_cycle, 10);
  ck_assert_uint_gt(multiword, 0);
  ck_assert_uint_gt(products - weak, 2);
  ck_assert_uint_gt(fair, 20);
  ck_assert_uint_gt(fair_cycle, 4);
  ck_assert_uint_gt(decided, 5);
  ck_assert_uint_gt(cycles_by_depth, 10);
  ck_assert_uint_gt(by_depth - cycles_by_depth, 5);
  ck_assert_uint_gt(spared, 3);
}
END_TEST

int main(void) {
  if (!random_models_possible())
    return 77;
  return suite_end(run_tests("product_cycles", CK_NOFORK, products_of_random_models));
}
