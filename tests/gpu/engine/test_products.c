/* Products of random models and automata on the emulated GPU: the same states, certificates, firings and accepting
   cycles as on the CPU, in iceberg tables and bitmaps, with fields and index keys, states of one word and of several.
 */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_device.h"
#include "tests/gpu/device/small_host.h"

#include "tests/engine/cycles/accepting.h"
#include "tests/engine/outcomes.h"
#include "tests/step/explored.h"
#include "tests/step/learned_invariants.h"
#include "tests/step/random_model.h"
#include "tests/step/random_product.h"

#include "core/system/clock.h"
#include "engine/engine.h"
#include "engine/path.h"
#include "step/stepper.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

enum { MOST_BITMAP_BITS = 22, MOST_STATES = 20000, MOST_WORDS = 64 };

static atomic_bool interrupt;
static size_t products, multiword, bitmaps, indexed, deadlocking, with_cycle, general, weak, strong, attempted, decided,
    spared;

/* ---- engines ---------------------------------------------------------------------------------------- */

static floe_options options_of(const char *table) {
  return (floe_options){.threads = 1,
                        .table = table,
                        .memory = 256 * MEBIBYTE,
                        .max_depth = UINT32_MAX,
                        .max_states = MOST_STATES,
                        .initial_slots = 500,
                        .cache_dir = "",
                        .progress_seconds = 1000,
                        .keep_going = true};
}

/* With `device` on that GPU, else on the CPU. first_attempt: of struct engine_task. */
static struct engine_outcome explore_with(const struct loaded *product, const char *table, struct fake_settings *device,
                                          uint64_t first_attempt) {
  const floe_options options = options_of(table);
  uint64_t initial[MOST_WORDS];
  struct stepper *stepper;
  struct search *search = NULL;
  struct engine_outcome outcome;
  struct gpu *gpu = NULL;
  ck_assert_uint_le(product->layout->key_words, MOST_WORDS);
  ck_assert_int_eq(key_of_initial(product->model, product->layout, initial), FLOE_OK);
  ck_assert_int_eq(interpreter_create(product->model, product->layout, &stepper), FLOE_OK);
  struct engine_task task = {.model = product->model,
                             .layout = product->layout,
                             .initial = initial,
                             .stepper = stepper,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << product->model->property_count) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .cycles = true,
                             .first_attempt = first_attempt};
  if (device) {
    device->stepper = stepper;
    device->model = product->model;
    gpu = fake_open(device);
    task.devices.gpus = &gpu;
    task.devices.count = 1;
  }
  const struct engine *engine = device ? &engine_gpu : &engine_cpu;
  floe_status status = engine->prepare(&task, product->log, &search);
  if (status == FLOE_OK)
    status = engine->explore(search, &outcome);
  engine->drop(search);
  if (gpu)
    ck_assert_uint_eq(fake_close(gpu), 0);
  ck_assert_msg(status == FLOE_OK, "%s, status %d: %s", table, (int)status, loaded_message(product));
  stepper->free(stepper);
  return outcome;
}

static struct engine_outcome explore(const struct loaded *product, const char *table, struct fake_settings *device) {
  return explore_with(product, table, device, 0);
}

static struct engine_outcome explore_on_gpu(const struct loaded *product, const char *table, uint64_t seed,
                                            uint64_t first_attempt) {
  struct fake_settings device = {
      .memory = 64 * MEBIBYTE, .multiprocessors = 1, .seed = seed, .host_memory = 64 * MEBIBYTE, .stop_percent = 10};
  return explore_with(product, table, &device, first_attempt);
}

/* ---- comparisons ------------------------------------------------------------------------------------ */

static void compare_cycles(const struct loaded *product, const struct outcome_cycles *a,
                           const struct outcome_cycles *b) {
  const size_t words = product->layout->key_words;
  ck_assert_int_eq(a->status, FLOE_OK);
  ck_assert_msg(b->status == FLOE_OK, "status %d: %s", (int)b->status, loaded_message(product));
  ck_assert_int_eq(b->exists, a->exists);
  ck_assert_uint_eq(b->candidates, a->candidates);
  if (!product->model->automaton->strong_fair) { /* states whose steps all fail may be removed earlier */
    ck_assert_uint_eq(b->passes, a->passes);
    ck_assert_uint_eq(b->expanded, a->expanded);
  }
  ck_assert_uint_eq(b->fair_processes, a->fair_processes);
  ck_assert_int_eq(b->fair_strong, a->fair_strong);
  if (!a->exists)
    return;
  ck_assert_ptr_nonnull(b->cycle);
  ck_assert_uint_eq(b->cycle->steps, a->cycle->steps);
  ck_assert_mem_eq(b->cycle->states, a->cycle->states, (a->cycle->steps + (size_t)1) * words * sizeof(uint64_t));
  ck_assert_mem_eq(b->cycle->edges, a->cycle->edges, a->cycle->steps * sizeof *a->cycle->edges);
}

static void compare(const struct loaded *product, const char *table, uint64_t seed,
                    const struct engine_outcome *expected) {
  struct engine_outcome found = explore_on_gpu(product, table, seed, 0);
  outcomes_same(product, expected, &found);
  compare_cycles(product, &expected->cycles, &found.cycles);
  engine_outcome_free(&found);
}

