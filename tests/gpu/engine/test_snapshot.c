/* Searches interrupted repeatedly, at random points, and resumed from their files on other engines, tables and numbers
 * of threads: the outcome is that of a search without a break. Devices are fake (fake_device.h) or emulated (EMULATED).
 */
#ifdef EMULATED
#include "tests/gpu/device/emulated.h"
#endif

#include "base/splitmix64.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/engine.h"
#include "engine/snapshot/snapshot.h"
#include "engine_pair.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct subject subjects[] = {
    {"counters", {{"N", "5"}, {"K", "6"}}},
    {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, /* errors */
    {"peterson", {{"N", "4"}, {"LEVELS", "2"}}},           /* violated */
    {"philosophers", {{"N", "9"}, {"LEFT", "0"}}},         /* deadlock */
    {"tests/gpu/engine/chains", {{"LENGTH", "11"}}},       /* multiword states */
    {"tests/engine/errors/several", {{NULL, NULL}}},
    {"tests/engine/errors/flood", {{NULL, NULL}}},
    {"tests/engine/errors/later", {{NULL, NULL}}},
    {"tests/engine/errors/cut", {{NULL, NULL}}},
    {"needham", {{"A", "2"}, {"B", "2"}, {"FIXED", "0"}}},
    {"counters", {{"N", "6"}, {"K", "6"}}},
};
#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))

/* ---- chance -------------------------------------------------------------------------------------- */

static uint64_t chance_state;

static unsigned chance(unsigned below) { return (unsigned)(splitmix64_next(&chance_state) % below); }

/* ---- one run ------------------------------------------------------------------------------------- */

/* A search from one file to the next. */
struct leg {
  bool gpu, host_backed, any_table;
  floe_options options;
  struct fake_settings device;
  const char *test_settings;
  double every;
  uint64_t first_numbers;
  unsigned looks; /* looks at the clock before the interrupt; 0: none */
};

static char path[100];
static unsigned looks_left;

static void count_look(const floe_progress *progress, void *user) {
  (void)progress, (void)user;
  if (looks_left > 0 && --looks_left == 0)
    atomic_store(&pair_interrupt, true);
}

static struct leg plain(void) {
  return (struct leg){.options = {.threads = 1,
                                  .table = "iceberg",
                                  .memory = 64 * MEBIBYTE,
                                  .max_depth = UINT32_MAX,
                                  .max_states = UINT64_MAX,
                                  .cache_dir = "",
                                  .progress = count_look,
                                  .progress_seconds = 0},
                      .device = {.memory = 64 * MEBIBYTE, .multiprocessors = 1, .host_memory = 64 * MEBIBYTE}};
}

static floe_status run(const struct engine *engine, struct engine_task *task, struct pair *pair, const struct leg *leg,
                       struct engine_outcome *out) {
  if (!leg->gpu)
    return engine_run(engine, task, pair->loaded.log, out);
  struct fake_settings device = leg->device;
  device.stepper = pair->stepper;
  device.model = pair->loaded.model;
  struct gpu *gpu = fake_open(&device);
  task->devices.gpus = &gpu;
  task->devices.count = 1;
  setenv("FLOE_GPU_TEST", leg->test_settings ? leg->test_settings : "", 1);
  floe_status status = engine_run(engine, task, pair->loaded.log, out);
  ck_assert_uint_eq(fake_close(gpu), 0);
  return status;
}

/* `on`: the search resumes from the file. */
static floe_status try_leg(struct pair *pair, const struct leg *leg, bool keep, bool on, struct engine_outcome *out) {
  const struct checkpoint_head head = {
      .model = "m", .file = "", .bits = pair->loaded.layout->bits, .words = pair->loaded.layout->words};
  const struct checkpoint_policy checkpoint_policy = {.path = path, .every = leg->every, .head = &head};
  struct checkpoint_reader *from = NULL;
  if (on)
    ck_assert_int_eq(checkpoint_open(path, pair->loaded.log, &from), FLOE_OK);
  struct engine_task task = {.model = pair->loaded.model,
                             .layout = pair->loaded.layout,
                             .initial = pair->initial,
                             .stepper = pair->stepper,
                             .options = &leg->options,
                             .property_mask = UINT64_MAX >> (64 - pair->loaded.model->property_count),
                             .limits.interrupt = &pair_interrupt,
                             .limits.started = clock_seconds(),
                             .snapshot.policy = keep ? &checkpoint_policy : NULL,
                             .snapshot.from = from,
                             .devices.host_backed = leg->host_backed,
                             .first_tree_slots = leg->first_numbers,
                             .any_table = leg->any_table};
  looks_left = leg->looks;
  floe_status status = run(leg->gpu ? &engine_gpu : &engine_cpu, &task, pair, leg, out);
  atomic_store(&pair_interrupt, false);
  checkpoint_close(from);
  return status;
}

/* ---- chains of runs ------------------------------------------------------------------------------ */

#ifdef EMULATED
#define MOST_LOOKS 6
#else
#define MOST_LOOKS 40
#endif

