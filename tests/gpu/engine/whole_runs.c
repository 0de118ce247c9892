#include "whole_runs.h"

#include "engine/path.h"
#include "engine_pair.h"
#include "tests/gpu/device/emulated.h"
#include "tests/suite.h"

#include <check.h>
#include <string.h>

/* `make check` omits those that repeat a scheme with another model. */
static bool is_at_length(int run) { return run == 9 || run == 10 || run == 14 || run == 16; }

START_TEST(test_whole) {
  if (is_at_length(_i) && !at_length())
    return;
  static const struct {
    const char *table;
    struct subject subject;
    const char *test_settings;
    uint64_t slots;
    unsigned slot_bits;
    bool spills, grows;
  } runs[] = {
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "levels=4", 0, 0, false, false},
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "fill=100,slice_us=20", 256, 0, false, true},
      {"iceberg", {"counters", {{"N", "6"}, {"K", "9"}}}, "blocks=1,queue=1", 0, 0, true, false},
      {"iceberg", {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, NULL, 0, 0, false, false},
      {"iceberg", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "slice_us=20", 256, 21, false, true},
      {"iceberg", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, NULL, 256, 32, false, true},
      {"linear", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "fill=100,slice_us=20", 256, 0, false, true},
      {"linear", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, NULL, 256, 64, false, true},
      {"bitmap", {"counters", {{"N", "5"}, {"K", "6"}}}, "levels=4", 0, 0, false, false},
      {"bitmap", {"counters", {{"N", "6"}, {"K", "9"}}}, "blocks=1,queue=1", 0, 0, true, false},
      {"bitmap", {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, NULL, 0, 0, false, false},
      {"bitmap", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "slice_us=20", 0, 0, false, false},
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "bitmap=1,fill=100,slice_us=20", 256, 0, false, true},
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "bitmap=1,fill=35", 2048, 16, false, true},
      {"iceberg", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "bitmap=1,slice_us=20", 256, 21, false, true},
      {"iceberg", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, "bitmap=1", 256, 32, false, true},
      {"linear", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, "bitmap=1", 256, 64, false, true},
      {"linear", {"counters", {{"N", "6"}, {"K", "12"}}}, "blocks=1,queue=1,bitmap=1", 4096, 0, true, true},
  };
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.options.keep_going = true;
  setting.options.initial_slots = runs[_i].slots;
  setting.options.slot_bits = runs[_i].slot_bits;
  setting.options.table = runs[_i].table;
  setting.options.max_depth = runs[_i].spills ? 18 : UINT32_MAX;
  setting.test_settings = runs[_i].test_settings;
  setting.device.stop_percent = 10;
  setting.device.multiprocessors = 1;
  const bool becomes = runs[_i].test_settings && strstr(runs[_i].test_settings, "bitmap=1");
  const bool in_bitmap = becomes || strcmp(runs[_i].table, "bitmap") == 0;
  if (runs[_i].spills) /* memory for one segment; bitmaps have larger tickets and a longer queue */
    setting.device.host_memory = in_bitmap ? 80000 : 40000;
  struct fake_counts counts = pair_same(&runs[_i].subject, &setting, &outcome);
  if (in_bitmap) {
    ck_assert_uint_eq(outcome.table.shape.slot_bits, 1);
    ck_assert_uint_eq(counts.rehashes, becomes);
  }
  ck_assert(!runs[_i].spills || outcome.statistics.spilled_states > 1000);
  ck_assert_int_eq(runs[_i].spills, outcome.statistics.disk_bytes > 0);
  ck_assert(!runs[_i].grows || counts.rehashes > 0);
  emulated_forget();
}
END_TEST
#define EMULATED_RUNS 18

/* Host-backed visited set: from the start, and when device memory is full. */
START_TEST(test_host_backed) {
  static const struct {
    const char *table;
    struct subject subject;
    const char *test_settings;
    uint64_t gpu_memory; /* 0: host-backed from the start */
    uint32_t max_depth;
    bool spills;
  } runs[] = {
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, NULL, 0, UINT32_MAX, false},
      {"iceberg", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "slice_us=20,batch=100", 0, UINT32_MAX, false},
      {"iceberg", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, NULL, 0, 9, false},
      {"iceberg", {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, NULL, 0, UINT32_MAX, false},
      {"iceberg", {"counters", {{"N", "3"}, {"K", "50"}}}, "blocks=1,levels=64", MEBIBYTE, 90, false},
      {"linear",
       {"counters", {{"N", "3"}, {"K", "50"}}},
       "blocks=1,levels=64,slice_us=2000",
       MEBIBYTE / 16 * 7,
       60,
       false},
      {"iceberg", {"counters", {{"N", "6"}, {"K", "9"}}}, "blocks=1,queue=1", 0, 18, true},
  };
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.options.keep_going = true;
  setting.options.threads = 2;
  setting.options.table = runs[_i].table;
  setting.options.gpu_memory = runs[_i].gpu_memory;
  setting.options.max_depth = runs[_i].max_depth;
  setting.options.slot_bits = runs[_i].gpu_memory ? 64 : 0;
  setting.host_backed = runs[_i].gpu_memory == 0;
  setting.test_settings = runs[_i].test_settings;
  setting.device.stop_percent = 10;
  setting.device.multiprocessors = 1;
  pair_same(&runs[_i].subject, &setting, &outcome);
  ck_assert(outcome.gpu.host_backed);
  ck_assert(!runs[_i].spills || outcome.statistics.spilled_states > 1000);
  emulated_forget();
}
END_TEST
#define HOST_BACKED_RUNS 7

