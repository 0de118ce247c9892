/* Distributed searches that end early repeatedly, at any point, and are resumed from their checkpoints with other
   numbers of members, threads and tables, or by one member. The outcome equals that of an uninterrupted search.
   Messages arrive late and in any order (group_threads.h). */
#include "base/splitmix64.h"
#include "core/system/clock.h"
#include "engine/comm/comm.h"
#include "engine/comm/exchange.h"
#include "engine/snapshot/snapshot.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/engine/outcomes.h"
#include "tests/step/loaded.h"
#include "tests/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEBIBYTE (UINT64_C(1) << 20)
#define MOST_MEMBERS 4

struct subject {
  const char *file;
  struct definition constants[3];
};

static const struct subject subjects[] = {
    {"models/counters.xml", {{"N", "5"}, {"K", "6"}}},
    {"models/counters.xml", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, /* errors */
    {"models/peterson.xml", {{"N", "4"}, {"LEVELS", "2"}}},           /* violated */
    {"models/philosophers.xml", {{"N", "9"}, {"LEFT", "0"}}},         /* deadlock */
    {"tests/gpu/engine/chains.xml", {{"LENGTH", "11"}}},              /* of several words */
    {"tests/engine/errors/several.xml", {{NULL, NULL}}},
    {"tests/engine/errors/flood.xml", {{NULL, NULL}}},
    {"tests/engine/errors/later.xml", {{NULL, NULL}}},
    {"tests/engine/errors/cut.xml", {{NULL, NULL}}},
    {"models/bakery.xml", {{"N", "4"}}},
    {"tests/gpu/engine/chains.xml", {{"LENGTH", "24"}, {"TOP", "1"}}},
};
#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))

static void load(const struct subject *subject, struct loaded *loaded) {
  char name[4096];
  size_t constants = 0;
  while (constants < 3 && subject->constants[constants].name)
    constants++;
  snprintf(name, sizeof name, "%s/%s", getenv("top_srcdir"), subject->file);
  ck_assert_msg(loaded_from_file(loaded, name, constants ? subject->constants : NULL, constants), "%s: %s", name,
                loaded_message(loaded));
}

/* ---- chance -------------------------------------------------------------------------------------- */

static uint64_t chance_state;

static unsigned chance(unsigned below) { return (unsigned)(splitmix64_next(&chance_state) % below); }

/* ---- a slow disk --------------------------------------------------------------------------------- */

static double slow_seconds;      /* number of fsync calls */
static atomic_bool *slow_victim; /* the member that is interrupted meanwhile */

int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file) {
  if (slow_seconds > 0) {
    atomic_store(slow_victim, true);
    usleep((useconds_t)(1e6 * slow_seconds));
  }
  return __real_fsync(file);
}

/* ---- one run ------------------------------------------------------------------------------------- */

static char path[100];

struct leg;

struct member {
  const struct loaded *loaded;
  const struct leg *leg;
  floe_options options;
  struct engine_task task;
  unsigned looks; /* time after which it is interrupted; 0: never */
  atomic_bool interrupt;
  struct comm comm;
  floe_log *log;
  struct engine_outcome outcome;
  floe_status status;
  pthread_t thread;
};

/* One run, from checkpoint to checkpoint. */
struct leg {
  unsigned size; /* members; 1: not distributed */
  floe_options options;
  double every;
  uint64_t first_numbers, seed;
  bool any_table;
  unsigned chosen; /* the member that ends it: */
  unsigned looks;
  uint64_t memory; /* 0: as the other members */
  double timeout;
  uint64_t calls; /* group calls after which it vanishes; 0: never */
};

static struct leg plain(void) {
  return (struct leg){.size = 1,
                      .options = {.threads = 1,
                                  .table = "iceberg",
                                  .memory = 64 * MEBIBYTE,
                                  .max_depth = UINT32_MAX,
                                  .max_states = UINT64_MAX,
                                  .progress_seconds = 1000}};
}

static void count_stop_check(const floe_progress *progress, void *user) {
  struct member *member = user;
  (void)progress;
  if (member->looks > 0 && --member->looks == 0)
    atomic_store(&member->interrupt, true);
}

static void *explore(void *data) {
  struct member *member = data;
  const struct loaded *loaded = member->loaded;
  uint64_t initial[64];
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  layout_initial(loaded->model, loaded->layout, initial);
  member->task.initial = initial;
  member->task.stepper = stepper;
  member->task.limits.started = clock_seconds();
  member->status = engine_run(&engine_cpu, &member->task, member->log, &member->outcome);
  if (member->comm.group)
    comm_close(&member->comm, member->status == FLOE_ERROR_IO);
  stepper->free(stepper);
  return NULL;
}

