/* Host side of the GPU engine on a fake device (fake_device.h), compared with the CPU engine: the outcome is the same
 * for every behaviour that the kernels' contract allows. */
#ifdef EMULATED
#include "tests/gpu/device/emulated.h"
#include "whole_runs.h"
#endif

#include "api/explore/record_order.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/engine.h"
#include "engine/trace/level_archive.h"
#include "engine_pair.h"
#include "gpu/engine/test_settings.h"
#include "order/writer.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct subject subjects[] = {
    {"counters", {{"N", "4"}, {"K", "7"}}},
    {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, /* errors */
    {"peterson", {{"N", "4"}}},
    {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, /* violated */
    {"philosophers", {{"N", "10"}}},
    {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, /* deadlock */
    {"hanoi", {{"N", "6"}}},
    {"altbit", {{"CAP", "4"}, {"D", "8"}}},
    {"needham", {{"A", "2"}, {"B", "2"}, {"FIXED", "0"}}},
    {"election", {{NULL, NULL}}},
};
#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))

/* Errors after first violations, and on their level; failing firings. The first models cover all kernels by themselves,
 * for the emulated GPU, where each takes seconds to compile. */
static const struct subject failing[] = {
/* clang-format off */
#define FAILING(name) {"tests/engine/errors/" name, {{NULL, NULL}}}
    /* clang-format on */
    FAILING("unless"), FAILING("level"),   FAILING("several"), FAILING("guard"),  FAILING("flood"),
    FAILING("later"),  FAILING("excused"), FAILING("cut"),     FAILING("beyond"),
#undef FAILING
};
#ifdef EMULATED
#define FAILING_SUBJECTS 5
#else
#define FAILING_SUBJECTS ((int)(sizeof failing / sizeof *failing))
#endif

static const char *const schemes[] = {"iceberg", "linear", "bitmap"};
#define SCHEMES 3
#define SEEDS 3 /* of a fake device, for each scheme */

/* The i-th scheme, cyclically; bitmaps only for models whose keys fit on the devices. */
static const char *scheme_for(const struct pair *pair, unsigned i) {
  const uint64_t keys = pair->loaded.layout->keys;
  return schemes[i % (keys && keys <= UINT64_C(1) << 25 ? SCHEMES : SCHEMES - 1)];
}

/* Complete searches and first violations; in one launch, and in as many as possible. */
START_TEST(test_failing) {
  for (unsigned i = 0; i < 4; i++) {
    struct setting setting = pair_plain();
    setting.options.keep_going = i % 2;
    setting.options.table = schemes[_i % SCHEMES];
    setting.device.multiprocessors = 1;
    if (i > 1) {
      setting.test_settings = "blocks=1,levels=3,slice_us=20";
      setting.device.stop_percent = 30;
    }
    pair_same(&failing[_i], &setting, NULL);
#ifdef EMULATED
    emulated_forget();
#endif
  }
}
END_TEST

#ifndef EMULATED
/* ---- suites ---------------------------------------------------------------------------------- */

START_TEST(test_plain) {
  struct setting setting = pair_plain();
  struct fake_counts counts = pair_same(&subjects[_i], &setting, NULL);
  ck_assert_uint_le(counts.explores, 3);
}
END_TEST

START_TEST(test_go_on) {
  struct setting setting = pair_plain();
  setting.options.keep_going = true;
  pair_same(&subjects[_i], &setting, NULL);
}
END_TEST

/* The kernel returns at every opportunity; the table starts tiny and grows; keys are refused. `make check`: every
 * second seed of a model, so that each scheme occurs with it. */
START_TEST(test_stops) {
  for (uint64_t seed = at_length() ? 1 : 1 + (uint64_t)_i % 2; seed <= SEEDS * SCHEMES; seed += at_length() ? 1 : 2) {
    struct setting setting = pair_plain();
    struct engine_outcome outcome;
    setting.options.table = schemes[seed > SEEDS];
    setting.options.keep_going = true;
    setting.options.initial_slots = 256;
    setting.test_settings = seed % 2 ? "blocks=1,levels=3" : "fill=100";
    setting.device.seed = seed;
    setting.device.stop_percent = 30;
    setting.device.full_percent = 10;
    struct fake_counts counts = pair_same(&subjects[_i], &setting, &outcome);
    if (seed % 2 && outcome.states > 400)
      ck_assert_uint_gt(counts.rehashes, 0);
    ck_assert_uint_eq(counts.explores, outcome.gpu.launches);
    ck_assert_uint_gt(outcome.levels, 0);
  }
}
END_TEST

/* Every slot width and bucket size of the kernels. */
START_TEST(test_geometries) {
  static const unsigned widths[] = {0, 16, 32, 64, 21}, buckets[] = {0, 8, 16, 32};
  static const struct subject counters = {"counters", {{"N", "5"}, {"K", "6"}}};
  struct setting setting = pair_plain();
  setting.options.slot_bits = widths[_i / 4];
  setting.options.bucket_slots = setting.options.slot_bits == 21 ? 12 * (unsigned)(_i % 3) : buckets[_i % 4];
  setting.options.initial_slots = 300;
  setting.device.stop_percent = 5;
  setting.device.full_percent = 5;
  struct fake_counts counts = pair_same(&counters, &setting, NULL);
  ck_assert_uint_gt(counts.rehashes, 0);
}
END_TEST

/* Linear sets in slots of 32 and of 64 bits grow at three quarters, or when a key is refused. */
START_TEST(test_linear) {
  static const struct subject counters = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.options.table = "linear";
  setting.options.slot_bits = _i % 2 ? 64 : 0;
  setting.options.initial_slots = 300;
  setting.test_settings = _i < 2 ? NULL : "fill=100";
  setting.device.full_percent = _i < 2 ? 0 : 5;
  struct fake_counts counts = pair_same(&counters, &setting, &outcome);
  ck_assert_uint_gt(counts.rehashes, 2);
  ck_assert(_i < 2 || counts.refused > 0);
  ck_assert_uint_eq(outcome.table.shape.slot_bits, _i % 2 ? 64 : 32);
  ck_assert(_i >= 2 || outcome.statistics.table_fill <= 0.75);
  ck_assert_uint_le(counts.builds, 2); /* one exploration, one rehash: the width stays */
}
END_TEST

/* Kernels that spill are compiled for three and two resident blocks, after some launches. */
START_TEST(test_improved_kernels) {
  static const struct subject counters = {"counters", {{"N", "4"}, {"K", "8"}}};
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.test_settings = "blocks=1,levels=3,slice_us=20";
  const unsigned before = pair_same(&counters, &setting, &outcome).builds;
  setting.test_settings = "blocks=1,levels=3,slice_us=20,improve_us=1";
  ck_assert_uint_eq(pair_same(&counters, &setting, &outcome).builds, before + 2);
}
END_TEST

/* An interrupt while they are compiled ends the search as at any other time. */
START_TEST(test_improvement_is_interrupted) {
  static const struct subject counters = {"counters", {{"N", "4"}, {"K", "8"}}};
  struct setting setting = pair_plain();
  struct pair pair;
  setting.test_settings = "blocks=1,levels=3,slice_us=20,improve_us=1";
  setting.device.interrupt = &pair_interrupt;
  for (setting.device.stop_build = 2; setting.device.stop_build <= 3; setting.device.stop_build++) {
    pair_open(&pair, &counters);
    struct engine_outcome outcome = pair_on_gpu(&pair, &setting, NULL);
    ck_assert_int_eq(outcome.end, FLOE_END_INTERRUPT);
    engine_outcome_free(&outcome);
    pair_close(&pair);
  }
}
END_TEST

/* A queue that never grows: segments go to the host and return. `make check`: a scheme each, one with a bound. */
START_TEST(test_spill) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.test_settings = "blocks=1,queue=1";
  setting.device.stop_percent = _i;
  setting.options.table = schemes[_i % 2];
  setting.options.max_depth = _i == 3 ? 20 : UINT32_MAX;
  struct fake_counts counts = pair_same(&wide, &setting, &outcome);
  ck_assert_uint_gt(outcome.statistics.spilled_states, 20000);
  ck_assert_uint_gt(counts.wrapped, 3);
}
END_TEST

/* Host memory for one segment or a few, by available memory (0 to 3) or by --memory (4, 5): the others go to the disk
 * and return. `make check`: the least and the most available memory, and --memory with linear sets. */
enum { DISKS = 6 };
START_TEST(test_disk) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  static const size_t room[DISKS] = {40000, 70000, 100000, 130000, 64 * MEBIBYTE, 64 * MEBIBYTE};
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &wide);
  struct engine_outcome cpu = pair_on_cpu(&pair, &setting);
  setting.test_settings = "blocks=1,queue=1";
  setting.options.threads = 1 + (unsigned)_i % 3;
  setting.options.memory = _i < 4 ? 64 * MEBIBYTE : MEBIBYTE / 8;
  setting.options.table = schemes[_i % 2];
  setting.device.stop_percent = (unsigned)_i;
  setting.device.host_memory = room[_i];
  struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
  pair_compare(&pair, &cpu, &gpu);
  ck_assert_uint_gt(gpu.statistics.spilled_states, 20000);
  ck_assert_uint_gt(gpu.statistics.disk_bytes, 50000);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  pair_close(&pair);
}
END_TEST