/* Causes of an early end: host memory exhausted (0), interrupt (1), timeout (2). */
START_TEST(test_host_backed_end) {
  static const floe_end ends[] = {FLOE_END_MEMORY, FLOE_END_INTERRUPT, FLOE_END_TIMEOUT};
  /* keys of 25 bits: too many for a bitmap */
  static const struct subject wide = {"counters", {{"N", "5"}, {"K", "8"}, {"STEP", "4"}}};
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &wide);
  struct engine_outcome cpu = pair_on_cpu(&pair, &setting);
  setting.host_backed = true;
  setting.test_settings = "blocks=1,batch=200";
  setting.device.multiprocessors = 1;
  setting.interrupted = _i == 1;
  setting.options.timeout = 1000;
  setting.late = _i == 2 ? 2000 : 0;
  if (_i == 0)
    setting.options.memory = 330 << 10;
  struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, ends[_i]);
  ck_assert_uint_lt(gpu.states, cpu.states);
  ck_assert_uint_lt(gpu.levels, cpu.levels);
  for (uint32_t i = 0; i < gpu.levels; i++)
    ck_assert_uint_eq(cpu.level_states[i], gpu.level_states[i]);
  ck_assert(_i > 0 || gpu.states > 2000);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  pair_close(&pair);
  emulated_forget();
}
END_TEST

/* The levels before the deepest violation of `outcome` again, with room for all their states. */
static struct engine_outcome second_pass(struct pair *pair, struct setting setting,
                                         const struct engine_outcome *outcome) {
  struct path_target targets[PATHS_MOST];
  struct task_paths again = {.targets = targets, .count = outcome_path_targets(outcome, targets)};
  uint32_t depth = 0;
  for (unsigned i = 0; i < again.count; i++)
    depth = targets[i].depth > depth ? targets[i].depth : depth;
  for (uint32_t i = 0; i < depth; i++)
    again.states += outcome->level_states[i];
  setting.again = &again;
  setting.options.max_depth = depth - 1;
  return pair_on_gpu(pair, &setting, NULL);
}

/* On the device, a first pass finds the paths if its ring has all states, and a second pass in any case. */
static void compare_paths(struct pair *pair, const struct setting *setting, const struct engine_outcome *cpu,
                          bool in_ring, struct fake_counts *counts) {
  struct engine_outcome gpu = pair_on_gpu(pair, setting, counts);
  pair_compare(pair, cpu, &gpu);
  ck_assert_int_eq(gpu.paths != NULL, in_ring);
  if (in_ring)
    pair_compare_paths(pair, cpu, &gpu);
  struct engine_outcome again = second_pass(pair, *setting, &gpu);
  pair_compare_paths(pair, cpu, &again);
  engine_outcome_free(&again);
  engine_outcome_free(&gpu);
}

/* Paths to violations: small levels, which one block searches, and large ones; several paths that meet; states of
   several words; and a ring that is too small for all states, so that a second pass finds the paths. By the kernel, and
   on the host because the kernel would have to be compiled. */
START_TEST(test_paths) {
  static const struct {
    struct subject subject;
    uint64_t memory; /* of the device */
    const char *test_settings;
    bool in_ring; /* all states are in the ring after the first pass */
  } runs[] = {
      {{"counters", {{"N", "5"}, {"K", "6"}}}, 64 * MEBIBYTE, "levels=4", true},
      {{"tests/gpu/engine/chains", {{"LENGTH", "8"}}}, 64 * MEBIBYTE, NULL, true},
      {{"counters", {{"N", "5"}, {"K", "7"}}}, MEBIBYTE, "blocks=1", false},
  };
  struct setting setting = pair_plain();
  struct pair pair;
  setting.paths = true;
  setting.options.keep_going = true;
  setting.test_settings = runs[_i].test_settings;
  setting.device.stop_percent = 10;
  setting.device.memory = runs[_i].memory;
  pair_open(&pair, &runs[_i].subject);
  struct engine_outcome cpu = pair_on_cpu(&pair, &setting);
  struct fake_counts by_kernel, on_host;
  compare_paths(&pair, &setting, &cpu, runs[_i].in_ring, &by_kernel);
  setting.device.cache_empty = true;
  compare_paths(&pair, &setting, &cpu, runs[_i].in_ring, &on_host);
  ck_assert_uint_eq(on_host.builds, by_kernel.builds - runs[_i].in_ring);
  engine_outcome_free(&cpu);
  pair_close(&pair);
  emulated_forget();
}
END_TEST
#define PATHS_RUNS 3

void add_whole_runs(TCase *test) {
  tcase_add_loop_test(test, test_paths, 0, PATHS_RUNS);
  tcase_add_loop_test(test, test_whole, 0, EMULATED_RUNS);
  tcase_add_loop_test(test, test_host_backed, 0, HOST_BACKED_RUNS);
  tcase_add_loop_test(test, test_host_backed_end, 0, 3);
}
