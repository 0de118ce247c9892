/* Checkpoints of groups. Searches end early at random points and are resumed by other carriers: other numbers of
   members, threads and tables, or one member. The outcome equals that of an uninterrupted search. Members are CPUs;
   with EMULATED also emulated GPUs, of several processes or of one. */
#include "base/splitmix64.h"
#include "core/system/clock.h"
#include "engine/comm/exchange.h"
#include "engine/snapshot/snapshot.h"
#include "tests/gpu/multi/members.h"
#include "tests/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef EMULATED
#include "tests/gpu/device/emulated.h"
#define WITH_GPUS true
#else
#define WITH_GPUS false
static bool emulated_possible(void) { return true; }
static void emulated_forget(void) {}
#endif

#define MOST_MEMBERS 4
#define MOST_MULTIWORD 2 /* subjects with multiword states, which groups of GPUs do not save: the last ones */

static const struct subject subjects[] = {
    {"counters", {{"N", "5"}, {"K", "6"}}},
    {"counters", {{"N", "3"}, {"K", "4"}, {"WRAP", "0"}}}, /* errors */
    {"peterson", {{"N", "4"}, {"LEVELS", "2"}}},           /* violated */
    {"philosophers", {{"N", "9"}, {"LEFT", "0"}}},         /* deadlock */
    {"tests/engine/errors/cut", {{NULL, NULL}}},
    {"tests/engine/errors/several", {{NULL, NULL}}},
    {"tests/engine/errors/flood", {{NULL, NULL}}},
    {"tests/engine/errors/later", {{NULL, NULL}}},
    {"bakery", {{"N", "4"}}},
    {"tests/gpu/engine/chains", {{"LENGTH", "11"}}},
    {"tests/gpu/engine/chains", {{"LENGTH", "24"}, {"TOP", "1"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, GPU_SUBJECTS = 5 };

/* ---- a slow disk --------------------------------------------------------------------------------- */

static double slow_seconds;      /* of each call of fsync */
static atomic_bool *slow_victim; /* interrupt of the last member, set meanwhile */

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

/* A search from one file to the next. */
struct leg {
  struct carrier carrier;
  struct setting setting;
  struct fault fault;
  double every;
  uint64_t tree_slots;
  bool damaged; /* the file is; expected: FLOE_ERROR_IO */
};

static struct leg plain(void) {
  struct leg leg = {.carrier = {.processes = 1, .cpus = ALL_CPUS}, .setting = members_plain()};
  leg.setting.test_settings = "alone=20,blocks=1";
  return leg;
}

/* `keep`: writes checkpoints; `on`: is resumed from the file. */
static void run_leg(const struct pair *pair, const struct leg *leg, bool keep, bool on, struct member *members) {
  const struct layout *layout = pair->loaded.layout;
  const struct checkpoint_head head = {.model = "m", .file = "", .bits = layout->key_bits, .words = layout->key_words};
  const struct checkpoint_policy policy = {.path = path, .every = leg->every, .head = &head};
  struct engine_task *first = &members[0].task;
  members_make(members, &leg->carrier, pair, &leg->setting, &leg->fault);
  if (on)
    ck_assert_int_eq(checkpoint_open(path, members[0].log, &first->snapshot.from), FLOE_OK);
  first->snapshot.policy = keep ? &policy : NULL;
  struct checkpoint_reader *from = first->snapshot.from;
  for (unsigned i = 0; i < leg->carrier.processes; i++) {
    members[i].task.first_tree_slots = leg->tree_slots;
    members[i].task.group.saves = carrier_is_group(&leg->carrier) && keep;
    members[i].task.group.restored_states = carrier_is_group(&leg->carrier) && on ? snapshot_states(first) : 0;
  }
  slow_victim = &members[leg->carrier.processes - 1].interrupt;
  members_run(members, leg->carrier.processes);
  checkpoint_close(from);
}

static uint64_t caught_up; /* levels that GPUs closed after others, by their own counters */

/* GPUs of one process may be stopped before they begin. */
static void check_status(const struct leg *leg, floe_status status, const char *message) {
  const bool stopped =
      !carrier_is_group(&leg->carrier) && leg->carrier.gpus[0] > 1 && (leg->fault.timeout > 0 || leg->fault.looks > 0);
  ck_assert_msg(status == FLOE_OK || status == (leg->damaged ? FLOE_ERROR_IO : FLOE_ERROR_MEMORY) ||
                    (stopped && status == FLOE_ERROR_UNSUPPORTED),
                "status %d: %s", (int)status, message);
}

/* The outcome of rank 0; errors are the same on all members. */
static floe_status take_outcome(struct member *members, const struct leg *leg, struct engine_outcome *out) {
  const floe_status status = members[0].status;
  const char *message = floe_log_count(members[0].log) ? floe_log_at(members[0].log, 0)->message : "";
  check_status(leg, status, message);
  for (unsigned i = 1; i < leg->carrier.processes; i++) {
    ck_assert_msg(members[i].status == status, "rank %u: %d, rank 0: %d: %s", i, (int)members[i].status, (int)status,
                  message);
    ck_assert(status != FLOE_OK || members[i].outcome.end == members[0].outcome.end);
    ck_assert(status != FLOE_OK || members[i].outcome.levels == members[0].outcome.levels);
  }
  ck_assert_msg(status != FLOE_OK || !members[0].outcome.checkpoint_failed, "no checkpoint: %s", message);
  caught_up += members_counter(members, leg->carrier.processes, "caught_up");
  if (status == FLOE_OK)
    *out = members[0].outcome;
  members[0].outcome = (struct engine_outcome){0};
  members_free(members, leg->carrier.processes);
  return status;
}

static floe_status try_leg(const struct pair *pair, const struct leg *leg, bool keep, bool on,
                           struct engine_outcome *out) {
  struct member members[MOST_PROCESSES];
  run_leg(pair, leg, keep, on, members);
  return take_outcome(members, leg, out);
}

static void compare_and_free(const struct pair *pair, const struct engine_outcome *uninterrupted,
                             struct engine_outcome *resumed) {
  pair_compare(pair, uninterrupted, resumed);
  engine_outcome_free(resumed);
}

/* Resumes from the file, or begins if there is none. */
static void complete(const struct pair *pair, const struct leg *leg, const struct engine_outcome *uninterrupted) {
  struct engine_outcome rest;
  ck_assert_int_eq(try_leg(pair, leg, false, access(path, F_OK) == 0, &rest), FLOE_OK);
  compare_and_free(pair, uninterrupted, &rest);
}

static struct engine_outcome begin(struct pair *pair, const struct subject *subject, bool keep_going) {
  struct setting setting = members_plain();
  setting.options.keep_going = keep_going;
  pair_open(pair, subject);
  unlink(path);
  return pair_on_cpu(pair, &setting);
}

static void end(struct pair *pair, struct engine_outcome *uninterrupted) {
  engine_outcome_free(uninterrupted);
  emulated_forget();
  pair_close(pair);
}

/* ---- chains of runs ------------------------------------------------------------------------------ */

static uint64_t chance_state;

static unsigned chance(unsigned below) { return (unsigned)(splitmix64_next(&chance_state) % below); }

enum kind { ALONE, GROUP, DEVICES, NESTED, KINDS };

static struct carrier carrier_of(enum kind kind, unsigned size) {
  switch (kind) {
  case ALONE:
    return (struct carrier){.processes = 1, .cpus = ALL_CPUS};
  case GROUP:
    return (struct carrier){.processes = size, .cpus = WITH_GPUS ? 0 : ALL_CPUS};
  case DEVICES:
    return (struct carrier){.processes = 1, .gpus = {size}};
  default:
    return (struct carrier){.processes = size, .gpus = {2, 1, 2, 1}};
  }
}

static struct carrier random_carrier(enum kind kind) {
  const unsigned most = WITH_GPUS && !at_length() ? 3 : MOST_MEMBERS;
  struct carrier carrier = carrier_of(kind, 2 + chance(most - 1));
  if (WITH_GPUS && kind == GROUP && chance(2))
    carrier.cpus = chance(1u << carrier.processes);
  carrier.apart = chance(3) ? 0 : UINT_MAX;
  return carrier;
}

static const char *const tables[] = {"iceberg", "linear", "bitmap"};
#define MOST_KEYS (UINT64_C(1) << (WITH_GPUS ? 20 : 25)) /* of a bitmap */

/* Bytes of the messages of a CPU. */
static uint64_t packet_bytes_of(const struct leg *leg, const struct layout *layout) {
  const struct exchange_plan plan = {leg->setting.options.threads, layout->key_words, EXCHANGE_PACKET_WORDS,
                                     EXCHANGE_QUEUED_PACKETS};
  return carrier_is_group(&leg->carrier) ? exchange_bytes(leg->carrier.processes, &plan) : 0;
}

/* Memory may be too little to resume, or even to begin; a bitmap has a fixed size. */
static void random_fault(struct leg *leg, const struct layout *layout) {
  struct fault *fault = &leg->fault;
  fault->member = chance(carrier_members(&leg->carrier));
  switch (chance(strcmp(leg->setting.options.table, "bitmap") ? 3 : 2)) {
  case 0:
    if (!WITH_GPUS && !chance(3))
      leg->every = 1e-9; /* only checkpoints */
    fault->looks = 1 + chance(WITH_GPUS ? 15 : carrier_is_group(&leg->carrier) && leg->every > 1e-9 ? 2000 : 40);
    break;
  case 1:
    fault->timeout = WITH_GPUS ? 1e-3 * (1 + chance(60)) : 1e-4 * (1 + chance(300));
    break;
  default:
    fault->memory = MEBIBYTE + chance(3 * MEBIBYTE);
    fault->host_memory = packet_bytes_of(leg, layout) + 150000 + chance(500000);
  }
}

static struct leg random_leg(const struct pair *pair, enum kind kind) {
  static const char *const tunings[] = {"alone=20",
                                        "alone=20,blocks=1,out=1",
                                        "alone=20,blocks=1,queue=1,slice_us=50",
                                        "alone=20,blocks=1,mailboxes=2,slice_us=20,step=8",
                                        "alone=1,blocks=1,mailboxes=2,out=10,queue=1",
                                        "alone=1,blocks=1,fill=30"};
  const struct layout *layout = pair->loaded.layout;
  struct leg leg = plain();
  leg.carrier = random_carrier(kind);
  leg.setting.device.seed = 1 + chance(1000000);
  leg.setting.device.stop_percent = 5 + chance(20);
  leg.setting.test_settings = tunings[chance(sizeof tunings / sizeof *tunings)];
  leg.setting.options.threads = 1 + chance(3);
  leg.setting.options.table = tables[chance(layout->keys && layout->keys <= MOST_KEYS && layout->words == 1 ? 3 : 2)];
  leg.setting.options.initial_slots = chance(2) ? 256 : 0;
  leg.every = chance(3) ? 0 : 1e-2;
  leg.tree_slots = chance(2) ? 4 : 0;
  random_fault(&leg, layout);
  return leg;
}

struct counts {
  unsigned legs[KINDS], timeouts, interrupts, memory, refused;
};

static void count(struct counts *counts, enum kind kind, floe_end end) {
  counts->legs[kind]++;
  counts->timeouts += end == FLOE_END_TIMEOUT;
  counts->interrupts += end == FLOE_END_INTERRUPT;
  counts->memory += end == FLOE_END_MEMORY;
}

static enum kind random_kind(void) {
  return chance(WITH_GPUS ? 8 : 4) == 0 ? ALONE : (enum kind)(1 + chance(WITH_GPUS ? KINDS - 1 : 1));
}

/* Resumes until the search completes. */
static struct engine_outcome chain(const struct pair *pair, bool keep_going, struct counts *counts) {
  bool on = false;
  for (unsigned tries = 0;; tries++) {
    const enum kind kind = random_kind();
    struct leg leg = tries < (WITH_GPUS ? 30 : 20) ? random_leg(pair, kind) : plain();
    struct engine_outcome outcome;
    leg.setting.options.keep_going = keep_going;
    if (try_leg(pair, &leg, true, on, &outcome) != FLOE_OK) {
      counts->refused++;
      continue;
    }
    if (outcome.end != FLOE_END_INTERRUPT && outcome.end != FLOE_END_MEMORY && outcome.end != FLOE_END_TIMEOUT)
      return outcome;
    count(counts, kind, outcome.end);
    on = access(path, F_OK) == 0;
    engine_outcome_free(&outcome);
  }
}

/* More chains of states that need much memory: most limits are too low for these. */
static int chains_of(int subject) {
  if (WITH_GPUS)
    return everything() ? 30 : quickly() ? 1 : 2;
  return (subject >= SUBJECTS - MOST_MULTIWORD ? 4 : 2) * (everything() ? 100 : at_length() ? 6 : 2);
}

START_TEST(test_chain) {
  struct counts counts = {{0}, 0, 0, 0, 0};
  for (int i = 0; i < chains_of(_i); i++) {
    struct pair pair;
    const bool keep_going = WITH_GPUS || i % 2;
    struct engine_outcome uninterrupted = begin(&pair, &subjects[_i], keep_going);
    chance_state = (uint64_t)(1000 * _i + i);
    struct engine_outcome resumed = chain(&pair, keep_going, &counts);
    compare_and_free(&pair, &uninterrupted, &resumed);
    engine_outcome_free(&uninterrupted);
    pair_close(&pair);
  }
  emulated_forget();
  printf(
      "%-28s breaks: %u alone, %u of processes, %u of devices, %u of both; %u timeouts, %u interrupts, %u by memory; "
      "%u could not begin\n",
      subjects[_i].model, counts.legs[ALONE], counts.legs[GROUP], counts.legs[DEVICES], counts.legs[NESTED],
      counts.timeouts, counts.interrupts, counts.memory, counts.refused);
}
END_TEST

/* ---- CPUs ---------------------------------------------------------------------------------------- */

/* A member vanishes while states are in flight to rank 0, or to others: all members end soon, and the file is valid. */
START_TEST(test_vanished) {
  const double patience = comm_timeout;
  struct pair pair;
  struct engine_outcome uninterrupted = begin(&pair, &subjects[0], true);
  comm_timeout = 0.2;
  for (unsigned i = 0; i < (at_length() ? 12 : 6); i++) {
    struct member members[MOST_PROCESSES];
    const double begun = clock_seconds();
    struct leg leg = plain();
    leg.carrier = carrier_of(GROUP, 3);
    leg.setting.device.seed = 100 * (unsigned)_i + i + 1;
    leg.setting.options.timeout = 0.1;
    leg.fault = (struct fault){.member = i % 3, .calls = 20 + 60 * i * (1 + (unsigned)_i)};
    leg.every = i % 2 ? 1e-9 : 1e-3;
    run_leg(&pair, &leg, true, false, members);
    ck_assert_double_lt(clock_seconds() - begun, 30);
    members_free(members, 3);
    leg = plain();
    leg.carrier = i % 3 ? carrier_of(GROUP, 1 + i % 3) : leg.carrier;
    if (access(path, F_OK) == 0)
      complete(&pair, &leg, &uninterrupted);
  }
  comm_timeout = patience;
  end(&pair, &uninterrupted);
}
END_TEST

/* The timeout expires while keys are widened because the tree has grown: no state gets a root for which the set has
   no room. */
START_TEST(test_key_widening) {
  struct pair pair;
  struct engine_outcome resumed, uninterrupted = begin(&pair, &subjects[SUBJECTS - 1], false);
  struct leg rest = plain();
  rest.setting.options.keep_going = false;
  for (unsigned i = 0; i < (everything() ? 4000 : at_length() ? 300 : 60); i++) {
    struct leg leg = rest;
    leg.carrier = carrier_of(GROUP, 2);
    leg.setting.options.table = "linear"; /* its slots grow with the keys */
    leg.setting.device.seed = 156343 + i % 7;
    leg.tree_slots = 4;
    leg.fault = (struct fault){.member = 1, .timeout = 2e-4 + 2e-5 * (i % 60)};
    unlink(path);
    ck_assert_int_eq(try_leg(&pair, &leg, true, false, &resumed), FLOE_OK);
    engine_outcome_free(&resumed);
    complete(&pair, &rest, &uninterrupted);
  }
  end(&pair, &uninterrupted);
}
END_TEST

/* Rank 0 writes for longer than the timeout for silent members, while one member is to end. */
START_TEST(test_slow_disk) {
  const double patience = comm_timeout;
  struct pair pair;
  struct engine_outcome outcome, uninterrupted = begin(&pair, &subjects[0], true);
  struct leg leg = plain();
  comm_timeout = 0.4;
  slow_seconds = 1.2;
  leg.carrier = carrier_of(GROUP, 3);
  leg.setting.device.seed = 5;
  leg.every = 1e-9;
  ck_assert_int_eq(try_leg(&pair, &leg, true, false, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_INTERRUPT);
  engine_outcome_free(&outcome);
  slow_seconds = 0;
  comm_timeout = patience;
  end(&pair, &uninterrupted);
}
END_TEST

/* ---- GPUs ---------------------------------------------------------------------------------------- */

static struct leg all_on_devices(enum kind kind, unsigned size) {
  struct leg leg = plain();
  leg.carrier = carrier_of(kind, size);
  leg.setting.device.seed = 7;
  return leg;
}

/* Runs `first`; if that ends early, `second` completes it from the file. False: `first` could not begin. */
static bool break_once(const struct pair *pair, const struct engine_outcome *uninterrupted, const struct leg *first,
                       const struct leg *second, floe_end *end) {
  struct engine_outcome broken;
  unlink(path);
  if (try_leg(pair, first, true, false, &broken) != FLOE_OK)
    return false;
  *end = broken.end;
  engine_outcome_free(&broken);
  if (*end == FLOE_END_COMPLETE)
    return true;
  ck_assert_int_eq(access(path, F_OK), 0);
  complete(pair, second, uninterrupted);
  return true;
}

/* One member has less and less memory, until it cannot begin: keys that it cannot insert are pending in the file. */
START_TEST(test_memory) {
  static const struct subject large = {"counters", {{"N", "5"}, {"K", "9"}}};
  static const char *const full[] = {"alone=20,blocks=1", "alone=20,blocks=1,mailboxes=2,out=1",
                                     "alone=20,blocks=1,queue=1"};
  struct pair pair;
  floe_end why;
  unsigned ends = 0;
  struct engine_outcome uninterrupted = begin(&pair, &large, true);
  struct leg first = all_on_devices(_i % 2 ? DEVICES : GROUP, 3), second = plain();
  first.setting.test_settings = full[_i / 2];
  first.setting.options.table = "linear";
  first.setting.options.slot_bits = 64;
  first.setting.options.initial_slots = 256;
  first.fault.member = (unsigned)_i / 2;
  if (_i % 3 == 1) /* with states of the next level, too */
    second = all_on_devices(_i == 1 ? GROUP : DEVICES, 2);
  for (first.fault.memory = MEBIBYTE * 15 / 4; everything() || !ends; first.fault.memory -= MEBIBYTE / 4) {
    if (!break_once(&pair, &uninterrupted, &first, &second, &why))
      break;
    ends += why == FLOE_END_MEMORY;
  }
  ck_assert_uint_gt(ends, 0);
  end(&pair, &uninterrupted);
}
END_TEST

/* GPUs are stopped while they send to each other's memory: keys not yet received are in the file. Repeats until some
 * member had closed a level that others close afterwards. */
START_TEST(test_mailboxes) {
  static const struct subject large = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct pair pair;
  floe_end why;
  unsigned ends = 0;
  struct engine_outcome uninterrupted = begin(&pair, &large, true);
  struct leg first = all_on_devices(DEVICES, 2 + (unsigned)_i), second = plain();
  first.setting.test_settings = "alone=20,blocks=1,slice_us=1,tell=1,agree_us=1000000000";
  first.setting.device.multiprocessors = 1;
  caught_up = 0;
  for (unsigned i = 0; i < (everything() ? 60 : at_length() ? 5 : 2) || (!caught_up && i < 60); i++) {
    first.setting.device.seed = 1 + i;
    first.fault.looks = 15 + 8 * (i % 30);
    ck_assert(break_once(&pair, &uninterrupted, &first, &second, &why));
    ends += why == FLOE_END_INTERRUPT;
  }
  ck_assert_uint_gt(ends, 0);
  ck_assert_uint_gt(caught_up, 0);
  end(&pair, &uninterrupted);
}
END_TEST

/* Periodic checkpoints: the search continues unchanged, and other searches resume from the files. */
START_TEST(test_periodic) {
  static const struct subject subject = {"counters", {{"N", "5"}, {"K", "8"}}};
  struct pair pair;
  struct engine_outcome kept, uninterrupted = begin(&pair, &subject, true);
  struct leg first = all_on_devices((enum kind)(GROUP + _i % 3), 2 + (unsigned)_i / 3), second = plain();
  first.setting.test_settings = "alone=20,blocks=1,mailboxes=2,slice_us=200";
  first.every = 0.05;
  ck_assert_int_eq(try_leg(&pair, &first, true, false, &kept), FLOE_OK);
  ck_assert_uint_gt(kept.statistics.checkpoints, 0);
  compare_and_free(&pair, &uninterrupted, &kept);
  complete(&pair, &second, &uninterrupted);
  end(&pair, &uninterrupted);
}
END_TEST

/* The first of several GPUs stops because all restart: that end writes no checkpoint. */
START_TEST(test_restart) {
  struct pair pair;
  struct engine_outcome kept, uninterrupted = begin(&pair, &subjects[0], true);
  const struct leg leg = all_on_devices(DEVICES, 2);
  ck_assert_int_eq(try_leg(&pair, &leg, true, false, &kept), FLOE_OK);
  ck_assert_uint_eq(kept.group.count, 2);
  ck_assert_int_ne(access(path, F_OK), 0);
  compare_and_free(&pair, &uninterrupted, &kept);
  end(&pair, &uninterrupted);
}
END_TEST

/* A damaged file ends the search with the same error on all members. */
START_TEST(test_damaged) {
  struct pair pair;
  struct engine_outcome outcome, uninterrupted = begin(&pair, &subjects[0], true);
  struct leg first = plain(), second = all_on_devices(_i ? DEVICES : GROUP, 3);
  first.setting.options.max_states = 3000;
  ck_assert_int_eq(try_leg(&pair, &first, true, false, &outcome), FLOE_OK);
  ck_assert_int_eq(outcome.end, FLOE_END_STATES);
  engine_outcome_free(&outcome);
  FILE *file = fopen(path, "r+b");
  ck_assert(file && fseek(file, 700, SEEK_SET) == 0 && fputc(0x5a, file) == 0x5a && fclose(file) == 0);
  second.damaged = true;
  ck_assert_int_eq(try_leg(&pair, &second, true, true, &outcome), FLOE_ERROR_IO);
  end(&pair, &uninterrupted);
}
END_TEST

/* ---- suite --------------------------------------------------------------------------------------- */

/* `make check` has few chains of GPUs, of at most three members each, for a model with errors and one without. */
static int run_all(void) {
  TCase *chains = tcase_create("chains"), *ends = tcase_create("ends");
  tcase_set_timeout(chains, 600);
  tcase_set_timeout(ends, 300);
  tcase_add_loop_test(chains, test_chain, 0, !WITH_GPUS ? SUBJECTS : at_length() ? GPU_SUBJECTS : 2);
  if (WITH_GPUS) {
    tcase_add_loop_test(ends, test_memory, at_length() ? 0 : 1, at_length() ? 6 : 3);
    tcase_add_loop_test(ends, test_mailboxes, 0, 2);
    tcase_add_loop_test(ends, test_periodic, 0, at_length() ? 5 : 3);
    tcase_add_test(ends, test_restart);
    tcase_add_loop_test(ends, test_damaged, 0, 2);
  } else {
    tcase_add_loop_test(ends, test_vanished, 0, 2);
    add_tests(ends, test_key_widening, test_slow_disk);
  }
  return run_suite("checkpoints of groups", CK_FORK_GETENV, chains, ends);
}

int main(void) {
  char in_memory[] = "/dev/shm/floe-keeping-XXXXXX",
       elsewhere[] = "/tmp/floe-keeping-XXXXXX"; /* files are synchronised */
  char previous[sizeof path + sizeof ".previous"];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!getenv("top_srcdir"))
    return 99;
  if (!emulated_possible())
    return 77;
  const char *folder = mkdtemp(in_memory) ? in_memory : mkdtemp(elsewhere);
  if (!folder)
    return 99;
  if (WITH_GPUS)
    comm_timeout = 20;
  snprintf(path, sizeof path, "%s/search", folder);
  const int failed = run_all();
  snprintf(previous, sizeof previous, "%s.previous", path);
  unlink(path);
  unlink(previous);
  rmdir(folder);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
