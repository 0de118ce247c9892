/* Checkpoints of groups: GPUs of several processes or of one, and CPUs. Searches end early at random points and are
 * resumed by other members, also by a single one; the outcome must be that of a search without a break. GPUs are
 * emulated; messages between processes are delayed and reordered. */
#include "api/attempts/attempts.h"
#include "base/splitmix64.h"
#include "core/mem.h"
#include "core/system/clock.h"
#include "engine/comm/comm.h"
#include "engine/peer_links.h"
#include "engine/snapshot/snapshot.h"
#include "tests/engine/comm/group_threads.h"
#include "tests/gpu/engine/engine_pair.h"
#include "tests/suite.h"

#include "tests/gpu/device/emulated.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_MEMBERS 4

/* ---- chance -------------------------------------------------------------------------------------- */

static uint64_t chance_state;

static unsigned chance(unsigned below) { return (unsigned)(splitmix64_next(&chance_state) % below); }

/* ---- one run ------------------------------------------------------------------------------------- */

enum kind {
  ALONE,   /* one member, with no group */
  GROUP,   /* processes, each with a GPU or a CPU */
  DEVICES, /* GPUs of one process */
  NESTED   /* processes, every other one with two GPUs */
};
enum { KINDS = NESTED + 1 };
static const unsigned nested_counts[MOST_MEMBERS] = {2, 1, 2, 1};

/* A search from one file to the next. */
struct leg {
  enum kind kind;
  unsigned size, cpus; /* cpus: mask of the members without GPU */
  floe_options options;
  struct fake_settings device;
  const char *test_settings;
  double every, timeout;
  uint64_t seed;
  unsigned chosen;      /* the member that ends the search: */
  unsigned looks;       /* looks at the clock before the interrupt; 0: none */
  uint64_t memory;      /* memory of its GPU; 0: as the others */
  uint64_t host_memory; /* the same for host memory */
  bool damaged;         /* the file is damaged; expected: FLOE_ERROR_IO */
};

static bool is_group(const struct leg *leg) { return leg->kind == GROUP || leg->kind == NESTED; }

static char path[100];

static struct leg plain(void) {
  const struct setting setting = pair_plain();
  struct leg leg = {.size = 1, .cpus = 1, .options = setting.options, .device = setting.device};
  leg.options.keep_going = true;
  leg.options.progress_seconds = 1000;
  return leg;
}

struct member {
  struct pair *pair;
  floe_options options;
  struct fake_settings device;
  struct engine_task task;
  struct attempts attempts;
  unsigned looks;
  double timeout;
  atomic_bool interrupt;
  struct comm comm;
  floe_log *log;
  struct stepper *stepper;
  struct gpu *gpus[MOST_MEMBERS];
  unsigned gpu_count;
  struct peer_links links[2]; /* NESTED */
  struct peer_link said[2 * MOST_MEMBERS];
  struct engine_outcome outcome;
  floe_status status;
  pthread_barrier_t *barrier; /* of all members */
  atomic_uint *ready;
  pthread_t thread;
};

static void count_look(const floe_progress *progress, void *user) {
  struct member *member = user;
  (void)progress;
  if (member->looks > 0 && --member->looks == 0)
    atomic_store(&member->interrupt, true);
}

/* Either all begin or none. */
static floe_status confirm(void *user, floe_status own) {
  struct member *member = user;
  for (unsigned i = 0; member->task.group.member_counts && i < member->gpu_count; i++)
    member->said[member->links[0].process.first + i] = member->links[i].own;
  member->options.timeout = member->timeout; /* from here on */
  member->attempts.prepared.limits.started = clock_seconds();
  atomic_fetch_add(member->ready, own == FLOE_OK);
  pthread_barrier_wait(member->barrier);
  if (atomic_load(member->ready) == member->comm.group->size)
    return FLOE_OK;
  return own != FLOE_OK ? own : FLOE_ERROR_MEMORY; /* of another member */
}

