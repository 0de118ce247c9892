/* The host's side of the GPU engine on a device that is the host (fake_device.h), against the CPU
   engine: whatever the kernels' contract allows to happen, the outcome is the same. */
#ifdef EMULATED
#include "emulated.h"
#endif

#include "api/record.h"
#include "core/clock.h"
#include "core/mem.h"
#include "engine/archive.h"
#include "engine/engine.h"
#include "fake_device.h"
#include "gpu/tuning.h"
#include "order/writer.h"
#include "step/loaded.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEBIBYTE (UINT64_C(1) << 20)
#define MOST_CONSTANTS 4

static atomic_bool interrupt;

struct subject {
  const char *model; /* in models/, or with its path */
  struct definition constants[MOST_CONSTANTS];
};

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

/* Errors after first violations, and on their level; failing firings. The first ones have all that kernels do on their
   own, for the imitated GPU, on which each takes seconds to compile. */
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
#define SEEDS 3 /* of a device, for each scheme */

/* ---- runs ------------------------------------------------------------------------------------ */

struct setting {
  floe_options options;
  struct fake_settings device;
  const char *tuning;
  struct archive *archive;
  const struct recorder *recorder;
  const char *end_is_memory; /* allowed: why */
  bool two_levels;
  bool interrupted;   /* once it is prepared */
  double late;        /* s that have passed then */
  const char *folder; /* for temporary files; NULL: as it is */
};

static struct setting plain(void) {
  return (struct setting){
      .options = {.threads = 1,
                  .table = "iceberg",
                  .memory = 64 * MEBIBYTE,
                  .max_depth = UINT32_MAX,
                  .max_states = UINT64_MAX,
                  .cache_dir = "",
                  .progress_seconds = 1},
      .device = {.memory = 64 * MEBIBYTE, .multiprocessors = 2, .seed = 1, .host_memory = 64 * MEBIBYTE}};
}

static void load(const struct subject *subject, struct loaded *loaded) {
  char path[1000];
  size_t constants = 0, length;
  static char text[1 << 17];
  while (constants < MOST_CONSTANTS && subject->constants[constants].name)
    constants++;
  snprintf(path, sizeof path, "%s/%s%s.xml", getenv("top_srcdir"), strchr(subject->model, '/') ? "" : "models/",
           subject->model);
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  bool done = loaded_from_text(loaded, subject->model, text, length, subject->constants, constants);
  ck_assert_msg(done, "%s: %s", subject->model, loaded_message(loaded));
}

struct pair {
  struct loaded loaded;
  struct stepper *stepper;
  uint64_t initial;
  floe_log *log;
};

static void open_pair(struct pair *pair, const struct subject *subject) {
  load(subject, &pair->loaded);
  ck_assert_int_eq(interpreter_create(pair->loaded.model, pair->loaded.layout, &pair->stepper), FLOE_OK);
  layout_initial(pair->loaded.model, pair->loaded.layout, &pair->initial);
  pair->log = pair->loaded.log;
}

static void close_pair(struct pair *pair) {
  pair->stepper->free(pair->stepper);
  loaded_free(&pair->loaded);
}

/* The i-th in turn: bitmaps only of models whose keys are no more than the devices have room for. */
static const char *scheme_for(const struct pair *pair, unsigned i) {
  const uint64_t keys = pair->loaded.layout->keys;
  return schemes[i % (keys && keys <= UINT64_C(1) << 25 ? SCHEMES : SCHEMES - 1)];
}

static struct engine_task task_of(struct pair *pair, const struct setting *setting) {
  size_t properties = pair->loaded.model->property_count;
  return (struct engine_task){.model = pair->loaded.model,
                              .layout = pair->loaded.layout,
                              .initial = &pair->initial,
                              .stepper = pair->stepper,
                              .options = &setting->options,
                              .wanted = UINT64_MAX >> (64 - properties),
                              .interrupt = &interrupt,
                              .started = clock_seconds(),
                              .archive = setting->archive,
                              .recorder = setting->recorder,
                              .two_levels = setting->two_levels};
}