/* The queue grows with what it holds. */
START_TEST(test_queue_growth) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "9"}}};
  struct setting setting = pair_plain();
  struct engine_outcome outcome;
  setting.test_settings = "blocks=1";
  setting.device.memory = 16 * MEBIBYTE;
  setting.device.stop_percent = 3;
  pair_same(&wide, &setting, &outcome);
  ck_assert_uint_eq(outcome.statistics.spilled_states, 0);
  ck_assert_uint_gt(outcome.statistics.frontier_bytes, 300000);
}
END_TEST

static void check_prefix(const struct engine_outcome *cpu, const struct engine_outcome *gpu) {
  ck_assert_uint_lt(gpu->levels, cpu->levels);
  for (uint32_t i = 0; i < gpu->levels; i++)
    ck_assert_uint_eq(cpu->level_states[i], gpu->level_states[i]);
  ck_assert(gpu->any_complete);
  ck_assert_uint_eq(gpu->complete_depth, gpu->levels - 2);
  ck_assert_uint_lt(gpu->states, cpu->states);
}

/* A larger ring that does not fit beside the present one replaces it once, with its states on the host, if memory or
 * disk has room for them. `make check`: one size of device memory for a spill and one for a replacement. */
START_TEST(test_queue_replaced) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "9"}}};
  static const struct {
    size_t host_memory;
    const char *folder;
    bool replaces, spills; /* for some size of device memory, at least */
    uint32_t max_depth;
  } kinds[] = {{64 * MEBIBYTE, NULL, true, true, UINT32_MAX},
               {64 * MEBIBYTE, NULL, true, true, 27},
               {150000, NULL, true, true, UINT32_MAX},
               {200000, "/nowhere", false, true, UINT32_MAX}};
  struct setting setting = pair_plain();
  struct pair pair;
  bool replaces = false, spills = false;
  pair_open(&pair, &wide);
  setting.test_settings = "blocks=1,tell=1";
  setting.folder = kinds[_i].folder;
  setting.options.table = "bitmap";
  setting.options.max_depth = kinds[_i].max_depth;
  setting.device.stop_percent = 3;
  setting.device.host_memory = kinds[_i].host_memory;
  struct engine_outcome cpu = pair_on_cpu(&pair, &setting);
  for (uint64_t most = everything() ? 28 : 34; most <= (at_length() ? 40 : 36); most += everything() ? 1 : 2) {
    const uint64_t before = pair_counter(pair.log, "replaced");
    setting.device.memory = most * MEBIBYTE / 16;
    struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
    const uint64_t times = pair_counter(pair.log, "replaced") - before;
    const bool spilled = gpu.statistics.spilled_states > 0;
    if (gpu.end == FLOE_END_MEMORY && kinds[_i].folder)
      check_prefix(&cpu, &gpu);
    else
      pair_compare(&pair, &cpu, &gpu);
    replaces = replaces || times > 0;
    spills = spills || (times == 0 && spilled);
    ck_assert_uint_le(times, 1);
    ck_assert(times == 0 || spilled);
    engine_outcome_free(&gpu);
  }
  ck_assert_int_eq(replaces, kinds[_i].replaces);
  ck_assert_int_eq(spills, kinds[_i].spills);
  engine_outcome_free(&cpu);
  pair_close(&pair);
}
END_TEST