static floe_status explore(struct member *member) {
  member->attempts = (struct attempts){
      .task = member->task, .log = member->log, .gpu_log = member->log, .group = {.confirm = confirm, .user = member}};
  if (!member->barrier) {
    const floe_status status = attempts_prepare(&member->attempts);
    member->options.timeout = member->timeout;
    member->attempts.task.limits.started = member->attempts.prepared.limits.started = clock_seconds();
    if (status != FLOE_OK)
      return status;
  }
  return attempts_run(&member->attempts, &member->outcome);
}

static void *run_member(void *data) {
  struct member *member = data;
  member->status = explore(member);
  if (member->comm.group)
    comm_close(&member->comm, comm_status(&member->comm) != FLOE_OK);
  for (unsigned i = 0; i < member->gpu_count; i++)
    ck_assert_uint_eq(fake_close(member->gpus[i]), 0);
  member->stepper->free(member->stepper);
  return NULL;
}

/* For GPUs of one process, the chosen one is number `device`. */
static void open_gpus(struct member *member, const struct leg *leg, unsigned count, unsigned number) {
  member->gpu_count = count;
  for (unsigned i = 0; i < count; i++) {
    struct fake_settings device = leg->device;
    device.stepper = member->stepper;
    device.model = member->pair->loaded.model;
    device.seed = leg->seed * MOST_MEMBERS + number + i;
    if (number + i == leg->chosen && leg->memory)
      device.memory = leg->memory;
    if (number + i == leg->chosen && leg->host_memory)
      device.host_memory = leg->host_memory;
    member->gpus[i] = fake_open(&device);
  }
}

/* GPUs of a process access each other's memory. */
static void nest(struct member *member, unsigned number) {
  const unsigned first = number / 2 * 3 + number % 2 * 2;
  member->task.group.member_counts = nested_counts;
  member->task.group.links = member->links;
  for (unsigned i = 0; i < member->gpu_count; i++)
    member->links[i] = (struct peer_links){.all = member->said,
                                           .machine = {first, member->gpu_count},
                                           .process = {first, member->gpu_count},
                                           .gpus = member->gpus};
}

static void make_member(struct member *member, struct pair *pair, const struct leg *leg, unsigned number) {
  const bool on_cpu = leg->kind < DEVICES && leg->cpus >> number & 1;
  *member = (struct member){.pair = pair, .options = leg->options};
  ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
  ck_assert_int_eq(interpreter_create(pair->loaded.model, pair->loaded.layout, &member->stepper), FLOE_OK);
  if (number == leg->chosen || leg->kind == DEVICES) {
    member->looks = leg->looks;
    member->timeout = leg->timeout;
    member->options.progress = leg->looks ? count_look : NULL;
    member->options.progress_seconds = 0;
    member->options.user = member;
    member->options.memory = leg->host_memory ? leg->host_memory : leg->options.memory;
  }
  open_gpus(member, leg,
            leg->kind == NESTED    ? nested_counts[number]
            : leg->kind == DEVICES ? leg->size
                                   : !on_cpu,
            number);
  member->task = (struct engine_task){.model = pair->loaded.model,
                                      .layout = pair->loaded.layout,
                                      .initial = pair->initial,
                                      .stepper = member->stepper,
                                      .options = &member->options,
                                      .property_mask = UINT64_MAX >> (64 - pair->loaded.model->property_count),
                                      .limits.interrupt = &member->interrupt,
                                      .devices.gpus = member->gpus,
                                      .devices.count = member->gpu_count,
                                      .group.comm = is_group(leg) ? &member->comm : NULL};
  if (leg->kind == NESTED)
    nest(member, number);
}

static void run(struct member *members, unsigned size) {
  pthread_barrier_t barrier;
  atomic_uint ready = 0;
  pthread_barrier_init(&barrier, NULL, size);
  for (unsigned i = 0; i < size; i++) {
    members[i].barrier = members[i].comm.group ? &barrier : NULL;
    members[i].ready = &ready;
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, run_member, &members[i]), 0);
  }
  for (unsigned i = 0; i < size; i++)
    pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&barrier);
}

static uint64_t caught_up; /* levels that members closed after others, by their own counters */