static struct engine_outcome on_cpu(struct pair *pair, const struct setting *setting) {
  struct engine_outcome outcome;
  struct engine_task task = task_of(pair, setting);
  ck_assert_int_eq(engine_run(&engine_cpu, &task, pair->log, &outcome), FLOE_OK);
  return outcome;
}

/* Returns the one before, "" for none. */
static char *use_folder(const char *folder) {
  char *before = strdup(getenv("TMPDIR") ? getenv("TMPDIR") : "");
  if (folder)
    setenv("TMPDIR", folder, 1);
  return before;
}

static void use_folder_again(char *before) {
  if (*before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  free(before);
}

static floe_status try_gpu(struct pair *pair, const struct setting *setting, struct engine_outcome *out,
                           struct fake_counts *counts) {
  struct engine_task task = task_of(pair, setting);
  struct fake_settings device = setting->device;
  device.stepper = pair->stepper;
  device.model = pair->loaded.model;
  struct gpu *gpu = fake_open(&device);
  task.devices = &gpu;
  task.device_count = 1;
  setenv("FLOE_GPU_TEST", setting->tuning ? setting->tuning : "", 1);
  struct search *search = NULL;
  char *folder = use_folder(setting->folder);
  floe_status status = engine_gpu.prepare(&task, pair->log, &search);
  atomic_store(&interrupt, setting->interrupted);
  task.started -= setting->late;
  if (status == FLOE_OK)
    status = engine_gpu.explore(search, out);
  atomic_store(&interrupt, false);
  engine_gpu.drop(search);
  use_folder_again(folder);
  struct fake_counts counted = fake_counts(gpu);
  if (counts)
    *counts = counted;
  ck_assert_uint_eq(fake_close(gpu), 0);
  return status;
}

static struct engine_outcome on_gpu(struct pair *pair, const struct setting *setting, struct fake_counts *counts) {
  struct engine_outcome outcome;
  floe_status status = try_gpu(pair, setting, &outcome, counts);
  ck_assert_msg(status == FLOE_OK, "status %d: %s", (int)status, loaded_message(&pair->loaded));
  return outcome;
}

static void compare_hits(const struct engine_outcome *a, const struct engine_outcome *b) {
  ck_assert_uint_eq(a->property_count, b->property_count);
  for (size_t i = 0; i < a->property_count; i++) {
    ck_assert_int_eq(a->hits[i].hit, b->hits[i].hit);
    if (!a->hits[i].hit)
      continue;
    ck_assert_uint_eq(a->hits[i].depth, b->hits[i].depth);
    ck_assert_uint_eq(*a->hits[i].state, *b->hits[i].state);
    ck_assert_uint_eq(a->hits[i].error.site, b->hits[i].error.site);
    ck_assert_uint_eq(a->hits[i].error.transition, b->hits[i].error.transition);
  }
}

static void compare(const struct pair *pair, const struct engine_outcome *cpu, const struct engine_outcome *gpu) {
  ck_assert_int_eq(cpu->end, gpu->end);
  ck_assert_uint_eq(cpu->states, gpu->states);
  ck_assert_uint_eq(cpu->transitions, gpu->transitions);
  ck_assert_uint_eq(cpu->deadlocks, gpu->deadlocks);
  ck_assert_uint_eq(cpu->checksum, gpu->checksum);
  ck_assert_uint_eq(cpu->max_out_degree, gpu->max_out_degree);
  ck_assert_uint_eq(cpu->levels, gpu->levels);
  ck_assert_int_eq(cpu->any_complete, gpu->any_complete);
  if (cpu->any_complete)
    ck_assert_uint_eq(cpu->complete_depth, gpu->complete_depth);
  for (uint32_t i = 0; i < cpu->levels; i++)
    ck_assert_uint_eq(cpu->level_states[i], gpu->level_states[i]);
  for (size_t i = 0; i < pair->loaded.model->transition_count; i++)
    ck_assert_uint_eq(cpu->fired[i], gpu->fired[i]);
  compare_hits(cpu, gpu);
  ck_assert_int_eq(cpu->cut, gpu->cut);
  if (cpu->cut)
    ck_assert_uint_eq(cpu->cut_depth, gpu->cut_depth);
  ck_assert_uint_eq(cpu->failed, gpu->failed);
}

/* Runs both and compares; counts of what happened on the device. */
static struct fake_counts same(const struct subject *subject, const struct setting *setting,
                               struct engine_outcome *kept) {
  struct pair pair;
  struct fake_counts counts;
  open_pair(&pair, subject);
  struct engine_outcome cpu = on_cpu(&pair, setting);
  struct engine_outcome gpu = on_gpu(&pair, setting, &counts);
  compare(&pair, &cpu, &gpu);
  if (kept) {
    *kept = gpu;
    kept->hits = NULL, kept->fired = kept->level_states = NULL;
  }
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  close_pair(&pair);
  return counts;
}

/* To the end and to the first violation; in one launch, and in as many as may be. */
START_TEST(test_failing) {
  for (unsigned i = 0; i < 4; i++) {
    struct setting setting = plain();
    setting.options.go_on = i % 2;
    setting.options.table = schemes[_i % SCHEMES];
    setting.device.multiprocessors = 1;
    if (i > 1) {
      setting.tuning = "blocks=1,levels=3,slice_us=20";
      setting.device.stop_percent = 30;
    }
    same(&failing[_i], &setting, NULL);
#ifdef EMULATED
    emulated_forget();
#endif
  }
}
END_TEST

#ifndef EMULATED
/* ---- suites ---------------------------------------------------------------------------------- */

START_TEST(test_plain) {
  struct setting setting = plain();
  struct fake_counts counts = same(&subjects[_i], &setting, NULL);
  ck_assert_uint_le(counts.explores, 3);
}
END_TEST

START_TEST(test_go_on) {
  struct setting setting = plain();
  setting.options.go_on = true;
  same(&subjects[_i], &setting, NULL);
}
END_TEST

/* The kernel leaves at every opportunity; the table begins with nothing and grows; keys are
 * refused. */
START_TEST(test_stops) {
  for (uint64_t seed = 1; seed <= SEEDS * SCHEMES; seed++) {
    struct setting setting = plain();
    struct engine_outcome outcome;
    setting.options.table = schemes[seed > SEEDS];
    setting.options.go_on = true;
    setting.options.initial_slots = 256;
    setting.tuning = seed % 2 ? "blocks=1,levels=3" : "fill=100";
    setting.device.seed = seed;
    setting.device.stop_percent = 30;
    setting.device.full_percent = 10;
    struct fake_counts counts = same(&subjects[_i], &setting, &outcome);
    if (seed % 2 && outcome.states > 400)
      ck_assert_uint_gt(counts.rehashes, 0);
    ck_assert_uint_eq(counts.explores, outcome.launches);
    ck_assert_uint_gt(outcome.levels, 0);
  }
}
END_TEST

/* Every width and bucket size that the kernels have. */
START_TEST(test_geometries) {
  static const unsigned widths[] = {0, 16, 32, 64, 21}, buckets[] = {0, 8, 16, 32};
  static const struct subject counters = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct setting setting = plain();
  setting.options.slot_bits = widths[_i / 4];
  setting.options.bucket_slots = setting.options.slot_bits == 21 ? 12 * (unsigned)(_i % 3) : buckets[_i % 4];
  setting.options.initial_slots = 300;
  setting.device.stop_percent = 5;
  setting.device.full_percent = 5;
  struct fake_counts counts = same(&counters, &setting, NULL);
  ck_assert_uint_gt(counts.rehashes, 0);
}
END_TEST

/* Linear sets in slots of 32 and of 64 bits grow at three quarters, or when a key is refused. */
START_TEST(test_linear) {
  static const struct subject counters = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct setting setting = plain();
  struct engine_outcome outcome;
  setting.options.table = "linear";
  setting.options.slot_bits = _i % 2 ? 64 : 0;
  setting.options.initial_slots = 300;
  setting.tuning = _i < 2 ? NULL : "fill=100";
  setting.device.full_percent = _i < 2 ? 0 : 5;
  struct fake_counts counts = same(&counters, &setting, &outcome);
  ck_assert_uint_gt(counts.rehashes, 2);
  ck_assert(_i < 2 || counts.refused > 0);
  ck_assert_uint_eq(outcome.shape.slot_bits, _i % 2 ? 64 : 32);
  ck_assert(_i >= 2 || outcome.statistics.table_fill <= 0.75);
  ck_assert_uint_le(counts.builds, 2); /* one exploration, one rehash: the width stays */
}
END_TEST

/* A queue that never grows: parts of it go to the host and come back. */
START_TEST(test_spill) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  struct setting setting = plain();
  struct engine_outcome outcome;
  setting.tuning = "blocks=1,queue=1";
  setting.device.stop_percent = _i;
  setting.options.table = schemes[_i % 2];
  setting.options.max_depth = _i == 3 ? 20 : UINT32_MAX;
  struct fake_counts counts = same(&wide, &setting, &outcome);
  ck_assert_uint_gt(outcome.statistics.spilled_states, 20000);
  ck_assert_uint_gt(counts.wrapped, 3);
}
END_TEST