/* Host memory is exhausted and there is no disk (0); device memory is exhausted by the table (1, 2): the result is
 * undecided, and correct up to a depth. */
START_TEST(test_memory_ends) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &wide);
  setting.options.table = schemes[_i == 2];
  struct engine_outcome cpu = pair_on_cpu(&pair, &setting);
  if (_i == 0) {
    setting.test_settings = "blocks=1,queue=1";
    setting.device.host_memory = 100000;
    setting.folder = "/nowhere/at/all";
  } else {
    setting.test_settings = "blocks=1";
    setting.options.gpu_memory = MEBIBYTE;
  }
  struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, FLOE_END_MEMORY);
  ck_assert(_i > 0 || strstr(loaded_message(&pair.loaded), "/nowhere/at/all: No such file or directory"));
  check_prefix(&cpu, &gpu);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  pair_close(&pair);
}
END_TEST

START_TEST(test_bounds) {
  struct setting setting = pair_plain();
  setting.options.keep_going = true;
  setting.device.stop_percent = 10;
  for (uint32_t depth = 0; depth < 12; depth += 3) {
    setting.options.max_depth = depth;
    pair_same(&subjects[_i], &setting, NULL);
  }
  setting.options.max_depth = UINT32_MAX;
  for (uint64_t states = 1; states < 2000; states *= 5) {
    setting.options.max_states = states;
    pair_same(&subjects[_i], &setting, NULL);
  }
}
END_TEST

