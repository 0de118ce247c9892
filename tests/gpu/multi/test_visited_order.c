/* Visiting order of several emulated GPUs, and of groups of processes: one file, level by level, each level with the
 * same states as on one CPU. */
#include "api/explore/record_order.h"
#include "core/system/clock.h"
#include "core/system/compress.h"
#include "members.h"
#include "order/writer.h"
#include "tests/suite.h"

#include "tests/gpu/device/emulated.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MOST_DEVICES_HERE 4

/* ---- files --------------------------------------------------------------------------------------- */

struct file {
  char path[40];
  struct order_file *order;
  struct recorder recorder;
  uint64_t *keys; /* after reading */
  uint64_t count;
};

static void begin(struct file *file, const struct pair *pair, bool zstd, unsigned lanes) {
  const struct layout *layout = pair->loaded.layout;
  strcpy(file->path, "/tmp/floe-test-XXXXXX");
  close(mkstemp(file->path));
  unlink(file->path);
  const struct order_header header = {.kind = FLOE_ORDER_STATES,
                                      .zstd = zstd,
                                      .key_bits = layout->key_bits,
                                      .key_words = layout->key_words,
                                      .key_bytes = order_key_bytes(layout->key_bits, layout->key_words),
                                      .model = "m",
                                      .writer = "w"};
  ck_assert_int_eq(order_create(file->path, &header, lanes, pair->log, &file->order), FLOE_OK);
  file->recorder = recorder_of_file(file->order, header.kind);
}

static void end(struct file *file, const struct pair *pair, const struct engine_outcome *outcome) {
  const struct order_ending ending = {outcome->end, outcome->threads};
  const uint32_t words = pair->loaded.layout->key_words;
  floe_order *order;
  size_t count, all = 0;
  ck_assert_int_eq(order_finish(file->order, &ending), FLOE_OK);
  ck_assert_int_eq(floe_order_open(file->path, pair->log, &order), FLOE_OK);
  const floe_order_info *info = floe_order_information(order);
  ck_assert_int_eq(info->canonical, outcome->threads == 1);
  file->count = info->count;
  file->keys = calloc((file->count + 1) * words, sizeof *file->keys);
  do {
    ck_assert_int_eq(floe_order_read(order, file->keys + all * words, file->count + 1 - all, &count), FLOE_OK);
    all += count;
  } while (count > 0);
  ck_assert_uint_eq(all, file->count);
  floe_order_close(order);
}

static void drop(struct file *file) {
  free(file->keys);
  unlink(file->path);
}

static uint32_t key_words;
static int by_key(const void *a, const void *b) {
  return words_less(a, b, key_words) ? -1 : (int)words_less(b, a, key_words);
}

/* The first levels have the same states. */
static void compare_levels(const struct pair *pair, const struct engine_outcome *alone, struct file *one,
                           struct file *all, uint32_t levels) {
  uint64_t at = 0;
  key_words = pair->loaded.layout->key_words;
  const size_t bytes = key_words * sizeof(uint64_t);
  for (uint32_t i = 0; i < levels; at += alone->level_states[i], i++) {
    const uint64_t n = alone->level_states[i];
    ck_assert_uint_le(at + n, all->count);
    qsort(one->keys + at * key_words, n, bytes, by_key);
    qsort(all->keys + at * key_words, n, bytes, by_key);
    ck_assert_msg(memcmp(one->keys + at * key_words, all->keys + at * key_words, n * bytes) == 0, "level %u", i);
  }
}

/* ---- devices of one process ---------------------------------------------------------------------- */

struct run {
  struct pair pair;
  struct file file;
  struct engine_outcome outcome;
};

static floe_status explore(struct run *run, const struct setting *setting, unsigned count) {
  struct gpu *gpus[MOST_DEVICES_HERE];
  struct pair *pair = &run->pair;
  for (unsigned i = 0; i < count; i++) {
    struct fake_settings device = setting->device;
    device.stepper = pair->stepper;
    device.model = pair->loaded.model;
    device.seed += i;
    gpus[i] = fake_open(&device);
  }
  struct engine_task task = pair_task(pair, setting);
  task.recorder = &run->file.recorder;
  task.devices.gpus = gpus;
  task.devices.count = count;
  setenv("FLOE_GPU_TEST", setting->test_settings ? setting->test_settings : "", 1);
  struct attempts attempts = {.task = task, .log = pair->log, .gpu_log = pair->log};
  const floe_status status = attempts_run(&attempts, &run->outcome);
  for (unsigned i = 0; i < count; i++)
    ck_assert_uint_eq(fake_close(gpus[i]), 0);
  return status;
}