/* Memory of the host for one piece or a few, by what it has (0 to 3) or by --memory (4, 5): the others go to the disk
   and come back. */
START_TEST(test_disk) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  static const size_t room[] = {40000, 70000, 100000, 130000, 64 * MEBIBYTE, 64 * MEBIBYTE};
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &wide);
  struct engine_outcome cpu = on_cpu(&pair, &setting);
  setting.tuning = "blocks=1,queue=1";
  setting.options.threads = 1 + (unsigned)_i % 3;
  setting.options.memory = _i < 4 ? 64 * MEBIBYTE : MEBIBYTE / 8;
  setting.options.table = schemes[_i % 2];
  setting.device.stop_percent = (unsigned)_i;
  setting.device.host_memory = room[_i];
  struct engine_outcome gpu = on_gpu(&pair, &setting, NULL);
  compare(&pair, &cpu, &gpu);
  ck_assert_uint_gt(gpu.statistics.spilled_states, 20000);
  ck_assert_uint_gt(gpu.statistics.disk_bytes, 50000);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  close_pair(&pair);
}
END_TEST

/* The queue grows with what it holds. */
START_TEST(test_queue_growth) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "9"}}};
  struct setting setting = plain();
  struct engine_outcome outcome;
  setting.tuning = "blocks=1";
  setting.device.memory = 16 * MEBIBYTE;
  setting.device.stop_percent = 3;
  same(&wide, &setting, &outcome);
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