START_TEST(test_ends_from_outside) {
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  setting.interrupted = _i == 0;
  setting.options.timeout = 1000;
  setting.late = _i == 0 ? 0 : 2000;
  setting.device.stop_percent = 50;
  struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, _i == 0 ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT);
  ck_assert_uint_lt(gpu.states, 2401);
  engine_outcome_free(&gpu);
  pair_close(&pair);
}
END_TEST

START_TEST(test_ends_while_it_is_prepared) {
  struct setting setting = pair_plain();
  struct engine_outcome none;
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  if (_i == 0)
    atomic_store(&pair_interrupt, true);
  else
    setting.options.timeout = 1e-9;
  ck_assert_int_eq(pair_try_gpu(&pair, &setting, &none, NULL), FLOE_ERROR_UNSUPPORTED);
  ck_assert_uint_eq(floe_log_count(pair.log), 0);
  pair_close(&pair);
}
END_TEST

#endif

/* ---- levels kept, order written -------------------------------------------------------------- */

START_TEST(test_archive) {
  static const char *const tunings[] = {NULL, "blocks=1,queue=1", "blocks=1,levels=2"};
  for (unsigned i = 0; i < 3; i++) {
    struct setting setting = pair_plain();
    struct archive *cpu, *gpu;
    struct pair pair;
    pair_open(&pair, &subjects[_i]);
    setting.options.keep_going = true;
    setting.options.max_depth = 9;
    setting.options.initial_slots = 256;
    setting.device.full_percent = i == 2 ? 5 : 0;
    setting.device.stop_percent = 10 * i;
    setting.options.table = scheme_for(&pair, (unsigned)_i + i);
    setting.test_settings = tunings[i];
#ifdef EMULATED
    setting.host_backed = i == 1;
#endif
    ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &cpu), FLOE_OK);
    ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &gpu), FLOE_OK);
    setting.archive = cpu;
    struct engine_outcome on1 = pair_on_cpu(&pair, &setting);
    setting.archive = gpu;
    struct engine_outcome on2 = pair_on_gpu(&pair, &setting, NULL);
    pair_compare(&pair, &on1, &on2);
    pair_compare_archives(cpu, gpu);
    engine_outcome_free(&on1);
    engine_outcome_free(&on2);
    archive_free(cpu);
    archive_free(gpu);
    pair_close(&pair);
  }
}
END_TEST

static uint64_t *read_order(const char *path, floe_log *log, uint64_t expected) {
  floe_order *order;
  size_t count, all = 0;
  uint64_t *keys = calloc(expected + 1, sizeof *keys);
  ck_assert_int_eq(floe_order_open(path, log, &order), FLOE_OK);
  ck_assert_uint_eq(floe_order_information(order)->count, expected);
  ck_assert(!floe_order_information(order)->canonical);
  do {
    ck_assert_int_eq(floe_order_read(order, keys + all, expected + 1 - all, &count), FLOE_OK);
    all += count;
  } while (count > 0);
  floe_order_close(order);
  ck_assert_uint_eq(all, expected);
  return keys;
}