static struct setting plain(void) {
  struct setting setting = pair_plain();
  setting.options.keep_going = true;
  setting.device.stop_percent = 5;
  setting.test_settings = "alone=20";
  return setting;
}

/* `members`: number of members that explored; 0: the first GPU alone. */
static void explore_alike(const struct subject *subject, const struct setting *setting, unsigned count,
                          unsigned members, bool zstd) {
  struct run run;
  struct file file;
  struct setting on_cpu = *setting;
  pair_open(&run.pair, subject);
  begin(&file, &run.pair, false, 1);
  on_cpu.recorder = &file.recorder;
  struct engine_outcome alone = pair_on_cpu(&run.pair, &on_cpu);
  end(&file, &run.pair, &alone);
  begin(&run.file, &run.pair, zstd, MOST_DEVICES);
  const floe_status status = explore(&run, setting, count);
  ck_assert_msg(status == FLOE_OK, "status %d: %s", (int)status, loaded_message(&run.pair.loaded));
  end(&run.file, &run.pair, &run.outcome);
  pair_compare(&run.pair, &alone, &run.outcome);
  ck_assert_uint_eq(run.outcome.group.count, members);
  ck_assert_uint_gt(alone.levels, 3);
  ck_assert_uint_eq(file.count, alone.states);
  ck_assert_uint_eq(run.file.count, alone.states);
  compare_levels(&run.pair, &alone, &file, &run.file, alone.levels);
  drop(&file);
  drop(&run.file);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&run.pair);
}

static const struct {
  struct subject subject;
  unsigned devices;
  const char *test_settings;
  bool zstd;
} kinds[] = {
    {{"peterson", {{"N", "3"}}}, 3, "alone=20", false},
    {{"peterson", {{"N", "3"}}}, 2, "alone=20,out=1,queue=1,slice_us=1", false},
    {{"philosophers", {{"N", "6"}}}, 4, "alone=20,mailboxes=2,queue=1", true},
    {{"counters", {{"N", "4"}, {"K", "12"}}}, 3, "alone=200,fill=20,blocks=1", true},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, 2, "alone=20", false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

START_TEST(devices_write_the_levels_of_one) {
  struct setting setting = plain();
  setting.test_settings = kinds[_i].test_settings;
  setting.options.initial_slots = _i == 3 ? 256 : 0;
  explore_alike(&kinds[_i].subject, &setting, kinds[_i].devices, kinds[_i].devices,
                kinds[_i].zstd && compress_available());
}
END_TEST

START_TEST(small_searches_stay_on_one) {
  const struct subject subject = {"hanoi", {{"N", "5"}}};
  struct setting setting = plain();
  setting.test_settings = NULL;
  explore_alike(&subject, &setting, 3, 0, false);
}
END_TEST

/* After a violation or at a bound, the file ends as with one GPU. */
START_TEST(they_end_as_one_does) {
  const struct subject mutant = {"philosophers", {{"N", "6"}, {"LEFT", "0"}}};
  struct setting setting = plain();
  if (_i == 0)
    setting.options.keep_going = false;
  else if (_i == 1)
    setting.options.max_depth = 6;
  else
    setting.options.max_states = 200;
  explore_alike(&mutant, &setting, 3, 3, false);
}
END_TEST

static void *interrupt_soon(void *data) {
  const double seconds = *(double *)data;
  nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))}, NULL);
  atomic_store(&pair_interrupt, true);
  return NULL;
}

/* Returns the time in seconds. */
static double explore_for(struct run *run, const struct setting *setting, const struct subject *subject,
                          double seconds) {
  pthread_t thread;
  pair_open(&run->pair, subject);
  begin(&run->file, &run->pair, false, MOST_DEVICES);
  atomic_store(&pair_interrupt, false);
  if (seconds > 0)
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_soon, &seconds), 0);
  const double begun = clock_seconds();
  ck_assert_int_eq(explore(run, setting, 3), FLOE_OK);
  const double took = clock_seconds() - begun;
  if (seconds > 0)
    pthread_join(thread, NULL);
  end(&run->file, &run->pair, &run->outcome);
  return took;
}