/* Host memory ends, and there is no disk (0), device memory ends with the table (1, 2): undecided, and right up to a
 * depth. */
START_TEST(test_memory_ends) {
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "9"}}};
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &wide);
  setting.options.table = schemes[_i == 2];
  struct engine_outcome cpu = on_cpu(&pair, &setting);
  if (_i == 0) {
    setting.tuning = "blocks=1,queue=1";
    setting.device.host_memory = 100000;
    setting.folder = "/nowhere/at/all";
  } else {
    setting.tuning = "blocks=1";
    setting.options.gpu_memory = MEBIBYTE + MEBIBYTE / 4;
  }
  struct engine_outcome gpu = on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, FLOE_END_MEMORY);
  ck_assert(_i > 0 || strstr(loaded_message(&pair.loaded), "/nowhere/at/all: No such file or directory"));
  check_prefix(&cpu, &gpu);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  close_pair(&pair);
}
END_TEST

START_TEST(test_bounds) {
  struct setting setting = plain();
  setting.options.go_on = true;
  setting.device.stop_percent = 10;
  for (uint32_t depth = 0; depth < 12; depth += 3) {
    setting.options.max_depth = depth;
    same(&subjects[_i], &setting, NULL);
  }
  setting.options.max_depth = UINT32_MAX;
  for (uint64_t states = 1; states < 2000; states *= 5) {
    setting.options.max_states = states;
    same(&subjects[_i], &setting, NULL);
  }
}
END_TEST