static const char *const tunings[] = {"blocks=1,levels=3,slice_us=20",
                                      "blocks=1,queue=1,slice_us=50",
                                      "blocks=1,fill=100,slice_us=100",
                                      "blocks=1",
                                      "blocks=1,bitmap=1",
                                      "blocks=1,bitmap=1,fill=40,slice_us=50"};
static const char *const tables[] = {"iceberg", "linear", "bitmap"};
/* Bitmaps of models with more keys are larger than the devices. */
#ifdef EMULATED
#define MOST_KEYS (UINT64_C(1) << 20)
#else
#define MOST_KEYS (UINT64_C(1) << 25)
#endif

/* A random engine, table, size and memory: everything that a resumed search may change. */
static struct leg some_leg(const struct pair *pair) {
  struct leg leg = plain();
  leg.gpu = chance(2);
  leg.options.threads = 1 + chance(4);
  const uint64_t keys = pair->loaded.layout->keys;
  leg.options.table = tables[chance(keys && keys <= MOST_KEYS ? 3 : 2)];
  leg.options.initial_slots = chance(2) ? 256 : 0;
  leg.every = chance(6) ? 0 : 1e-9;
  leg.looks = 1 + chance(MOST_LOOKS);
  leg.test_settings = tunings[chance(6)];
#ifdef EMULATED
  leg.host_backed = leg.gpu && chance(3) == 0;
#endif
  if (pair->loaded.layout->words > 1) {
    leg.host_backed = false;
#ifndef EMULATED
    leg.gpu = false; /* fake kernels support keys of one word only */
#endif
  }
  leg.first_numbers = chance(2) ? 4 : 0;
  leg.device.seed = chance(1000);
  leg.device.stop_percent = 10 + chance(40);
  leg.device.full_percent = chance(2) ? 10 : 0;
  if (chance(4) == 0) { /* may be too little to continue or to begin */
    leg.options.memory = 150000 + chance(400000);
    leg.options.gpu_memory = MEBIBYTE + chance(MEBIBYTE);
    leg.device.host_memory = 100000 + chance(MEBIBYTE);
  }
  return leg;
}

static struct engine_outcome reference(struct pair *pair, bool keep_going) {
  struct leg leg = plain();
  struct engine_outcome outcome;
  leg.options.keep_going = keep_going;
  ck_assert_int_eq(try_leg(pair, &leg, false, false, &outcome), FLOE_OK);
  return outcome;
}

/* Continues until the search is complete; *legs counts the runs, *ends those that ran out of memory. */
static struct engine_outcome chain(struct pair *pair, bool keep_going, unsigned *legs, unsigned *ends,
                                   unsigned *host_backed_runs) {
  bool on = false;
  for (unsigned tries = 0;; tries++) {
    struct leg leg = tries < 2000 ? some_leg(pair) : plain();
    struct engine_outcome outcome;
    leg.options.keep_going = keep_going;
    floe_status status = try_leg(pair, &leg, true, on, &outcome);
    ck_assert_msg(status == FLOE_OK || status == FLOE_ERROR_MEMORY, "%d: %s", (int)status,
                  loaded_message(&pair->loaded));
    if (status != FLOE_OK)
      continue;
    ck_assert_msg(!outcome.checkpoint_failed, "%s", loaded_message(&pair->loaded));
    if (outcome.end != FLOE_END_INTERRUPT && outcome.end != FLOE_END_MEMORY)
      return outcome;
    *legs += 1;
    *host_backed_runs += outcome.gpu.host_backed;
    *ends += outcome.end == FLOE_END_MEMORY;
    on = access(path, F_OK) == 0;
    engine_outcome_free(&outcome);
  }
}

#ifdef EMULATED
#define CHAINS (everything() ? 8 : 1)
#define EACH (at_length() ? 1 : 2) /* `make check`: a chain for each model, after violations or not */
#define CHAIN_SUBJECTS 5
#else
#define CHAINS (everything() ? 200 : at_length() ? 12 : 3)
#define EACH 1
#define CHAIN_SUBJECTS SUBJECTS
#endif

START_TEST(test_chain) {
  struct pair pair;
  unsigned legs = 0, ends = 0, host_backed_runs = 0;
  pair_open(&pair, &subjects[_i]);
  for (int i = _i % EACH; i < 2 * CHAINS; i += EACH) {
    chance_state = (uint64_t)(1000 * _i + i);
    unlink(path);
    struct engine_outcome whole = reference(&pair, i % 2);
    struct engine_outcome broken = chain(&pair, i % 2, &legs, &ends, &host_backed_runs);
    pair_compare(&pair, &whole, &broken);
    engine_outcome_free(&whole);
    engine_outcome_free(&broken);
  }
  printf("%-28s %u breaks, %u of them by memory, %u host-backed\n", subjects[_i].model, legs, ends, host_backed_runs);
#ifdef EMULATED
  emulated_forget();
#endif
  pair_close(&pair);
}
END_TEST

/* ---- the end of the host's memory ---------------------------------------------------------------- */

