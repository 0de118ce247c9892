/* Visiting order of groups: one file, level by level, each level with the same states as on one CPU. Members are GPUs
 * of one process, and processes with emulated GPUs or CPUs. */
#include "api/explore/record_order.h"
#include "core/system/compress.h"
#include "members.h"
#include "order/writer.h"
#include "tests/suite.h"

#include "tests/gpu/device/emulated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* ---- runs ---------------------------------------------------------------------------------------- */

/* Lanes of the file: each GPU of a process writes one; in a group each thread of rank 0 does. */
static unsigned lanes_of(const struct scene *scene) {
  return carrier_is_group(&scene->carrier) ? scene->setting.options.threads : MOST_DEVICES;
}

static void run(struct scene *scene, struct file *all, bool zstd) {
  begin(all, &scene->pair, zstd && compress_available(), lanes_of(scene));
  scene->members[0].task.recorder = &all->recorder;
  for (unsigned i = 0; i < scene->carrier.processes; i++)
    scene->members[i].task.group.records = carrier_is_group(&scene->carrier);
  scene_run(scene);
}

/* Records one CPU in scene_compare. */
static void record_one(struct scene *scene, struct file *one) {
  begin(one, &scene->pair, false, 1);
  scene->setting.recorder = &one->recorder;
  scene->setting.options.threads = 1;
}

static const struct order_row {
  struct subject subject;
  struct carrier carrier;
  const char *test_settings;
  unsigned threads;
  bool zstd;
} rows[] = {
    {{"peterson", {{"N", "3"}}}, {.processes = 1, .gpus = {3}}, "alone=20", 1, false},
    {{"peterson", {{"N", "3"}}}, {.processes = 1, .gpus = {2}}, "alone=20,out=1,queue=1,slice_us=1", 1, false},
    {{"counters", {{"N", "4"}, {"K", "9"}}}, {.processes = 1, .gpus = {3}}, "alone=20,fill=20,blocks=1", 1, true},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, {.processes = 1, .gpus = {2}}, "alone=20", 1, false},
    {{"peterson", {{"N", "3"}}}, {.processes = 3, .cpus = ALL_CPUS}, "", 1, false},
    {{"counters", {{"N", "4"}, {"K", "12"}}}, {.processes = 4, .cpus = ALL_CPUS}, "", 2, true},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, {.processes = 2, .cpus = ALL_CPUS}, "", 2, false},
    {{"peterson", {{"N", "3"}}}, {.processes = 3}, "queue=1,blocks=1,out=1", 1, true},
    {{"peterson", {{"N", "3"}}}, {.processes = 2, .gpus = {2, 1}}, "", 1, false},
    /* with FLOE_TEST_LONG=1 */
    {{"peterson", {{"N", "3"}}}, {.processes = 3}, "", 1, false},
    {{"philosophers", {{"N", "6"}}}, {.processes = 1, .gpus = {4}}, "alone=20,mailboxes=2,queue=1", 1, true},
    {{"philosophers", {{"N", "6"}}}, {.processes = 3}, "queue=1,blocks=1,out=1", 1, true},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, {.processes = 4, .cpus = 0x9}, "queue=1,slice_us=1", 2, false},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, {.processes = 3, .cpus = 0x6}, "", 1, true},
    {{"tests/gpu/engine/chains", {{NULL, NULL}}}, {.processes = 3, .cpus = 0x2}, "", 1, false},
    {{"counters", {{"N", "4"}, {"K", "8"}}}, {.processes = 2, .gpus = {1, 2}}, "queue=1,slice_us=1", 2, true},
};
enum { ROWS = sizeof rows / sizeof *rows, ROWS_OF_CHECK = 9 };

/* `together`: all members take part; else the first GPU alone does. */
static void explore_alike(const struct order_row *row, struct setting *setting, bool together) {
  struct scene scene;
  struct file one, all;
  setting->test_settings = row->test_settings;
  setting->options.threads = row->threads;
  scene_begin(&scene, &row->subject, setting, &row->carrier, NULL);
  run(&scene, &all, row->zstd);
  record_one(&scene, &one);
  scene_compare(&scene, together);
  end(&all, &scene.pair, &scene.members[0].outcome);
  end(&one, &scene.pair, &scene.alone);
  ck_assert_uint_gt(scene.alone.levels, 3);
  ck_assert_uint_eq(one.count, scene.alone.states);
  ck_assert_uint_eq(all.count, scene.alone.states);
  compare_levels(&scene.pair, &scene.alone, &one, &all, scene.alone.levels);
  drop(&one);
  drop(&all);
  scene_end(&scene);
}