START_TEST(test_ends_from_outside) {
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &subjects[0]);
  setting.interrupted = _i == 0;
  setting.options.timeout = 1000;
  setting.late = _i == 0 ? 0 : 2000;
  setting.device.stop_percent = 50;
  struct engine_outcome gpu = on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, _i == 0 ? FLOE_END_INTERRUPT : FLOE_END_TIMEOUT);
  ck_assert_uint_lt(gpu.states, 2401);
  engine_outcome_free(&gpu);
  close_pair(&pair);
}
END_TEST

START_TEST(test_ends_while_it_is_prepared) {
  struct setting setting = plain();
  struct engine_outcome none;
  struct pair pair;
  open_pair(&pair, &subjects[0]);
  if (_i == 0)
    atomic_store(&interrupt, true);
  else
    setting.options.timeout = 1e-9;
  ck_assert_int_eq(try_gpu(&pair, &setting, &none, NULL), FLOE_ERROR_UNSUPPORTED);
  ck_assert_uint_eq(floe_log_count(pair.log), 0);
  close_pair(&pair);
}
END_TEST

#endif

/* ---- levels kept, order written -------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t *level_of(const struct archive *archive, uint32_t level) {
  size_t n = archive_states(archive, level);
  uint64_t *states = calloc(n, sizeof *states);
  ck_assert_int_eq(archive_read(archive, level, 0, n, states), FLOE_OK);
  qsort(states, n, sizeof *states, by_value);
  return states;
}

static void compare_archives(const struct archive *a, const struct archive *b) {
  ck_assert_uint_eq(archive_levels(a), archive_levels(b));
  for (uint32_t i = 0; i < archive_levels(a); i++) {
    ck_assert_uint_eq(archive_states(a, i), archive_states(b, i));
    uint64_t *x = level_of(a, i), *y = level_of(b, i);
    ck_assert_mem_eq(x, y, archive_states(a, i) * sizeof *x);
    free(x);
    free(y);
  }
}

START_TEST(test_archive) {
  static const char *const tunings[] = {NULL, "blocks=1,queue=1", "blocks=1,levels=2"};
  for (unsigned i = 0; i < 3; i++) {
    struct setting setting = plain();
    struct archive *cpu, *gpu;
    struct pair pair;
    open_pair(&pair, &subjects[_i]);
    setting.options.go_on = true;
    setting.options.max_depth = 9;
    setting.options.initial_slots = 256;
    setting.device.full_percent = i == 2 ? 5 : 0;
    setting.device.stop_percent = 10 * i;
    setting.options.table = scheme_for(&pair, (unsigned)_i + i);
    setting.tuning = tunings[i];
#ifdef EMULATED
    setting.two_levels = i == 1;
#endif
    ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &cpu), FLOE_OK);
    ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &gpu), FLOE_OK);
    setting.archive = cpu;
    struct engine_outcome on1 = on_cpu(&pair, &setting);
    setting.archive = gpu;
    struct engine_outcome on2 = on_gpu(&pair, &setting, NULL);
    compare(&pair, &on1, &on2);
    compare_archives(cpu, gpu);
    engine_outcome_free(&on1);
    engine_outcome_free(&on2);
    archive_free(cpu);
    archive_free(gpu);
    close_pair(&pair);
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

/* Each state once and level by level; every key that was looked up. */
START_TEST(test_order) {
  char path[] = "/tmp/floe-test-XXXXXX";
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &subjects[_i / 2 % SUBJECTS]);
  close(mkstemp(path));
  setting.two_levels = _i >= 2 * SUBJECTS;
  setting.options.go_on = true;
  setting.options.order_kind = _i % 2 ? FLOE_ORDER_LOOKUPS : FLOE_ORDER_STATES;
  setting.options.initial_slots = 256;
  setting.options.table = scheme_for(&pair, (unsigned)_i / 2);
  setting.tuning = "blocks=1,queue=1";
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
  const struct recorder recorder = record_to(order, header.kind);
  setting.recorder = &recorder;
  struct engine_outcome gpu = on_gpu(&pair, &setting, NULL);
  struct order_ending ending = {gpu.end, gpu.threads};
  ck_assert_int_eq(order_finish(order, &ending), FLOE_OK);
  if (_i % 2) {
    free(read_order(path, pair.log, gpu.transitions + 1));
  } else {
    uint64_t *keys = read_order(path, pair.log, gpu.states), sum = 0;
    ck_assert_uint_eq(keys[0], pair.initial);
    for (uint64_t i = 0; i < gpu.states; i++)
      sum += engine_state_mix(&keys[i], 1);
    ck_assert_uint_eq(sum, gpu.checksum);
    free(keys);
  }
  unlink(path);
  engine_outcome_free(&gpu);
  close_pair(&pair);
}
END_TEST