static void make_member(struct member *member, const struct loaded *loaded, const struct leg *leg, unsigned number) {
  *member = (struct member){.loaded = loaded, .leg = leg, .options = leg->options};
  ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
  if (number == leg->chosen) {
    member->looks = leg->looks;
    member->options.progress = leg->looks ? count_stop_check : NULL;
    member->options.progress_seconds = 0;
    member->options.user = member;
    member->options.memory = leg->memory ? leg->memory : leg->options.memory;
    member->options.timeout = leg->timeout;
  }
  member->task = (struct engine_task){.model = loaded->model,
                                      .layout = loaded->layout,
                                      .options = &member->options,
                                      .property_mask = UINT64_MAX >> (64 - loaded->model->property_count),
                                      .limits.interrupt = &member->interrupt,
                                      .first_tree_slots = leg->first_numbers,
                                      .any_table = leg->any_table,
                                      .group.comm = leg->size > 1 ? &member->comm : NULL};
}

static void run(struct member *members, unsigned size) {
  for (unsigned i = 1; i < size; i++)
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, explore, &members[i]), 0);
  explore(&members[0]);
  for (unsigned i = 1; i < size; i++)
    pthread_join(members[i].thread, NULL);
}

/* Outcome of rank 0; errors are the same for all. */
static floe_status take_outcome(struct member *members, unsigned size, struct engine_outcome *out) {
  const floe_status status = members[0].status;
  for (unsigned i = 0; i < size; i++)
    ck_assert_msg(members[i].status == status, "rank %u: %d, rank 0: %d: %s", i, (int)members[i].status, (int)status,
                  floe_log_count(members[0].log) ? floe_log_at(members[0].log, 0)->message : "");
  for (unsigned i = 1; i < size && status == FLOE_OK; i++) {
    ck_assert_int_eq(members[i].outcome.end, members[0].outcome.end);
    ck_assert_uint_eq(members[i].outcome.levels, members[0].outcome.levels);
    engine_outcome_free(&members[i].outcome);
  }
  if (status == FLOE_OK)
    *out = members[0].outcome;
  if (status == FLOE_OK && out->checkpoint_failed)
    ck_abort_msg("no checkpoint: %s", floe_log_at(members[0].log, 0)->message);
  for (unsigned i = 0; i < size; i++)
    floe_log_free(members[i].log);
  return status;
}

/* `on`: the search is resumed from the file. */
static void run_leg(const struct loaded *loaded, const struct leg *leg, bool keep, bool on, struct member *members) {
  const struct checkpoint_head head = {
      .model = "m", .file = "", .bits = loaded->layout->key_bits, .words = loaded->layout->key_words};
  const struct checkpoint_policy checkpoint_policy = {.path = path, .every = leg->every, .head = &head};
  struct group *groups[MOST_MEMBERS];
  if (leg->size > 1)
    ck_assert(group_threads_make(leg->size, leg->seed, groups));
  if (leg->calls)
    group_threads_vanish(groups[leg->chosen], leg->calls);
  for (unsigned i = 0; i < leg->size; i++) {
    make_member(&members[i], loaded, leg, i);
    if (leg->size > 1)
      comm_open(groups[i], &members[i].comm);
  }
  struct engine_task *first = &members[0].task;
  if (on)
    ck_assert_int_eq(checkpoint_open(path, members[0].log, &first->snapshot.from), FLOE_OK);
  first->snapshot.policy = keep ? &checkpoint_policy : NULL;
  for (unsigned i = 0; i < leg->size; i++) {
    members[i].task.group.saves = leg->size > 1 && keep;
    members[i].task.group.restored_states = leg->size > 1 && on ? snapshot_states(first) : 0;
  }
  slow_victim = &members[leg->size - 1].interrupt;
  run(members, leg->size);
  checkpoint_close(first->snapshot.from);
}

static floe_status try_leg(const struct loaded *loaded, const struct leg *leg, bool keep, bool on,
                           struct engine_outcome *out) {
  struct member members[MOST_MEMBERS];
  run_leg(loaded, leg, keep, on, members);
  return take_outcome(members, leg->size, out);
}

/* ---- chains of runs ------------------------------------------------------------------------------ */

static const char *const tables[] = {"iceberg", "linear", "bitmap"};
#define MOST_KEYS (UINT64_C(1) << 25) /* of a bitmap here */