/* Result of rank 0; errors are the same on all members. */
static floe_status take_outcome(struct member *members, unsigned size, struct engine_outcome *out) {
  const floe_status status = members[0].status;
  const char *said = floe_log_count(members[0].log) ? floe_log_at(members[0].log, 0)->message : "";
  for (unsigned i = 0; i < size; i++)
    ck_assert_msg(members[i].status == status, "rank %u: %d, rank 0: %d: %s", i, (int)members[i].status, (int)status,
                  said);
  for (unsigned i = 1; i < size && status == FLOE_OK; i++) {
    ck_assert_int_eq(members[i].outcome.end, members[0].outcome.end);
    ck_assert_uint_eq(members[i].outcome.levels, members[0].outcome.levels);
    engine_outcome_free(&members[i].outcome);
  }
  if (status == FLOE_OK)
    *out = members[0].outcome;
  ck_assert_msg(status != FLOE_OK || !out->checkpoint_failed, "no checkpoint: %s", said);
  if (status != FLOE_OK && *said)
    printf("said: %s\n", said);
  for (unsigned i = 0; i < size; i++) {
    caught_up += pair_counter(members[i].log, "caught_up");
    floe_log_free(members[i].log);
  }
  return status;
}

/* `on`: the search resumes from the file. */
static floe_status try_leg(struct pair *pair, const struct leg *leg, bool keep, bool on, struct engine_outcome *out) {
  const struct layout *layout = pair->loaded.layout;
  const struct checkpoint_head head = {.model = "m", .file = "", .bits = layout->key_bits, .words = layout->key_words};
  const struct checkpoint_policy checkpoint_policy = {.path = path, .every = leg->every, .head = &head};
  const unsigned size = is_group(leg) ? leg->size : 1;
  struct member members[MOST_MEMBERS];
  struct group *groups[MOST_MEMBERS];
  if (is_group(leg))
    ck_assert(group_threads_make(size, leg->seed, groups));
  setenv("FLOE_GPU_TEST", leg->test_settings ? leg->test_settings : "", 1);
  for (unsigned i = 0; i < size; i++) {
    make_member(&members[i], pair, leg, i);
    if (is_group(leg))
      comm_open(groups[i], &members[i].comm);
  }
  struct engine_task *first = &members[0].task;
  if (on)
    ck_assert_int_eq(checkpoint_open(path, members[0].log, &first->snapshot.from), FLOE_OK);
  first->snapshot.policy = keep ? &checkpoint_policy : NULL;
  struct checkpoint_reader *from = first->snapshot.from;
  for (unsigned i = 0; i < size && is_group(leg); i++) {
    members[i].task.group.saves = keep;
    members[i].task.group.restored_states = on ? snapshot_states(first) : 0;
  }
  run(members, size);
  checkpoint_close(from);
  const floe_status status = take_outcome(members, size, out);
  ck_assert_msg(status == FLOE_OK || status == (leg->damaged ? FLOE_ERROR_IO : FLOE_ERROR_MEMORY) ||
                    (status == FLOE_ERROR_UNSUPPORTED && leg->kind == DEVICES && (leg->timeout > 0 || leg->looks)),
                "%d: %s", (int)status, loaded_message(&pair->loaded));
  return status;
}

static struct engine_outcome reference(struct pair *pair) {
  struct engine_outcome outcome;
  const struct leg leg = plain();
  ck_assert_int_eq(try_leg(pair, &leg, false, false, &outcome), FLOE_OK);
  return outcome;
}

/* ---- chains of runs ------------------------------------------------------------------------------ */

static const char *const tunings[] = {"alone=20",
                                      "alone=20,blocks=1,out=1",
                                      "alone=20,blocks=1,queue=1,slice_us=50",
                                      "alone=20,blocks=1,mailboxes=2,slice_us=20,step=8",
                                      "alone=1,blocks=1,mailboxes=2,out=10,queue=1",
                                      "alone=1,blocks=1,fill=30"};
#define TUNINGS ((unsigned)(sizeof tunings / sizeof *tunings))
static const char *const tables[] = {"iceberg", "linear", "bitmap"};
#define MOST_KEYS (UINT64_C(1) << 20) /* of a bitmap here */