/* Attempts between levels end the search only with a cycle of the product. Otherwise the result is the same. */
static void compare_attempts(const struct random_product *product, const char *table, uint64_t seed,
                             const struct engine_outcome *expected) {
  struct engine_outcome found = explore_on_gpu(&product->loaded, table, seed, 2);
  ck_assert_int_eq(found.cycles.exists, expected->cycles.exists);
  if (found.end == FLOE_END_DECIDED) {
    ck_assert_int_eq(found.cycles.status, FLOE_OK);
    require_accepting(product, found.cycles.cycle);
    ck_assert_uint_eq(found.cycles.fair_processes, 0);
    ck_assert_uint_le(found.states, expected->states);
    decided++;
    spared += found.states < expected->states;
  } else {
    outcomes_same(&product->loaded, expected, &found);
    compare_cycles(&product->loaded, &expected->cycles, &found.cycles);
  }
  attempted++;
  engine_outcome_free(&found);
}

/* Small buffers, so that states with more successors fire again; and one that never holds the expected successors, so
   that groups of transitions fire one by one. */
static void compare_buffers(struct loaded *product) {
  static const unsigned buffers[] = {2, 13};
  const struct small_settings plain = {.name = "buffers", .slots = 1 << 16, .level_capacity = 64, .grid = {2, 1, 10}};
  struct engine_outcome expected = explored(product);
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    struct small_settings settings = plain;
    struct small_outcome found;
    settings.buffer = buffers[i];
    ck_assert(small_host_run(product, &settings, &found));
    explored_compare(&expected, &found.result, product->model);
    small_host_free(&found);
  }
  engine_outcome_free(&expected);
}

/* Index keys need other witnesses, so both engines use them. */
static void compare_with_index_keys(struct loaded *product, uint64_t seed) {
  struct invariants *invariants = learn_invariants(product, LEARN_ALL, MOST_STATES);
  if (!invariants || !use_index_keys(product, invariants))
    return;
  struct engine_outcome expected = explore(product, "iceberg", NULL);
  compare(product, "iceberg", seed, &expected);
  engine_outcome_free(&expected);
  indexed++;
}

static void compare_product(struct random_model *model) {
  struct random_product product;
  bool made = random_product_make(&product, model->loaded.model, model->seed + 31);
  if (model->seed % 4 > 0 && !product.stutters) { /* a deadlock is tested by those that stutter */
    random_product_free(&product);
    made = random_product_make(&product, model->loaded.model, model->seed + 97);
  }
  struct loaded *loaded = &product.loaded;
  if (made) {
    struct engine_outcome expected = explore(loaded, "iceberg", NULL);
    if (expected.end == FLOE_END_COMPLETE && expected.states > 3) {
      compare(loaded, "iceberg", model->seed, &expected);
      if (loaded->layout->bits <= MOST_BITMAP_BITS && loaded->layout->key_words == 1 && ++bitmaps)
        compare(loaded, "bitmap", model->seed, &expected);
      if (loaded->layout->key_words == 1)
        compare_attempts(&product, loaded->layout->bits <= MOST_BITMAP_BITS && model->seed % 2 ? "bitmap" : "iceberg",
                         model->seed, &expected);
      products++;
      with_cycle += expected.cycles.exists;
      weak += loaded->model->automaton->weak_fair != 0;
      strong += loaded->model->automaton->strong_fair != 0;
      general += !loaded->model->automaton->weak;
      multiword += loaded->layout->key_words > 1;
      deadlocking += product.stutters && expected.fired[loaded->model->transition_count - 1] > 0;
      if (model->seed % 3 == 1 && loaded->layout->key_words == 1)
        compare_buffers(loaded);
      if (model->seed % 3 == 0)
        compare_with_index_keys(loaded, model->seed);
    }
    engine_outcome_free(&expected);
  }
  random_product_free(&product);
  emulated_forget();
}

START_TEST(products_of_random_models) {
  each_random_model("plain", random_seeds(at_length() ? 15 : 9), compare_product);
  each_random_model("lively", random_seeds(at_length() ? 6 : 4), compare_product);
  each_random_model("wide", random_seeds(at_length() ? 6 : 4), compare_product);
  printf("%zu products, %zu of several words, %zu bitmaps, %zu with index keys, %zu with deadlocks, "
         "%zu with cycles, %zu of general automata, %zu with weak fairness, %zu with strong, %zu with attempts, "
         "%zu decided by them, %zu before all states were found\n",
         products, multiword, bitmaps, indexed, deadlocking, with_cycle, general, weak, strong, attempted, decided,
         spared);
  ck_assert_uint_gt(products, 8);
  ck_assert_uint_gt(multiword, 0);
  ck_assert_uint_gt(bitmaps, 0);
  ck_assert_uint_gt(indexed, 0);
  ck_assert_uint_gt(with_cycle, 2);
  ck_assert_uint_gt(products - with_cycle, 1);
  ck_assert_uint_gt(general, 0);
  ck_assert_uint_gt(weak, 0);
  ck_assert_uint_gt(strong, 0);
  ck_assert_uint_gt(deadlocking, 0);
  ck_assert_uint_gt(attempted, 4);
  ck_assert_uint_gt(decided, 0);
  ck_assert_uint_gt(spared, 0);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  if (!random_models_possible())
    return 77;
  TCase *tcase = tcase_create("products");
  tcase_add_test(tcase, products_of_random_models);
  return emulated_run("products", tcase);
}