/* Ends within a level, at different times: the file has whole levels and part of one more; each state once. */
START_TEST(an_interrupt_leaves_what_was_found) {
  const struct subject subject = {"counters", {{"N", "4"}, {"K", "10"}}};
  struct setting setting = plain();
  struct run whole;
  unsigned together = 0;
  explore_for(&whole, &setting, &subject, 0); /* kernels are compiled */
  drop(&whole.file);
  engine_outcome_free(&whole.outcome);
  pair_close(&whole.pair);
  const double seconds = explore_for(&whole, &setting, &subject, 0);
  for (int i = 3; i < 10; i += everything() ? 1 : 3) {
    struct run run;
    explore_for(&run, &setting, &subject, 0.1 * i * seconds);
    together += run.outcome.end == FLOE_END_INTERRUPT && run.outcome.group.count == 3;
    ck_assert_uint_eq(run.file.count, run.outcome.states);
    ck_assert_uint_ge(whole.outcome.levels, run.outcome.levels);
    compare_levels(&run.pair, &whole.outcome, &whole.file, &run.file, run.outcome.levels);
    engine_outcome_free(&run.outcome);
    drop(&run.file);
    pair_close(&run.pair);
  }
  ck_assert_uint_gt(together, 0);
  drop(&whole.file);
  engine_outcome_free(&whole.outcome);
  pair_close(&whole.pair);
}
END_TEST

/* Only the file is lost. */
START_TEST(a_full_disk_costs_the_file_alone) {
  const struct subject subject = {"counters", {{"N", "4"}, {"K", "9"}}};
  struct setting setting = plain();
  struct rlimit limit;
  for (int full = 0; full < 2; full++) {
    struct run run;
    pair_open(&run.pair, &subject);
    begin(&run.file, &run.pair, false, MOST_DEVICES);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = full ? 5000 : RLIM_INFINITY; /* kernels are compiled by then */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(explore(&run, &setting, 3), FLOE_OK);
    ck_assert_uint_eq(run.outcome.states, 6561);
    ck_assert_int_eq(run.outcome.end, FLOE_END_COMPLETE);
    ck_assert_uint_eq(run.outcome.group.count, 3);
    const struct order_ending ending = {run.outcome.end, run.outcome.threads};
    ck_assert_int_eq(order_finish(run.file.order, &ending), full ? FLOE_ERROR_IO : FLOE_OK);
    ck_assert_int_eq(access(run.file.path, F_OK), full ? -1 : 0);
    unlink(run.file.path);
    engine_outcome_free(&run.outcome);
    pair_close(&run.pair);
  }
}
END_TEST

/* ---- members of a group of processes, CPUs among them -------------------------------------------- */

static void run_group(struct member *members, const struct member_group *group, const struct pair *pair,
                      const struct setting *setting, const struct recorder *recorder) {
  members_make(members, group->size, group->cpus, 1 + group->cpus, pair, setting);
  if (group->device_counts)
    members_nest(members, group->size, group->device_counts);
  for (unsigned i = 0; i < group->size; i++)
    members[i].recorded = true;
  members[0].recorder = recorder;
  members_run(members, group->size);
}

static const struct {
  struct subject subject;
  unsigned size, cpus;
  const char *test_settings;
  unsigned threads, counts[MOST_MEMBERS];
} groups[] = {
    {{"peterson", {{"N", "3"}}}, 3, 0x7, NULL, 1, {0}},
    {{"counters", {{"N", "4"}, {"K", "12"}}}, 4, 0xf, NULL, 2, {0}},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, 2, 0x3, NULL, 2, {0}},
    {{"peterson", {{"N", "3"}}}, 3, 0, NULL, 1, {0}},
    {{"philosophers", {{"N", "6"}}}, 3, 0, "queue=1,blocks=1,out=1", 1, {0}},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, 4, 0x9, "queue=1,slice_us=1", 2, {0}},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, 3, 0x6, NULL, 1, {0}},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, 3, 0x2, NULL, 1, {0}},
    {{"peterson", {{"N", "3"}}}, 2, 0, NULL, 1, {2, 1}},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, 2, 0, "queue=1,slice_us=1", 2, {1, 2}},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Every other search ends early: by depth or by number of states. */