#ifndef EMULATED
/* ---- what goes wrong ------------------------------------------------------------------------- */

START_TEST(test_failing_launch) {
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &subjects[0]);
  setting.options.initial_slots = 256;
  setting.device.stop_percent = 50;
  for (long n = 1; n <= 12; n++) {
    struct engine_outcome outcome;
    setting.device.fail_launch = n;
    ck_assert_int_eq(try_gpu(&pair, &setting, &outcome, NULL), FLOE_ERROR_INTERNAL);
  }
  close_pair(&pair);
}
END_TEST

/* Too little memory to start with is an error, whatever it is too little for. */
START_TEST(test_no_memory) {
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &subjects[0]);
  for (uint64_t bytes = 64; bytes < 64000; bytes *= 3) {
    struct engine_outcome outcome;
    setting.options.gpu_memory = bytes;
    ck_assert_int_eq(try_gpu(&pair, &setting, &outcome, NULL), FLOE_ERROR_MEMORY);
  }
  setting.options.gpu_memory = 0;
  for (long n = 1; n <= 8; n++) {
    struct engine_outcome outcome;
    mem_fail_after(n);
    floe_status status = try_gpu(&pair, &setting, &outcome, NULL);
    mem_fail_after(0);
    if (status == FLOE_OK)
      engine_outcome_free(&outcome);
    else
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
  }
  close_pair(&pair);
}
END_TEST

START_TEST(test_tuning) {
  static const char *const wrong[] = {"blocks",  "blocks=",   "blocks=0", "blocks=-1",
                                      "bloks=1", "blocks=1,", "queue=1x", "queue=99999999999999999999999"};
  struct gpu_tuning tuning;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(tuning_read(NULL, log, &tuning), FLOE_OK);
  ck_assert_uint_gt(tuning.slice_us, 0);
  ck_assert_int_eq(tuning_read("blocks=2,queue=77,slice_us=3,levels=5", log, &tuning), FLOE_OK);
  ck_assert(tuning.blocks == 2 && tuning.queue == 77 && tuning.slice_us == 3 && tuning.levels == 5);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(tuning_read(wrong[i], log, &tuning) == (i == 5 ? FLOE_OK : FLOE_ERROR_USAGE), "%s", wrong[i]);
  floe_log_free(log);
}
END_TEST

#endif

#ifdef EMULATED
/* ---- the real kernels on the imitated GPU: whole runs ---------------------------------------- */

