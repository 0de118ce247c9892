/* The GPU engine with index keys, with emulated kernels: the same results as the CPU engine with fields, in device
 * memory and with the host-backed set. A wrong invariant ends the search with an error. */
#include "tests/gpu/device/emulated_suite.h"
#include "tests/gpu/device/fake_device.h"

#include "tests/step/explored.h"
#include "tests/step/learned_invariants.h"

#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/engine.h"
#include "step/layout/index_key.h"
#include "step/stepper.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static atomic_bool interrupt;

static const struct run {
  const char *model;
  struct loaded_constant constants[2];
  size_t constant_count;
  enum learning learning;
  const char *table, *test_settings;
  uint64_t gpu_memory; /* device memory, so small that the set becomes host-backed; 0: default */
  bool host_backed;
} runs[] = {
    {"counters", {{"N", "5"}, {"K", "6"}}, 2, LEARN_DECLARED, "iceberg", NULL, 0, false},
    {"counters", {{"N", "5"}, {"K", "6"}}, 2, LEARN_DECLARED, "linear", "blocks=1,levels=3,slice_us=20", 0, false},
    {"counters", {{"N", "5"}, {"K", "6"}}, 2, LEARN_DECLARED, "bitmap", NULL, 0, false},
    {"counters", {{"N", "5"}, {"K", "6"}}, 2, LEARN_DECLARED, "iceberg", NULL, 0, true},
    {"peterson", {{"N", "4"}}, 1, LEARN_PROVED, "iceberg", "slice_us=20,batch=100", 0, true},
    {"philosophers", {{"N", "8"}, {"LEFT", "0"}}, 2, LEARN_PROVED, "iceberg", NULL, 0, false},
};
enum { RUNS = sizeof runs / sizeof *runs };

static void load(const struct run *run, struct loaded *loaded) {
  char model[100];
  snprintf(model, sizeof model, "models/%s", run->model);
  explored_load(loaded, model, run->constants, run->constant_count);
}

static floe_options options_of(const struct run *run, bool on_gpu) {
  return (floe_options){.threads = 1,
                        .table = on_gpu ? run->table : "iceberg",
                        .memory = 64 * MEBIBYTE,
                        .gpu_memory = run->gpu_memory,
                        .max_depth = UINT32_MAX,
                        .max_states = UINT64_MAX,
                        .cache_dir = "",
                        .progress_seconds = 1000,
                        .keep_going = true};
}

static floe_status explore(struct loaded *loaded, const struct run *run, bool on_gpu, struct engine_outcome *out) {
  const floe_options options = options_of(run, on_gpu);
  struct stepper *stepper;
  struct search *search = NULL;
  uint64_t initial;
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, &initial), FLOE_OK);
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  struct fake_settings device = {.memory = 64 * MEBIBYTE,
                                 .multiprocessors = 2,
                                 .seed = 1,
                                 .host_memory = 64 * MEBIBYTE,
                                 .stop_percent = 10,
                                 .stepper = stepper,
                                 .model = loaded->model};
  struct gpu *gpu = fake_open(&device);
  struct engine_task task = {.model = loaded->model,
                             .layout = loaded->layout,
                             .initial = &initial,
                             .stepper = stepper,
                             .options = &options,
                             .property_mask = (UINT64_C(1) << loaded->model->property_count) - 1,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .devices.host_backed = on_gpu && run->host_backed,
                             .devices.gpus = &gpu,
                             .devices.count = 1};
  const struct engine *engine = on_gpu ? &engine_gpu : &engine_cpu;
  setenv("FLOE_GPU_TEST", run->test_settings ? run->test_settings : "", 1);
  task.devices.count = on_gpu;
  floe_status status = engine->prepare(&task, loaded->log, &search);
  if (status == FLOE_OK)
    status = engine->explore(search, out);
  engine->drop(search);
  ck_assert_uint_eq(fake_close(gpu), 0);
  stepper->free(stepper);
  return status;
}

static void by_rank(const struct run *run, struct loaded *loaded) {
  struct invariants *invariants = learn_invariants(loaded, run->learning, 0);
  ck_assert_msg(invariants && use_index_keys(loaded, invariants), "%s", run->model);
}

/* (Witnesses differ: they are the least keys of their levels.) */
static void compare(const struct engine_outcome *fields, const struct engine_outcome *ranks) {
  ck_assert_int_eq(fields->end, ranks->end);
  ck_assert_uint_eq(fields->states, ranks->states);
  ck_assert_uint_eq(fields->transitions, ranks->transitions);
  ck_assert_uint_eq(fields->deadlocks, ranks->deadlocks);
  ck_assert_uint_eq(fields->checksum, ranks->checksum);
  ck_assert_uint_eq(fields->levels, ranks->levels);
  for (uint32_t i = 0; i < fields->levels; i++)
    ck_assert_uint_eq(fields->level_states[i], ranks->level_states[i]);
  for (size_t i = 0; i < fields->property_count; i++) {
    ck_assert_int_eq(fields->violations[i].violation, ranks->violations[i].violation);
    ck_assert(!fields->violations[i].violation || fields->violations[i].depth == ranks->violations[i].depth);
  }
}

START_TEST(searches_find_the_same) {
  struct loaded loaded;
  struct engine_outcome fields, ranks;
  load(&runs[_i], &loaded);
  ck_assert_int_eq(explore(&loaded, &runs[_i], false, &fields), FLOE_OK);
  by_rank(&runs[_i], &loaded);
  const floe_status status = explore(&loaded, &runs[_i], true, &ranks);
  ck_assert_msg(status == FLOE_OK, "%s: %d, %s", runs[_i].model, (int)status, loaded_message(&loaded));
  ck_assert(ranks.gpu.host_backed == runs[_i].host_backed);
  compare(&fields, &ranks);
  engine_outcome_free(&fields);
  engine_outcome_free(&ranks);
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

/* The wrong invariant that a counter never has its greatest value; in device memory and with the host-backed set. */
START_TEST(a_fact_that_is_not_so_ends_the_search) {
  const struct run *run = &runs[_i ? 3 : 0];
  struct loaded loaded;
  struct engine_outcome outcome;
  load(run, &loaded);
  struct invariants *invariants = learn_invariants(&loaded, LEARN_DECLARED, 0);
  struct value_interval *ranges = (struct value_interval *)(uintptr_t)invariants->ranges;
  ranges[loaded.model->value_count - 1].hi--;
  ck_assert(use_index_keys(&loaded, invariants));
  ck_assert_int_eq(explore(&loaded, run, true, &outcome), FLOE_ERROR_INTERNAL);
  ck_assert_msg(strstr(loaded_message(&loaded), "internal error") != NULL, "%s", loaded_message(&loaded));
  loaded_free(&loaded);
  emulated_forget();
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *tcase = tcase_create("engine ranks");
  tcase_add_loop_test(tcase, searches_find_the_same, 0, RUNS);
  tcase_add_loop_test(tcase, a_fact_that_is_not_so_ends_the_search, 0, 2);
  return emulated_run("engine ranks", tcase);
}
