/* Several members of the CPU engine in one group of threads, with messages late and in any order: together they find
   exactly what one member finds. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/comm/comm.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/engine/multiword_models.h"
#include "tests/engine/outcomes.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEBIBYTE (UINT64_C(1) << 20)
#define MOST_MEMBERS 8

static const char *const files[] = {
    "models/peterson.xml", "models/altbit.xml", "models/philosophers.xml", "models/bakery.xml",
    "models/havi.xml",     "models/hanoi.xml",  "models/election.xml",     "models/twophase.xml",
};
static const char *const failing[] = {"beyond", "cut", "excused", "guard", "later", "level", "several", "unless"};

/* ---- runs ---------------------------------------------------------------------------------------- */

struct member {
  const struct loaded *loaded;
  floe_options options;
  uint64_t first_numbers;
  atomic_bool interrupt;
  struct comm comm;
  floe_log *log;
  struct engine_outcome outcome;
  floe_status status;
  double seconds;
  pthread_t thread;
};

static floe_options plain(void) {
  return (floe_options){.threads = 1,
                        .table = "iceberg",
                        .memory = 256 * MEBIBYTE,
                        .max_depth = UINT32_MAX,
                        .max_states = UINT64_MAX,
                        .progress_seconds = 1000,
                        .keep_going = true};
}

static void *explore(void *data) {
  struct member *member = data;
  const struct loaded *loaded = member->loaded;
  const double begun = clock_seconds();
  uint64_t initial[64];
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
  const struct engine_task task = {.model = loaded->model,
                                   .layout = loaded->layout,
                                   .initial = initial,
                                   .stepper = stepper,
                                   .options = &member->options,
                                   .property_mask = (UINT64_C(1) << loaded->model->property_count) - 1,
                                   .limits.interrupt = &member->interrupt,
                                   .limits.started = begun,
                                   .first_tree_slots = member->first_numbers,
                                   .group.comm = member->comm.group ? &member->comm : NULL};
  layout_initial(loaded->model, loaded->layout, initial);
  member->status = engine_run(&engine_cpu, &task, member->log, &member->outcome);
  member->seconds = clock_seconds() - begun;
  if (member->comm.group)
    comm_close(&member->comm, member->status == FLOE_ERROR_IO);
  stepper->free(stepper);
  return NULL;
}

static struct member alone(const struct loaded *loaded, const floe_options *options) {
  struct member member = {.loaded = loaded, .options = *options};
  explore(&member);
  return member;
}

static void make_members(struct member *members, unsigned size, uint64_t seed, const struct loaded *loaded,
                         const floe_options *options) {
  struct group *groups[MOST_MEMBERS];
  ck_assert(group_threads_make(size, seed, groups));
  for (unsigned i = 0; i < size; i++) {
    members[i] = (struct member){.loaded = loaded, .options = *options};
    comm_open(groups[i], &members[i].comm);
  }
}

static void run(struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, explore, &members[i]), 0);
  for (unsigned i = 0; i < size; i++)
    pthread_join(members[i].thread, NULL);
}

static void free_members(struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++) {
    if (members[i].status == FLOE_OK)
      engine_outcome_free(&members[i].outcome);
    floe_log_free(members[i].log);
  }
}

/* ---- comparison ---------------------------------------------------------------------------------- */

static void check_levels(const struct engine_outcome *one, const struct engine_outcome *all) {
  ck_assert_uint_le(all->levels, one->levels);
  for (uint32_t i = 0; i < all->levels; i++)
    ck_assert_uint_eq(all->level_states[i], one->level_states[i]);
}

static void check_same(const struct member *alone, const struct member *members, unsigned size) {
  const struct engine_outcome *one = &alone->outcome, *all = &members[0].outcome;
  uint64_t states = 0, threads = 0;
  for (unsigned i = 0; i < size; i++) {
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(members[i].outcome.end, one->end);
    ck_assert_uint_eq(members[i].outcome.levels, one->levels);
  }
  outcomes_same(alone->loaded, one, all);
  ck_assert_uint_eq(all->group.count, size);
  for (unsigned i = 0; i < size; i++) {
    states += all->group.members[i].states;
    threads += all->group.members[i].threads;
    if (i > 0)
      ck_assert_uint_eq(all->group.members[i].states, members[i].outcome.states);
  }
  ck_assert_uint_eq(states, one->states);
  ck_assert_uint_eq(threads, all->threads);
}