START_TEST(test_whole) {
  static const struct {
    const char *table;
    struct subject subject;
    const char *tuning;
    uint64_t slots;
    unsigned slot_bits;
    bool spills, grows;
  } runs[] = {
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "levels=4", 0, 0, false, false},
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, "fill=100,slice_us=20", 256, 0, false, true},
      {"iceberg", {"counters", {{"N", "6"}, {"K", "7"}}}, "blocks=1,queue=1", 0, 0, true, false},
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
      {"linear", {"counters", {{"N", "6"}, {"K", "9"}}}, "blocks=1,queue=1,bitmap=1", 4096, 0, true, true},
  };
  struct setting setting = plain();
  struct engine_outcome outcome;
  setting.options.go_on = true;
  setting.options.initial_slots = runs[_i].slots;
  setting.options.slot_bits = runs[_i].slot_bits;
  setting.options.table = runs[_i].table;
  setting.options.max_depth = runs[_i].spills ? 20 : UINT32_MAX;
  setting.tuning = runs[_i].tuning;
  setting.device.stop_percent = 10;
  setting.device.multiprocessors = 1;
  const bool becomes = runs[_i].tuning && strstr(runs[_i].tuning, "bitmap=1");
  const bool in_bitmap = becomes || strcmp(runs[_i].table, "bitmap") == 0;
  if (runs[_i].spills) /* for one piece; bitmaps, whose tickets are for more states, have a longer queue */
    setting.device.host_memory = in_bitmap ? 80000 : 40000;
  struct fake_counts counts = same(&runs[_i].subject, &setting, &outcome);
  if (in_bitmap) {
    ck_assert_uint_eq(outcome.shape.slot_bits, 1);
    ck_assert_uint_eq(counts.rehashes, becomes);
  }
  ck_assert(!runs[_i].spills || outcome.statistics.spilled_states > 1000);
  ck_assert_int_eq(runs[_i].spills, outcome.statistics.disk_bytes > 0);
  ck_assert(!runs[_i].grows || counts.rehashes > 0);
  emulated_forget();
}
END_TEST
#define EMULATED_RUNS 18