#ifdef EMULATED
/* Memory is exhausted in `small`, which leaves a file; the search resumes from it to its end, on a GPU or a CPU. */
static void ends_and_goes_on(struct pair *pair, const struct leg *small, bool on_gpu) {
  struct leg large = plain();
  struct engine_outcome whole = reference(pair, true), first, second;
  unlink(path);
  ck_assert_int_eq(try_leg(pair, small, true, false, &first), FLOE_OK);
  ck_assert_int_eq(first.end, FLOE_END_MEMORY);
  ck_assert_uint_lt(first.states, whole.states);
  ck_assert_msg(!first.checkpoint_failed && access(path, F_OK) == 0, "%s", loaded_message(&pair->loaded));
  large.options.keep_going = true;
  large.gpu = on_gpu;
  ck_assert_int_eq(try_leg(pair, &large, true, true, &second), FLOE_OK);
  pair_compare(pair, &whole, &second);
  engine_outcome_free(&whole);
  engine_outcome_free(&first);
  engine_outcome_free(&second);
  emulated_forget();
}

/* Memory is exhausted within a batch of the host-backed set, which then refuses keys. */
START_TEST(test_memory_ends) {
  /* keys of 25 bits: too many for a bitmap */
  static const struct subject wide = {"counters", {{"N", "5"}, {"K", "8"}, {"STEP", "4"}}};
  struct pair pair;
  struct leg small = plain();
  pair_open(&pair, &wide);
  small.gpu = small.host_backed = small.options.keep_going = true;
  small.test_settings = "blocks=1,batch=200";
  small.options.memory = (uint64_t)(320 + 5 * _i) << 10;
  ends_and_goes_on(&pair, &small, _i % 2);
  pair_close(&pair);
}
END_TEST
#define MEMORIES 3

/* Device memory has no room for a larger tree table: successors without roots are stored in full. */
START_TEST(test_tree_ends) {
  static const struct subject wide = {"tests/gpu/engine/chains", {{"LENGTH", "40"}, {"TOP", "1"}}};
  struct pair pair;
  struct leg small = plain();
  pair_open(&pair, &wide);
  small.gpu = small.options.keep_going = true;
  small.test_settings = "blocks=1,names=6000";
  small.options.initial_slots = 6000000; /* which leave too little memory for a larger table */
  small.device.memory = (UINT64_C(15000) + 128 * (uint64_t)_i) << 10;
  ends_and_goes_on(&pair, &small, _i % 2);
  pair_close(&pair);
}
END_TEST

/* A checkpoint from another machine is resumed on a device whose memory does not hold its states. */
START_TEST(test_too_large) {
  static const struct subject large = {"counters", {{"N", "3"}, {"K", "50"}}};
  struct pair pair;
  struct leg first = plain(), small = plain();
  struct engine_outcome broken, rest;
  pair_open(&pair, &large);
  struct engine_outcome whole = reference(&pair, true);
  first.options.keep_going = small.options.keep_going = true;
  first.options.max_states = 115000;
  unlink(path);
  ck_assert_int_eq(try_leg(&pair, &first, true, false, &broken), FLOE_OK);
  ck_assert_int_eq(broken.end, FLOE_END_STATES);
  small.gpu = true;
  small.test_settings = "blocks=1,levels=3";
  small.options.slot_bits = 64;
  small.options.gpu_memory = MEBIBYTE;
  small.options.table = _i == 1 ? "linear" : "iceberg";
  small.any_table = _i == 2; /* a bitmap holds them all */
  ck_assert_int_eq(try_leg(&pair, &small, true, true, &rest), FLOE_OK);
  ck_assert_int_eq(rest.gpu.host_backed, _i < 2);
  pair_compare(&pair, &whole, &rest);
  engine_outcome_free(&whole);
  engine_outcome_free(&broken);
  engine_outcome_free(&rest);
  emulated_forget();
  pair_close(&pair);
}
END_TEST
#endif

/* ---- suite --------------------------------------------------------------------------------------- */

int main(void) {
  char in_memory[] = "/dev/shm/floe-moment-XXXXXX",
       elsewhere[] = "/tmp/floe-moment-XXXXXX"; /* each file is synchronised */
  char previous[sizeof path + sizeof ".previous"];
  if (!getenv("top_srcdir"))
    return 99;
#ifdef EMULATED
  if (!emulated_possible())
    return 77;
#endif
  const char *folder = mkdtemp(in_memory) ? in_memory : mkdtemp(elsewhere);
  if (!folder)
    return 99;
  snprintf(path, sizeof path, "%s/search", folder);
  TCase *tcase = tcase_create("chains");
  tcase_set_timeout(tcase, 600);
  tcase_add_loop_test(tcase, test_chain, 0, CHAIN_SUBJECTS);
#ifdef EMULATED
  tcase_add_loop_test(tcase, test_memory_ends, 0, MEMORIES);
  tcase_add_loop_test(tcase, test_tree_ends, 0, everything() ? 2 : 1);
  tcase_add_loop_test(tcase, test_too_large, 0, 3);
#endif
  const int failed = run_suite("snapshot", CK_FORK_GETENV, tcase);
  snprintf(previous, sizeof previous, "%s.previous", path);
  unlink(path);
  unlink(previous);
  rmdir(folder);
  return suite_end(failed);
}