/* Archive: each state once, level by level. Recorder: every key that was looked up. */
START_TEST(test_order) {
  char path[] = "/tmp/floe-test-XXXXXX";
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &subjects[_i / 2 % SUBJECTS]);
  close(mkstemp(path));
  setting.host_backed = _i >= 2 * SUBJECTS;
  setting.options.keep_going = true;
  setting.options.order_kind = _i % 2 ? FLOE_ORDER_LOOKUPS : FLOE_ORDER_STATES;
  setting.options.initial_slots = 256;
  setting.options.table = scheme_for(&pair, (unsigned)_i / 2);
  setting.test_settings = "blocks=1,queue=1";
  setting.device.stop_percent = 5;
  setting.device.full_percent = 5;
  struct order_header header = {.kind = setting.options.order_kind,
                                .key_bits = pair.loaded.layout->bits,
                                .key_words = 1,
                                .key_bytes = order_key_bytes(pair.loaded.layout->bits, 1),
                                .model = "m",
                                .writer = "w"};
  struct order_file *order;
  ck_assert_int_eq(order_create(path, &header, 1, pair.log, &order), FLOE_OK);
  const struct recorder recorder = recorder_of_file(order, header.kind);
  setting.recorder = &recorder;
  struct engine_outcome gpu = pair_on_gpu(&pair, &setting, NULL);
  struct order_ending ending = {gpu.end, gpu.threads};
  ck_assert_int_eq(order_finish(order, &ending), FLOE_OK);
  if (_i % 2) {
    free(read_order(path, pair.log, gpu.transitions + 1));
  } else {
    uint64_t *keys = read_order(path, pair.log, gpu.states), sum = 0;
    ck_assert_uint_eq(keys[0], pair.initial[0]);
    for (uint64_t i = 0; i < gpu.states; i++)
      sum += engine_state_mix(&keys[i], 1);
    ck_assert_uint_eq(sum, gpu.checksum);
    free(keys);
  }
  unlink(path);
  engine_outcome_free(&gpu);
  pair_close(&pair);
}
END_TEST

#ifndef EMULATED
/* ---- what goes wrong ------------------------------------------------------------------------- */

START_TEST(test_failing_launch) {
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  setting.options.initial_slots = 256;
  setting.device.stop_percent = 50;
  for (long n = 1; n <= 12; n++) {
    struct engine_outcome outcome;
    setting.device.fail_launch = n;
    ck_assert_int_eq(pair_try_gpu(&pair, &setting, &outcome, NULL), FLOE_ERROR_INTERNAL);
  }
  pair_close(&pair);
}
END_TEST

/* Too little memory to start is an error, whichever allocation fails. */
START_TEST(test_no_memory) {
  struct setting setting = pair_plain();
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  for (uint64_t bytes = 64; bytes < 64000; bytes *= 3) {
    struct engine_outcome outcome;
    setting.options.gpu_memory = bytes;
    ck_assert_int_eq(pair_try_gpu(&pair, &setting, &outcome, NULL), FLOE_ERROR_MEMORY);
  }
  setting.options.gpu_memory = 0;
  for (long n = 1; n <= 8; n++) {
    struct engine_outcome outcome;
    mem_fail_after(n);
    floe_status status = pair_try_gpu(&pair, &setting, &outcome, NULL);
    mem_fail_after(0);
    if (status == FLOE_OK)
      engine_outcome_free(&outcome);
    else
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
  }
  pair_close(&pair);
}
END_TEST