START_TEST(processes_write_the_levels_of_one) {
  const unsigned size = groups[_i / 2].size;
  struct setting setting = plain(), on_cpu;
  struct member members[MOST_MEMBERS];
  struct pair pair;
  struct file one, all;
  setting.test_settings = groups[_i / 2].test_settings;
  if (_i % 4 == 1)
    setting.options.max_depth = 5;
  else if (_i % 2)
    setting.options.max_states = 100;
  on_cpu = setting;
  pair_open(&pair, &groups[_i / 2].subject);
  begin(&one, &pair, false, 1);
  on_cpu.recorder = &one.recorder;
  struct engine_outcome alone = pair_on_cpu(&pair, &on_cpu);
  end(&one, &pair, &alone);
  setting.options.threads = groups[_i / 2].threads;
  begin(&all, &pair, _i % 3 == 1 && compress_available(), setting.options.threads);
  const unsigned *counts = groups[_i / 2].counts[0] ? groups[_i / 2].counts : NULL;
  run_group(members, &(struct member_group){.size = size, .cpus = groups[_i / 2].cpus, .device_counts = counts}, &pair,
            &setting, &all.recorder);
  for (unsigned i = 0; i < size; i++)
    ck_assert_int_eq(members[i].status, FLOE_OK);
  end(&all, &pair, &members[0].outcome);
  pair_compare(&pair, &alone, &members[0].outcome);
  ck_assert_uint_eq(members[0].outcome.group.count, members[size - 1].first + members[size - 1].devices);
  for (unsigned i = 0; i < members[0].outcome.group.count; i++)
    ck_assert_uint_gt(members[0].outcome.group.members[i].states, 0);
  ck_assert_uint_gt(alone.levels, 3);
  ck_assert_uint_eq(all.count, alone.states);
  compare_levels(&pair, &alone, &one, &all, alone.levels);
  members_free(members, size);
  drop(&one);
  drop(&all);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

/* Ends within a level, by one member's time limit, at different times: whole levels and part of one more. */
START_TEST(an_end_leaves_what_was_found) {
  const struct subject subject = {"counters", {{"N", "4"}, {"K", "9"}}};
  struct setting setting = plain(), on_cpu = setting;
  struct pair pair;
  struct file one;
  unsigned ended = 0;
  pair_open(&pair, &subject);
  begin(&one, &pair, false, 1);
  on_cpu.recorder = &one.recorder;
  struct engine_outcome alone = pair_on_cpu(&pair, &on_cpu);
  end(&one, &pair, &alone);
  for (int i = 0; i < 12; i++) {
    struct member members[MOST_MEMBERS];
    struct file all;
    begin(&all, &pair, false, 1);
    setting.options.timeout = 0.02 * (1 << i / 2);
    run_group(members,
              &(struct member_group){.size = 3, .cpus = (const unsigned[]){0x7, 0x2}[i % 2], .device_counts = NULL},
              &pair, &setting, &all.recorder);
    if (members[0].status == FLOE_OK) {
      end(&all, &pair, &members[0].outcome);
      ended += members[0].outcome.end == FLOE_END_TIMEOUT && all.count > 1;
      ck_assert_uint_eq(all.count, members[0].outcome.states);
      compare_levels(&pair, &alone, &one, &all, members[0].outcome.levels);
      drop(&all);
    } else {
      order_abandon(all.order);
    }
    members_free(members, 3);
  }
  ck_assert_uint_gt(ended, 0);
  drop(&one);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!emulated_possible())
    return 77;
  comm_timeout = 5;
  TCase *process = tcase_create("process");
  tcase_add_loop_test(process, devices_write_the_levels_of_one, 0, KINDS);
  tcase_add_test(process, small_searches_stay_on_one);
  tcase_add_loop_test(process, they_end_as_one_does, 0, 3);
  if (at_length())
    tcase_add_test(process, an_interrupt_leaves_what_was_found);
  tcase_add_test(process, a_full_disk_costs_the_file_alone);
  tcase_set_timeout(process, 300);
  TCase *group = tcase_create("group");
  tcase_add_loop_test(group, processes_write_the_levels_of_one, 0, at_length() ? 2 * GROUPS : GROUPS);
  tcase_add_test(group, an_end_leaves_what_was_found);
  tcase_set_timeout(group, 300);
  int failed = run_suite("orders of several devices and processes", CK_FORK_GETENV, process, group);
  emulated_forget();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