/* Every other search ends early: by depth or by number of states. */
START_TEST(test_levels) {
  struct setting setting = members_plain();
  setting.options.initial_slots = 256;
  if (_i % 4 == 1)
    setting.options.max_depth = 5;
  else if (_i % 2)
    setting.options.max_states = 100;
  explore_alike(&rows[_i / 2], &setting, true);
}
END_TEST

START_TEST(test_violation) {
  static const struct order_row row = {
      {"philosophers", {{"N", "6"}, {"LEFT", "0"}}}, {.processes = 1, .gpus = {3}}, "alone=20", 1, false};
  struct setting setting = members_plain();
  setting.options.keep_going = false;
  explore_alike(&row, &setting, true);
}
END_TEST

START_TEST(test_small) {
  static const struct order_row row = {{"hanoi", {{"N", "5"}}}, {.processes = 1, .gpus = {3}}, "", 1, false};
  struct setting setting = members_plain();
  explore_alike(&row, &setting, false);
}
END_TEST

/* The next time limit to try: doubled until a search is completed, then halfway between one that was too short and one
   that was too long. */
struct limits {
  double low, high; /* high 0: none was too long */
};
static double next_limit(struct limits *limits, double last, bool completed) {
  if (completed)
    limits->high = last;
  else
    limits->low = last;
  return limits->high > 0 ? (limits->low + limits->high) / 2 : 2 * last;
}

/* Ends within a level, by one member's time limit, at different times: the file has whole levels and part of one more;
   each state once. */
START_TEST(test_early_end) {
  static const struct subject subject = {"counters", {{"N", "4"}, {"K", "9"}}};
  static const struct carrier carriers[] = {
      {.processes = 3, .cpus = ALL_CPUS}, {.processes = 3, .cpus = 0x2}, {.processes = 1, .gpus = {3}}};
  const struct setting setting = members_plain();
  struct scene whole;
  struct file one;
  unsigned ended = 0;
  scene_begin(&whole, &subject, &setting, &carriers[_i], NULL);
  scene_run(&whole);
  record_one(&whole, &one);
  scene_compare(&whole, true);
  end(&one, &whole.pair, &whole.alone);
  struct limits limits = {0, 0};
  double limit = 0.02;
  for (int i = 0; i < 6 || (ended == 0 && i < 30); i++) {
    struct scene scene;
    struct file all;
    const struct fault fault = {.timeout = limit};
    scene_begin(&scene, &subject, &setting, &carriers[_i], &fault);
    run(&scene, &all, false);
    const struct engine_outcome *out = &scene.members[0].outcome;
    if (scene.members[0].status == FLOE_OK) {
      end(&all, &scene.pair, out);
      ended += out->end == FLOE_END_TIMEOUT && all.count > 1 && out->group.count == 3;
      ck_assert_uint_eq(all.count, out->states);
      compare_levels(&scene.pair, &whole.alone, &one, &all, out->levels);
      drop(&all);
    } else {
      order_abandon(all.order);
    }
    limit = next_limit(&limits, limit, scene.members[0].status == FLOE_OK && out->end == FLOE_END_COMPLETE);
    scene_end(&scene);
  }
  ck_assert_uint_gt(ended, 0);
  drop(&one);
  scene_end(&whole);
}
END_TEST

/* Only the file is lost. */
START_TEST(test_full_disk) {
  static const struct subject subject = {"counters", {{"N", "4"}, {"K", "9"}}};
  static const struct carrier carrier = {.processes = 1, .gpus = {3}};
  const struct setting setting = members_plain();
  struct rlimit limit;
  for (int full = 0; full < 2; full++) {
    struct scene scene;
    struct file all;
    scene_begin(&scene, &subject, &setting, &carrier, NULL);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = full ? 5000 : RLIM_INFINITY; /* kernels are compiled by then */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    run(&scene, &all, false);
    scene_compare(&scene, true);
    const struct order_ending ending = {FLOE_END_COMPLETE, scene.members[0].outcome.threads};
    ck_assert_int_eq(order_finish(all.order, &ending), full ? FLOE_ERROR_IO : FLOE_OK);
    ck_assert_int_eq(access(all.path, F_OK), full ? -1 : 0);
    unlink(all.path);
    scene_end(&scene);
  }
}
END_TEST

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!emulated_possible())
    return 77;
  comm_timeout = 5;
  TCase *order = tcase_create("order");
  tcase_add_loop_test(order, test_levels, 0, 2 * (at_length() ? ROWS : ROWS_OF_CHECK));
  add_tests(order, test_violation, test_small, test_full_disk);
  tcase_add_loop_test(order, test_early_end, 0, at_length() ? 3 : 2);
  tcase_set_timeout(order, 300);
  const int failed = run_suite("orders of groups", CK_FORK_GETENV, order);
  emulated_forget();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