/* A requested bitmap that does not fit is refused with its size; without a request another table is used. */
START_TEST(test_bitmap_too_large) {
  struct setting setting = pair_plain();
  struct pair pair;
  struct engine_outcome outcome;
  pair_open(&pair, &subjects[4]);
  ck_assert_uint_gt(pair.loaded.layout->keys, 8 * 64 * MEBIBYTE);
  setting.options.table = "bitmap";
  ck_assert_int_eq(pair_try_gpu(&pair, &setting, &outcome, NULL), FLOE_ERROR_MEMORY);
  ck_assert_msg(strstr(loaded_message(&pair.loaded), "a bit for each key that the model's states can have"), "%s",
                loaded_message(&pair.loaded));
  pair_close(&pair);
  setting = pair_plain();
  setting.test_settings = "bitmap=1";
  setting.options.initial_slots = 256;
  pair_same(&subjects[4], &setting, &outcome);
  ck_assert_uint_ne(outcome.table.shape.slot_bits, 1);
}
END_TEST

START_TEST(test_tuning) {
  static const char *const wrong[] = {"blocks",  "blocks=",   "blocks=0", "blocks=-1",
                                      "bloks=1", "blocks=1,", "queue=1x", "queue=99999999999999999999999"};
  struct gpu_test_settings test_settings;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(test_settings_read(NULL, log, &test_settings), FLOE_OK);
  ck_assert_uint_gt(test_settings.slice_us, 0);
  ck_assert_int_eq(test_settings_read("blocks=2,queue=77,slice_us=3,levels=5,bitmap=1,turns=2", log, &test_settings),
                   FLOE_OK);
  ck_assert(test_settings.blocks == 2 && test_settings.queue == 77 && test_settings.slice_us == 3 &&
            test_settings.levels == 5);
  ck_assert(test_settings.bitmap == 1 && test_settings.turns == 2);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(test_settings_read(wrong[i], log, &test_settings) == (i == 5 ? FLOE_OK : FLOE_ERROR_USAGE), "%s",
                  wrong[i]);
  floe_log_free(log);
}
END_TEST

#endif

static void teardown(void) { ck_assert_uint_eq(mem_live(), 0); }

static void add_all_tests(TCase *test) {
#ifdef EMULATED
  add_whole_runs(test);
  tcase_add_loop_test(test, test_failing, 0, FAILING_SUBJECTS);
  /* A model of test_whole, so that they share kernels. */
  tcase_add_loop_test(test, test_archive, 3, 4);
  tcase_add_loop_test(test, test_order, 6, 8);
  tcase_add_loop_test(test, test_order, 2 * SUBJECTS + 6, 2 * SUBJECTS + 8);
#else
  tcase_add_loop_test(test, test_plain, 0, SUBJECTS);
  tcase_add_loop_test(test, test_go_on, 0, SUBJECTS);
  tcase_add_loop_test(test, test_failing, 0, FAILING_SUBJECTS);
  tcase_add_loop_test(test, test_stops, 0, SUBJECTS);
  tcase_add_loop_test(test, test_geometries, 0, 20);
  tcase_add_test(test, test_improved_kernels);
  tcase_add_test(test, test_improvement_is_interrupted);
  tcase_add_loop_test(test, test_spill, at_length() ? 0 : 2, 4);
  if (at_length())
    tcase_add_loop_test(test, test_disk, 0, DISKS);
  else
    for (int i = 0; i < DISKS; i += DISKS - 1)
      tcase_add_loop_test(test, test_disk, i, i + 1);
  tcase_add_test(test, test_queue_growth);
  tcase_add_loop_test(test, test_queue_replaced, at_length() ? 0 : 1, 4);
  tcase_add_loop_test(test, test_memory_ends, 0, 3);
  tcase_add_loop_test(test, test_linear, 0, 4);
  tcase_add_loop_test(test, test_bounds, 0, SUBJECTS);
  tcase_add_loop_test(test, test_ends_from_outside, 0, 2);
  tcase_add_loop_test(test, test_ends_while_it_is_prepared, 0, 2);
  tcase_add_loop_test(test, test_archive, 0, SUBJECTS);
  tcase_add_loop_test(test, test_order, 0, 2 * SUBJECTS);
  add_tests(test, test_failing_launch, test_no_memory, test_bitmap_too_large, test_tuning);
#endif
}

int main(void) {
  TCase *test = tcase_create("engine_gpu");
#ifdef EMULATED
  if (!emulated_possible())
    return 77;
#endif
  tcase_add_checked_fixture(test, NULL, teardown);
  tcase_set_timeout(test, 120);
  add_all_tests(test);
  return run_suite("engine_gpu", CK_FORK_GETENV, test);
}