static struct leg some_leg(const struct pair *pair) {
  struct leg leg = plain();
  const uint64_t keys = pair->loaded.layout->keys;
  leg.kind = chance(8) == 0 ? ALONE : (enum kind)(1 + chance(KINDS - 1));
  leg.size = leg.kind == ALONE ? 1 : 2 + chance(MOST_MEMBERS - 1);
  leg.cpus = chance(2) ? 0 : chance(1u << leg.size);
  leg.seed = 1 + chance(1000000);
  leg.test_settings = tunings[chance(TUNINGS)];
  leg.options.threads = 1 + chance(3);
  leg.options.table = tables[chance(keys && keys <= MOST_KEYS ? 3 : 2)];
  leg.options.initial_slots = chance(2) ? 256 : 0;
  leg.every = chance(3) ? 0 : 1e-2;
  leg.chosen = chance(leg.size);
  leg.device.stop_percent = 5 + chance(20);
  leg.device.apart = chance(3) == 0;
  switch (chance(strcmp(leg.options.table, "bitmap") ? 4 : 3)) {
  case 0:
  case 1:
    leg.looks = 1 + chance(15);
    break;
  case 2:
    leg.timeout = 1e-3 * (1 + chance(60));
    break;
  default: /* may be too little to continue or to begin */
    leg.memory = MEBIBYTE + chance(3 * MEBIBYTE);
    leg.host_memory = 300000 + chance(500000);
  }
  return leg;
}

struct counts {
  unsigned legs[KINDS], timeouts, interrupts, memory, refused;
};

static void count(struct counts *counts, const struct leg *leg, floe_end end) {
  counts->legs[leg->kind]++;
  counts->timeouts += end == FLOE_END_TIMEOUT;
  counts->interrupts += end == FLOE_END_INTERRUPT;
  counts->memory += end == FLOE_END_MEMORY;
}

/* Continues until the search is complete. */
static struct engine_outcome chain(struct pair *pair, struct counts *counts) {
  bool on = false;
  for (unsigned tries = 0;; tries++) {
    const struct leg leg = tries < 30 ? some_leg(pair) : plain();
    struct engine_outcome outcome;
    if (try_leg(pair, &leg, true, on, &outcome) != FLOE_OK) {
      counts->refused++;
      continue;
    }
    if (outcome.end != FLOE_END_INTERRUPT && outcome.end != FLOE_END_MEMORY && outcome.end != FLOE_END_TIMEOUT)
      return outcome;
    count(counts, &leg, outcome.end);
    on = access(path, F_OK) == 0;
    engine_outcome_free(&outcome);
  }
}

