#include "engine_pair.h"

#include "core/system/clock.h"
#include "engine/trace/level_archive.h"
#include "engine/trace/witness_path.h"
#include "step/stepper.h"
#include "tests/engine/outcomes.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_bool pair_interrupt;

struct setting pair_plain(void) {
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
  size_t constants = 0;
  while (constants < MOST_CONSTANTS && subject->constants[constants].name)
    constants++;
  snprintf(path, sizeof path, "%s/%s%s.xml", getenv("top_srcdir"), strchr(subject->model, '/') ? "" : "models/",
           subject->model);
  ck_assert_msg(loaded_from_file(loaded, path, subject->constants, constants), "%s: %s", path, loaded_message(loaded));
}

void pair_open(struct pair *pair, const struct subject *subject) {
  load(subject, &pair->loaded);
  ck_assert_int_eq(interpreter_create(pair->loaded.model, pair->loaded.layout, &pair->stepper), FLOE_OK);
  ck_assert_uint_le(pair->loaded.layout->words, MOST_WORDS);
  layout_initial(pair->loaded.model, pair->loaded.layout, pair->initial);
  pair->log = pair->loaded.log;
}

void pair_close(struct pair *pair) {
  pair->stepper->free(pair->stepper);
  loaded_free(&pair->loaded);
}

static struct stop begin_paths(void *user) {
  (void)user;
  return (struct stop){.interrupt = &pair_interrupt};
}

struct engine_task pair_task(const struct pair *pair, const struct setting *setting) {
  size_t properties = pair->loaded.model->property_count;
  struct task_paths paths = {.begin = setting->paths ? begin_paths : NULL};
  if (setting->again) {
    paths = *setting->again;
    paths.begin = begin_paths;
  }
  return (struct engine_task){.model = pair->loaded.model,
                              .layout = pair->loaded.layout,
                              .initial = pair->initial,
                              .stepper = pair->stepper,
                              .options = &setting->options,
                              .property_mask = setting->again ? 0 : UINT64_MAX >> (64 - properties),
                              .limits.interrupt = &pair_interrupt,
                              .limits.started = clock_seconds(),
                              .archive = setting->archive,
                              .recorder = setting->recorder,
                              .paths = paths,
                              .devices.host_backed = setting->host_backed};
}

struct engine_outcome pair_on_cpu(struct pair *pair, const struct setting *setting) {
  struct engine_outcome outcome;
  struct engine_task task = pair_task(pair, setting);
  ck_assert_int_eq(engine_run(&engine_cpu, &task, pair->log, &outcome), FLOE_OK);
  return outcome;
}

/* Returns the previous folder, "" for none. */
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

floe_status pair_try_gpu(struct pair *pair, const struct setting *setting, struct engine_outcome *out,
                         struct fake_counts *counts) {
  struct engine_task task = pair_task(pair, setting);
  struct fake_settings device = setting->device;
  device.stepper = pair->stepper;
  device.model = pair->loaded.model;
  struct gpu *gpu = fake_open(&device);
  task.devices.gpus = &gpu;
  task.devices.count = 1;
  setenv("FLOE_GPU_TEST", setting->test_settings ? setting->test_settings : "", 1);
  struct search *search = NULL;
  char *folder = use_folder(setting->folder);
  floe_status status = engine_gpu.prepare(&task, pair->log, &search);
  atomic_store(&pair_interrupt, setting->interrupted);
  task.limits.started -= setting->late;
  if (status == FLOE_OK)
    status = engine_gpu.explore(search, out);
  atomic_store(&pair_interrupt, false);
  engine_gpu.drop(search);
  use_folder_again(folder);
  struct fake_counts counted = fake_counts(gpu);
  if (counts)
    *counts = counted;
  ck_assert_uint_eq(fake_close(gpu), 0);
  return status;
}

struct engine_outcome pair_on_gpu(struct pair *pair, const struct setting *setting, struct fake_counts *counts) {
  struct engine_outcome outcome;
  floe_status status = pair_try_gpu(pair, setting, &outcome, counts);
  ck_assert_msg(status == FLOE_OK, "status %d: %s", (int)status, loaded_message(&pair->loaded));
  return outcome;
}

void pair_compare(const struct pair *pair, const struct engine_outcome *cpu, const struct engine_outcome *gpu) {
  outcomes_same(&pair->loaded, cpu, gpu);
}

void pair_compare_paths(const struct pair *pair, const struct engine_outcome *cpu, struct engine_outcome *gpu) {
  const size_t words = pair->loaded.layout->key_words;
  ck_assert_ptr_nonnull(cpu->paths);
  ck_assert_ptr_nonnull(gpu->paths);
  ck_assert_uint_eq(cpu->path_count, gpu->path_count);
  for (unsigned i = 0; i < cpu->path_count; i++) {
    const struct path *a = &cpu->paths[i];
    struct path *b = &gpu->paths[i];
    ck_assert_uint_eq(a->steps, b->steps);
    ck_assert_mem_eq(a->states, b->states, (a->steps + (size_t)1) * words * sizeof *a->states);
    if (!b->edges)
      ck_assert_int_eq(path_add_edges(pair->stepper, b), FLOE_OK);
    ck_assert_mem_eq(a->edges, b->edges, a->steps * sizeof *a->edges);
  }
}

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

void pair_compare_archives(const struct archive *a, const struct archive *b) {
  ck_assert_uint_eq(archive_levels(a), archive_levels(b));
  for (uint32_t i = 0; i < archive_levels(a); i++) {
    ck_assert_uint_eq(archive_states(a, i), archive_states(b, i));
    uint64_t *x = level_of(a, i), *y = level_of(b, i);
    ck_assert_mem_eq(x, y, archive_states(a, i) * sizeof *x);
    free(x);
    free(y);
  }
}

uint64_t pair_counter(const floe_log *log, const char *name) {
  uint64_t sum = 0;
  char word[64];
  snprintf(word, sizeof word, " %s=", name);
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const char *at = strstr(floe_log_at(log, i)->message, word);
    sum += at ? strtoull(at + strlen(word), NULL, 10) : 0;
  }
  return sum;
}

struct fake_counts pair_same(const struct subject *subject, const struct setting *setting,
                             struct engine_outcome *kept) {
  struct pair pair;
  struct fake_counts counts;
  pair_open(&pair, subject);
  struct engine_outcome cpu = pair_on_cpu(&pair, setting);
  struct engine_outcome gpu = pair_on_gpu(&pair, setting, &counts);
  pair_compare(&pair, &cpu, &gpu);
  if (kept) {
    *kept = gpu;
    kept->violations = NULL, kept->fired = kept->level_states = NULL;
  }
  engine_outcome_free(&cpu);
  engine_outcome_free(&gpu);
  pair_close(&pair);
  return counts;
}