/* Bytes of all messages. */
static uint64_t packet_bytes_of(const struct leg *leg, const struct loaded *loaded) {
  const struct exchange_plan plan = {leg->options.threads, loaded->layout->key_words, EXCHANGE_PACKET_WORDS,
                                     EXCHANGE_QUEUED_PACKETS};
  return leg->size > 1 ? exchange_bytes(leg->size, &plan) : 0;
}

static struct leg random_leg(const struct loaded *loaded) {
  struct leg leg = plain();
  const uint64_t keys = loaded->layout->keys;
  leg.size = 1 + chance(MOST_MEMBERS);
  leg.seed = 1 + chance(1000000);
  leg.options.threads = 1 + chance(3);
  leg.options.table = tables[chance(keys && keys <= MOST_KEYS && loaded->layout->words == 1 ? 3 : 2)];
  leg.options.initial_slots = chance(2) ? 256 : 0;
  leg.every = chance(3) ? 0 : 2e-2;
  leg.first_numbers = chance(2) ? 4 : 0;
  leg.chosen = chance(leg.size);
  switch (chance(strcmp(leg.options.table, "bitmap") ? 3 : 2)) {
  case 0:
    leg.every = chance(3) ? leg.every : 1e-9; /* only checkpoints */
    leg.looks = 1 + chance(leg.size > 1 && leg.every > 1e-9 ? 2000 : 40);
    break;
  case 1:
    leg.timeout = 1e-4 * (1 + chance(300));
    break;
  default: /* the memory may be too little to resume, or even to begin */
    leg.memory = packet_bytes_of(&leg, loaded) + 150000 + chance(500000);
  }
  return leg;
}

struct counts {
  unsigned legs, timeouts, interrupts, memory, refused;
};

static void count(struct counts *counts, floe_end end) {
  counts->legs++;
  counts->timeouts += end == FLOE_END_TIMEOUT;
  counts->interrupts += end == FLOE_END_INTERRUPT;
  counts->memory += end == FLOE_END_MEMORY;
}

/* Resumes until the search completes. */
static struct engine_outcome chain(const struct loaded *loaded, bool keep_going, struct counts *counts) {
  bool on = false;
  for (unsigned tries = 0;; tries++) {
    struct leg leg = tries < 20 ? random_leg(loaded) : plain();
    struct engine_outcome outcome;
    leg.options.keep_going = keep_going;
    const floe_status status = try_leg(loaded, &leg, true, on, &outcome);
    ck_assert_msg(status == FLOE_OK || status == FLOE_ERROR_MEMORY, "%d", (int)status);
    if (status != FLOE_OK) {
      counts->refused++;
      continue;
    }
    if (outcome.end != FLOE_END_INTERRUPT && outcome.end != FLOE_END_MEMORY && outcome.end != FLOE_END_TIMEOUT)
      return outcome;
    count(counts, outcome.end);
    on = access(path, F_OK) == 0;
    engine_outcome_free(&outcome);
  }
}

#define CHAINS (everything() ? 100 : quickly() ? 2 : 6)

/* Most of these tables do not fit in so little memory. */
static bool is_large(int subject) { return subject >= SUBJECTS - 2; }

START_TEST(test_chain) {
  struct loaded loaded;
  struct counts counts = {0};
  load(&subjects[_i], &loaded);
  for (int i = 0; i < (is_large(_i) ? 4 : 2) * CHAINS; i++) {
    struct leg leg = plain();
    struct engine_outcome uninterrupted;
    chance_state = (uint64_t)(1000 * _i + i);
    leg.options.keep_going = i % 2;
    unlink(path);
    ck_assert_int_eq(try_leg(&loaded, &leg, false, false, &uninterrupted), FLOE_OK);
    struct engine_outcome resumed = chain(&loaded, i % 2, &counts);
    outcomes_same(&loaded, &uninterrupted, &resumed);
    engine_outcome_free(&uninterrupted);
    engine_outcome_free(&resumed);
  }
  printf("%-34s %u breaks: %u timeouts, %u interrupts, %u by memory; %u could not begin\n", subjects[_i].file,
         counts.legs, counts.timeouts, counts.interrupts, counts.memory, counts.refused);
  loaded_free(&loaded);
}
END_TEST

/* ---- lost and slow members ----------------------------------------------------------------------- */