static const struct subject subjects[] = {
    {"counters", {{"N", "5"}, {"K", "6"}}},        {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, /* errors */
    {"peterson", {{"N", "4"}, {"LEVELS", "2"}}},                                                          /* violated */
    {"philosophers", {{"N", "9"}, {"LEFT", "0"}}},                                                        /* deadlock */
    {"tests/engine/errors/cut", {{NULL, NULL}}},
};
#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))
#define CHAINS (everything() ? 30 : quickly() ? 1 : 2)

START_TEST(test_chain) {
  struct pair pair;
  struct counts counts = {{0}, 0, 0, 0, 0};
  pair_open(&pair, &subjects[_i]);
  struct engine_outcome whole = reference(&pair);
  for (int i = 0; i < CHAINS; i++) {
    chance_state = (uint64_t)(1000 * _i + i);
    unlink(path);
    struct engine_outcome broken = chain(&pair, &counts);
    pair_compare(&pair, &whole, &broken);
    engine_outcome_free(&broken);
  }
  printf(
      "%-24s breaks: %u alone, %u of processes, %u of devices, %u of both; %u timeouts, %u interrupts, %u by memory; "
      "%u could not begin\n",
      subjects[_i].model, counts.legs[ALONE], counts.legs[GROUP], counts.legs[DEVICES], counts.legs[NESTED],
      counts.timeouts, counts.interrupts, counts.memory, counts.refused);
  engine_outcome_free(&whole);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* ---- ends ---------------------------------------------------------------------------------------- */

/* Runs `first`; if that ends early, another search completes it from the file. False: `first` could not begin. */
static bool break_once(struct pair *pair, const struct engine_outcome *whole, const struct leg *first,
                       const struct leg *second, floe_end *end) {
  struct engine_outcome broken, rest;
  unlink(path);
  if (try_leg(pair, first, true, false, &broken) != FLOE_OK)
    return false;
  *end = broken.end;
  engine_outcome_free(&broken);
  if (*end == FLOE_END_COMPLETE)
    return true;
  ck_assert_int_eq(access(path, F_OK), 0);
  ck_assert_int_eq(try_leg(pair, second, true, true, &rest), FLOE_OK);
  pair_compare(pair, whole, &rest);
  engine_outcome_free(&rest);
  return true;
}

static struct leg all_on_devices(enum kind kind, unsigned size) {
  struct leg leg = plain();
  leg.kind = kind;
  leg.size = size;
  leg.cpus = 0;
  leg.seed = 7;
  leg.test_settings = "alone=20,blocks=1";
  leg.device.stop_percent = 5;
  return leg;
}

/* One member has less and less memory, until it cannot begin: keys that it cannot insert are pending in the file. */
START_TEST(memory_that_ends_loses_nothing) {
  static const struct subject large = {"counters", {{"N", "5"}, {"K", "9"}}};
  static const char *const full[] = {"alone=20,blocks=1", "alone=20,blocks=1,mailboxes=2,out=1",
                                     "alone=20,blocks=1,queue=1"};
  struct pair pair;
  floe_end end;
  unsigned ends = 0;
  pair_open(&pair, &large);
  struct engine_outcome whole = reference(&pair);
  struct leg first = all_on_devices(_i % 2 ? DEVICES : GROUP, 3), second = plain();
  first.test_settings = full[_i / 2];
  first.options.table = "linear";
  first.options.slot_bits = 64;
  first.options.initial_slots = 256;
  first.chosen = (unsigned)_i / 2;
  if (_i % 3 == 1) /* with states of the next level, too */
    second = all_on_devices(_i == 1 ? GROUP : DEVICES, 2);
  for (first.memory = MEBIBYTE * 15 / 4; everything() || !ends; first.memory -= MEBIBYTE / 4) {
    if (!break_once(&pair, &whole, &first, &second, &end))
      break;
    ends += end == FLOE_END_MEMORY;
  }
  printf("%s: %u ends by memory\n", first.test_settings, ends);
  ck_assert_uint_gt(ends, 0);
  engine_outcome_free(&whole);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* GPUs are stopped while they send to each other's memory: keys not yet received are in the file. Repeats until some
 * member had closed a level that others close afterwards. */
START_TEST(mailboxes_are_emptied) {
  static const struct subject large = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct pair pair;
  floe_end end;
  unsigned ends = 0;
  pair_open(&pair, &large);
  struct engine_outcome whole = reference(&pair);
  struct leg first = all_on_devices(DEVICES, 2 + (unsigned)_i), second = plain();
  first.test_settings = "alone=20,blocks=1,slice_us=1,tell=1,agree_us=1000000000";
  first.device.multiprocessors = 1;
  caught_up = 0;
  for (unsigned i = 0; i < (everything() ? 60 : 5) || (!caught_up && i < 60); i++) {
    first.seed = 1 + i;
    first.looks = 15 + 8 * (i % 30);
    ck_assert(break_once(&pair, &whole, &first, &second, &end));
    ends += end == FLOE_END_INTERRUPT;
  }
  ck_assert_uint_gt(ends, 0);
  ck_assert_uint_gt(caught_up, 0);
  engine_outcome_free(&whole);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* Periodic checkpoints: the search continues unchanged, and other searches resume from the files. */
START_TEST(it_goes_on_after_a_checkpoint) {
  static const struct subject subject = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct pair pair;
  struct engine_outcome kept, rest;
  pair_open(&pair, &subject);
  struct engine_outcome whole = reference(&pair);
  static const enum kind kinds[] = {GROUP, DEVICES, NESTED};
  struct leg first = all_on_devices(kinds[_i % 3], 2 + (unsigned)_i / 3), second = plain();
  first.test_settings = "alone=20,blocks=1,mailboxes=2,slice_us=200";
  first.every = 0.05;
  unlink(path);
  ck_assert_int_eq(try_leg(&pair, &first, true, false, &kept), FLOE_OK);
  pair_compare(&pair, &whole, &kept);
  ck_assert_uint_gt(kept.statistics.checkpoints, 0);
  ck_assert_int_eq(try_leg(&pair, &second, false, true, &rest), FLOE_OK);
  pair_compare(&pair, &whole, &rest);
  engine_outcome_free(&kept);
  engine_outcome_free(&rest);
  engine_outcome_free(&whole);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* The first of several devices stops because all restart: that end writes no checkpoint. */
START_TEST(beginning_anew_keeps_nothing) {
  static const struct subject subject = {"counters", {{"N", "4"}, {"K", "6"}}};
  struct pair pair;
  struct engine_outcome kept;
  pair_open(&pair, &subject);
  const struct leg leg = all_on_devices(DEVICES, 2);
  unlink(path);
  ck_assert_int_eq(try_leg(&pair, &leg, true, false, &kept), FLOE_OK);
  ck_assert_int_eq(kept.end, FLOE_END_COMPLETE);
  ck_assert_uint_eq(kept.group.count, 2);
  ck_assert_int_ne(access(path, F_OK), 0);
  engine_outcome_free(&kept);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* A damaged file ends the search with the same error on all members. */
START_TEST(a_damaged_file_ends_all) {
  static const struct subject subject = {"counters", {{"N", "5"}, {"K", "6"}}};
  struct pair pair;
  struct engine_outcome outcome;
  pair_open(&pair, &subject);
  struct leg first = plain();
  first.options.max_states = 3000;
  unlink(path);
  ck_assert_int_eq(try_leg(&pair, &first, true, false, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_STATES);
  engine_outcome_free(&outcome);
  FILE *file = fopen(path, "r+b");
  ck_assert(file && fseek(file, 700, SEEK_SET) == 0 && fputc(0x5a, file) == 0x5a && fclose(file) == 0);
  struct leg second = all_on_devices(_i ? DEVICES : GROUP, 3);
  second.damaged = true;
  ck_assert_int_eq(try_leg(&pair, &second, true, true, &outcome), FLOE_ERROR_IO);
  emulated_forget();
  pair_close(&pair);
}
END_TEST

/* ---- suite --------------------------------------------------------------------------------------- */

int main(void) {
  char in_memory[] = "/dev/shm/floe-members-XXXXXX",
       elsewhere[] = "/tmp/floe-members-XXXXXX"; /* each file is synchronised */
  char previous[sizeof path + sizeof ".previous"];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!getenv("top_srcdir"))
    return 99;
  if (!emulated_possible())
    return 77;
  const char *folder = mkdtemp(in_memory) ? in_memory : mkdtemp(elsewhere);
  if (!folder)
    return 99;
  comm_timeout = 20;
  snprintf(path, sizeof path, "%s/search", folder);
  TCase *chains = tcase_create("chains"), *ends = tcase_create("ends");
  tcase_set_timeout(chains, 600);
  tcase_set_timeout(ends, 300);
  tcase_add_loop_test(chains, test_chain, 0, at_length() ? SUBJECTS : 3);
  tcase_add_loop_test(ends, memory_that_ends_loses_nothing, 0, at_length() ? 6 : 2);
  tcase_add_loop_test(ends, mailboxes_are_emptied, 0, 2);
  tcase_add_loop_test(ends, it_goes_on_after_a_checkpoint, 0, at_length() ? 5 : 3);
  tcase_add_test(ends, beginning_anew_keeps_nothing);
  tcase_add_loop_test(ends, a_damaged_file_ends_all, 0, 2);
  const int failed = run_suite("checkpoints of members on devices", CK_FORK_GETENV, chains, ends);
  snprintf(previous, sizeof previous, "%s.previous", path);
  unlink(path);
  unlink(previous);
  rmdir(folder);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