static void compare(const struct loaded *loaded, const floe_options *options, unsigned size, uint64_t seed) {
  struct member one = alone(loaded, options), members[MOST_MEMBERS];
  make_members(members, size, seed, loaded, options);
  run(members, size);
  check_same(&one, members, size);
  free_members(members, size);
  free_members(&one, 1);
}

/* ---- the tests ----------------------------------------------------------------------------------- */

static void load(const char *name, struct loaded *loaded) {
  char path[4096];
  const char *folder = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
  ck_assert_msg(loaded_from_file(loaded, path, NULL, 0), "%s: %s", path, loaded_message(loaded));
}

/* N 4: 93,918 states; 5: more than the limits below allow in memory or time. */
static void load_bakery(const char *count, struct loaded *loaded) {
  const struct definition n = {"N", count};
  char path[4096];
  const char *folder = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/models/bakery.xml", folder ? folder : ".");
  ck_assert_msg(loaded_from_file(loaded, path, &n, 1), "%s: %s", path, loaded_message(loaded));
}

START_TEST(test_models) {
  static const unsigned sizes[] = {2, 3, 5};
  struct loaded loaded;
  load(files[_i], &loaded);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned threads = 1; threads <= 2; threads++) {
      floe_options options = plain();
      options.threads = threads;
      options.keep_going = i != 1;
      compare(&loaded, &options, sizes[i], (uint64_t)_i * 100 + i * 10 + threads);
    }
  loaded_free(&loaded);
}
END_TEST

START_TEST(test_errors) {
  char name[200];
  struct loaded loaded;
  snprintf(name, sizeof name, "tests/engine/errors/%s.xml", failing[_i]);
  load(name, &loaded);
  for (unsigned size = 2; size <= 4; size++) {
    const floe_options options = plain();
    compare(&loaded, &options, size, 7 * size);
  }
  loaded_free(&loaded);
}
END_TEST

/* Very small tables grow while states are in flight, on each member independently. */
START_TEST(test_growth) {
  struct loaded loaded;
  load_bakery("4", &loaded);
  for (unsigned size = 2; size <= 4; size++) {
    floe_options options = plain();
    options.initial_slots = 64;
    options.threads = size - 1;
    compare(&loaded, &options, size, 31 * size);
  }
  loaded_free(&loaded);
}
END_TEST

START_TEST(test_bounds) {
  struct loaded loaded;
  load("models/peterson.xml", &loaded);
  for (uint32_t depth = 0; depth < 12; depth += 3) {
    floe_options options = plain();
    options.max_depth = depth;
    compare(&loaded, &options, 3, depth);
    options = plain();
    options.max_states = depth * 40;
    compare(&loaded, &options, 3, depth);
  }
  loaded_free(&loaded);
}
END_TEST

/* States of several words are sent whole; each member has its own roots. */
START_TEST(test_multiword) {
  static const struct wide_model models[] = {
      {WIDE_CHAINS, 3, 15, 3, 2}, {WIDE_COUNTERS, 4, 9, 100000000, 2}, {WIDE_CHAINS, 2, 36, 1000000, 22}};
  struct loaded loaded;
  wide_model_load(&models[_i], &loaded);
  struct truth truth;
  truth_find(&loaded, &truth);
  for (unsigned size = 2; size <= 3; size++) {
    const floe_options options = plain();
    struct member members[MOST_MEMBERS];
    make_members(members, size, (uint64_t)_i + size, &loaded, &options);
    for (unsigned i = 0; i < size; i++) {
      members[i].first_numbers = 2 + (uint64_t)i * 50; /* trees that grow repeatedly */
      members[i].options.threads = size;
    }
    run(members, size);
    ck_assert_int_eq(members[0].status, FLOE_OK);
    ck_assert_uint_eq(members[0].outcome.states, truth.states);
    ck_assert_uint_eq(members[0].outcome.transitions, truth.transitions);
    ck_assert_uint_eq(members[0].outcome.checksum, truth.checksum);
    ck_assert_uint_eq(members[0].outcome.levels, truth.levels);
    free_members(members, size);
  }
  truth_free(&truth);
  loaded_free(&loaded);
}
END_TEST

/* ---- ends ---------------------------------------------------------------------------------------- */