/* A visited set of two levels: from the beginning, and when the device's memory is full. */
START_TEST(test_two_levels) {
  static const struct {
    const char *table;
    struct subject subject;
    const char *tuning;
    uint64_t gpu_memory; /* 0: two levels from the beginning */
    uint32_t max_depth;
    bool spills;
  } runs[] = {
      {"iceberg", {"counters", {{"N", "5"}, {"K", "6"}}}, NULL, 0, UINT32_MAX, false},
      {"iceberg", {"peterson", {{"N", "4"}, {"LEVELS", "2"}}}, "slice_us=20,batch=100", 0, UINT32_MAX, false},
      {"iceberg", {"philosophers", {{"N", "9"}, {"LEFT", "0"}}}, NULL, 0, 9, false},
      {"iceberg", {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, NULL, 0, UINT32_MAX, false},
      {"iceberg", {"counters", {{"N", "3"}, {"K", "50"}}}, "blocks=1,levels=64", MEBIBYTE, 90, false},
      {"linear", {"counters", {{"N", "3"}, {"K", "50"}}}, "blocks=1,levels=64,slice_us=100", MEBIBYTE, 90, false},
      {"iceberg", {"counters", {{"N", "6"}, {"K", "7"}}}, "blocks=1,queue=1", 0, 20, true},
  };
  struct setting setting = plain();
  struct engine_outcome outcome;
  setting.options.go_on = true;
  setting.options.threads = 2;
  setting.options.table = runs[_i].table;
  setting.options.gpu_memory = runs[_i].gpu_memory;
  setting.options.max_depth = runs[_i].max_depth;
  setting.options.slot_bits = runs[_i].gpu_memory ? 64 : 0;
  setting.two_levels = runs[_i].gpu_memory == 0;
  setting.tuning = runs[_i].tuning;
  setting.device.stop_percent = 10;
  setting.device.multiprocessors = 1;
  same(&runs[_i].subject, &setting, &outcome);
  ck_assert(outcome.two_levels);
  ck_assert(!runs[_i].spills || outcome.statistics.spilled_states > 1000);
  emulated_forget();
}
END_TEST
#define TWO_LEVEL_RUNS 7

/* The host's memory ends (0), somebody ends the search (1), time does (2). */
START_TEST(test_two_levels_end) {
  static const floe_end ends[] = {FLOE_END_MEMORY, FLOE_END_INTERRUPT, FLOE_END_TIMEOUT};
  static const struct subject wide = {"counters", {{"N", "5"}, {"K", "6"}}};
  struct setting setting = plain();
  struct pair pair;
  open_pair(&pair, &wide);
  struct engine_outcome cpu = on_cpu(&pair, &setting);
  setting.two_levels = true;
  setting.tuning = "blocks=1,batch=200";
  setting.device.multiprocessors = 1;
  setting.interrupted = _i == 1;
  setting.options.timeout = 1000;
  setting.late = _i == 2 ? 2000 : 0;
  if (_i == 0)
    setting.options.memory = 300 << 10;
  struct engine_outcome gpu = on_gpu(&pair, &setting, NULL);
  ck_assert_int_eq(gpu.end, ends[_i]);
  ck_assert_uint_lt(gpu.states, cpu.states);
  ck_assert_uint_lt(gpu.levels, cpu.levels);
  for (uint32_t i = 0; i < gpu.levels; i++)
    ck_assert_uint_eq(cpu.level_states[i], gpu.level_states[i]);
  ck_assert(_i > 0 || gpu.states > 2000);
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  close_pair(&pair);
  emulated_forget();
}
END_TEST
#endif

static void teardown(void) { ck_assert_uint_eq(mem_live(), 0); }

static void add_tests(TCase *test) {
#ifdef EMULATED
  tcase_add_loop_test(test, test_whole, 0, EMULATED_RUNS);
  tcase_add_loop_test(test, test_two_levels, 0, TWO_LEVEL_RUNS);
  tcase_add_loop_test(test, test_failing, 0, FAILING_SUBJECTS);
  tcase_add_loop_test(test, test_archive, 0, 1);
  tcase_add_loop_test(test, test_order, 4, 6);
  tcase_add_loop_test(test, test_order, 2 * SUBJECTS, 2 * SUBJECTS + 2);
  tcase_add_loop_test(test, test_two_levels_end, 0, 3);
#else
  tcase_add_loop_test(test, test_plain, 0, SUBJECTS);
  tcase_add_loop_test(test, test_go_on, 0, SUBJECTS);
  tcase_add_loop_test(test, test_failing, 0, FAILING_SUBJECTS);
  tcase_add_loop_test(test, test_stops, 0, SUBJECTS);
  tcase_add_loop_test(test, test_geometries, 0, 20);
  tcase_add_loop_test(test, test_spill, 0, 4);
  tcase_add_loop_test(test, test_disk, 0, 6);
  tcase_add_test(test, test_queue_growth);
  tcase_add_loop_test(test, test_memory_ends, 0, 3);
  tcase_add_loop_test(test, test_linear, 0, 4);
  tcase_add_loop_test(test, test_bounds, 0, SUBJECTS);
  tcase_add_loop_test(test, test_ends_from_outside, 0, 2);
  tcase_add_loop_test(test, test_ends_while_it_is_prepared, 0, 2);
  tcase_add_loop_test(test, test_archive, 0, SUBJECTS);
  tcase_add_loop_test(test, test_order, 0, 2 * SUBJECTS);
  tcase_add_test(test, test_failing_launch);
  tcase_add_test(test, test_no_memory);
  tcase_add_test(test, test_tuning);
#endif
}

int main(void) {
  Suite *suite = suite_create("engine_gpu");
  TCase *test = tcase_create("engine_gpu");
#ifdef EMULATED
  if (!emulated_possible())
    return 77;
#endif
  tcase_add_checked_fixture(test, NULL, teardown);
  tcase_set_timeout(test, 120);
  add_tests(test);
  suite_add_tcase(suite, test);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