/* A member vanishes while states are in flight to rank 0, or to others: all members end soon, and the file is valid. */
START_TEST(test_vanished) {
  const double patience = comm_timeout;
  struct loaded loaded;
  struct engine_outcome uninterrupted, rest;
  struct leg leg = plain(), large = plain();
  load(&subjects[0], &loaded);
  large.options.keep_going = leg.options.keep_going = true;
  unlink(path);
  ck_assert_int_eq(try_leg(&loaded, &large, false, false, &uninterrupted), FLOE_OK);
  comm_timeout = 0.2;
  leg.size = 3;
  for (unsigned i = 0; i < 12; i++) {
    struct member members[MOST_MEMBERS];
    const double begun = clock_seconds();
    leg.seed = 100 * (unsigned)_i + i + 1;
    leg.chosen = i % 3;
    leg.calls = 20 + 60 * i * (1 + (unsigned)_i);
    leg.timeout = leg.options.timeout = 0.1;
    leg.every = i % 2 ? 1e-9 : 1e-3;
    run_leg(&loaded, &leg, true, false, members);
    ck_assert_double_lt(clock_seconds() - begun, 30);
    for (unsigned k = 0; k < leg.size; k++) {
      if (members[k].status == FLOE_OK)
        engine_outcome_free(&members[k].outcome);
      floe_log_free(members[k].log);
    }
    if (access(path, F_OK) != 0)
      continue;
    large.size = 1 + i % 3;
    ck_assert_int_eq(try_leg(&loaded, &large, false, true, &rest), FLOE_OK);
    outcomes_same(&loaded, &uninterrupted, &rest);
    engine_outcome_free(&rest);
  }
  comm_timeout = patience;
  engine_outcome_free(&uninterrupted);
  loaded_free(&loaded);
}
END_TEST

/* The timeout expires while keys are widened because the tree has grown: no state gets a root for which the set has
   no room. */
START_TEST(test_key_widening) {
  struct loaded loaded;
  struct engine_outcome uninterrupted, resumed, rest;
  struct leg leg = plain();
  load(&subjects[SUBJECTS - 1], &loaded);
  ck_assert_int_eq(try_leg(&loaded, &leg, false, false, &uninterrupted), FLOE_OK);
  for (unsigned i = 0; i < (everything() ? 4000 : quickly() ? 60 : 300); i++) {
    leg = plain();
    leg.options.table = "linear"; /* its slots grow with the keys */
    leg.size = 2;
    leg.seed = 156343 + i % 7;
    leg.first_numbers = 4;
    leg.chosen = 1;
    leg.timeout = 2e-4 + 2e-5 * (i % 60);
    unlink(path);
    ck_assert_int_eq(try_leg(&loaded, &leg, true, false, &resumed), FLOE_OK);
    engine_outcome_free(&resumed);
    leg = plain();
    ck_assert_int_eq(try_leg(&loaded, &leg, false, access(path, F_OK) == 0, &rest), FLOE_OK);
    outcomes_same(&loaded, &uninterrupted, &rest);
    engine_outcome_free(&rest);
  }
  engine_outcome_free(&uninterrupted);
  loaded_free(&loaded);
}
END_TEST

/* Rank 0 writes for longer than the timeout for silent members, while one member is to end. */
START_TEST(test_slow_disk) {
  const double patience = comm_timeout;
  struct loaded loaded;
  struct engine_outcome outcome;
  struct leg leg = plain();
  load(&subjects[0], &loaded);
  unlink(path);
  comm_timeout = 0.4;
  slow_seconds = 1.2;
  leg.size = 3;
  leg.seed = 5;
  leg.every = 1e-9;
  ck_assert_int_eq(try_leg(&loaded, &leg, true, false, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_INTERRUPT);
  engine_outcome_free(&outcome);
  slow_seconds = 0;
  comm_timeout = patience;
  loaded_free(&loaded);
}
END_TEST

int main(void) {
  char in_memory[] = "/dev/shm/floe-keeping-XXXXXX",
       elsewhere[] = "/tmp/floe-keeping-XXXXXX"; /* files are synchronised */
  char previous[sizeof path + sizeof ".previous"];
  if (!getenv("top_srcdir"))
    return 99;
  const char *folder = mkdtemp(in_memory) ? in_memory : mkdtemp(elsewhere);
  if (!folder)
    return 99;
  snprintf(path, sizeof path, "%s/search", folder);
  TCase *tcase = tcase_create("chains");
  tcase_set_timeout(tcase, 600);
  tcase_add_loop_test(tcase, test_chain, 0, SUBJECTS);
  tcase_add_loop_test(tcase, test_vanished, 0, 2);
  add_tests(tcase, test_key_widening, test_slow_disk);
  const int failed = run_suite("distributed checkpoints", CK_FORK_GETENV, tcase);
  unlink(path);
  snprintf(previous, sizeof previous, "%s.previous", path);
  unlink(previous);
  rmdir(folder);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