/* All members end alike, and all reported values are correct. */
static void check_end(const struct loaded *loaded, struct member *members, unsigned size, floe_end end) {
  floe_options options = plain();
  options.max_depth = members[0].outcome.levels - 1;
  struct member one = alone(loaded, &options);
  for (unsigned i = 0; i < size; i++) {
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(members[i].outcome.end, end);
    check_levels(&one.outcome, &members[i].outcome);
    ck_assert_uint_lt(members[i].outcome.complete_depth, members[i].outcome.levels);
  }
  ck_assert_uint_ge(members[0].outcome.states, one.outcome.states);
  free_members(&one, 1);
}

START_TEST(test_memory) {
  struct loaded loaded;
  struct member members[MOST_MEMBERS];
  const floe_options options = plain();
  load_bakery("5", &loaded);
  make_members(members, 3, (uint64_t)_i, &loaded, &options);
  members[_i].options.memory = 2 * MEBIBYTE; /* the other members have enough */
  run(members, 3);
  check_end(&loaded, members, 3, FLOE_END_MEMORY);
  free_members(members, 3);
  loaded_free(&loaded);
}
END_TEST

/* Too little memory to start: no member starts. */
START_TEST(test_too_little_memory) {
  struct loaded loaded;
  struct member members[MOST_MEMBERS];
  const floe_options options = plain();
  load("models/peterson.xml", &loaded);
  make_members(members, 3, 5, &loaded, &options);
  members[_i].options.memory = 1000;
  run(members, 3);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq(members[i].status, FLOE_ERROR_MEMORY);
  free_members(members, 3);
  loaded_free(&loaded);
}
END_TEST

static void *interrupt_soon(void *data) {
  struct member *member = data;
  usleep(60000);
  atomic_store(&member->interrupt, true);
  return NULL;
}

START_TEST(test_interrupt) {
  struct loaded loaded;
  struct member members[MOST_MEMBERS];
  floe_options options = plain();
  pthread_t thread;
  load_bakery("5", &loaded);
  options.threads = 2;
  make_members(members, 3, (uint64_t)_i, &loaded, &options);
  ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_soon, &members[_i]), 0);
  run(members, 3);
  pthread_join(thread, NULL);
  check_end(&loaded, members, 3, FLOE_END_INTERRUPT);
  free_members(members, 3);
  loaded_free(&loaded);
}
END_TEST

START_TEST(test_timeout) {
  struct loaded loaded;
  struct member members[MOST_MEMBERS];
  const floe_options options = plain();
  load_bakery("5", &loaded);
  make_members(members, 3, 9, &loaded, &options);
  members[_i].options.timeout = 0.06;
  run(members, 3);
  check_end(&loaded, members, 3, FLOE_END_TIMEOUT);
  free_members(members, 3);
  loaded_free(&loaded);
}
END_TEST

/* The remaining members end with an error, some time after they were asked to. */
START_TEST(test_vanished) {
  struct loaded loaded;
  struct member members[MOST_MEMBERS];
  const floe_options options = plain();
  load_bakery("5", &loaded);
  comm_timeout = 0.3;
  make_members(members, 3, 11, &loaded, &options);
  group_threads_vanish(members[_i].comm.group, 300);
  for (unsigned i = 0; i < 3; i++)
    members[i].options.timeout = 0.1;
  run(members, 3);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_ne(members[i].status, FLOE_OK);
    ck_assert_double_lt(members[i].seconds, 20);
  }
  free_members(members, 3);
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  TCase *tcase = tcase_create("together");
  tcase_set_timeout(tcase, 240);
  tcase_add_loop_test(tcase, test_models, 0, sizeof files / sizeof *files);
  tcase_add_loop_test(tcase, test_errors, 0, sizeof failing / sizeof *failing);
  add_tests(tcase, test_growth, test_bounds);
  tcase_add_loop_test(tcase, test_multiword, 0, 3);
  tcase_add_loop_test(tcase, test_memory, 0, 3);
  tcase_add_loop_test(tcase, test_too_little_memory, 0, 3);
  tcase_add_loop_test(tcase, test_interrupt, 0, 3);
  tcase_add_loop_test(tcase, test_timeout, 0, 3);
  tcase_add_loop_test(tcase, test_vanished, 0, 3);
  return run_suite("collective search", CK_FORK_GETENV, tcase);
}
