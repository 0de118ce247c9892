/* Several GPUs of one process as one engine: the first one alone, all together, or the first one with host memory.
 * Kernels run on emulated GPUs. Results are compared with one CPU. */
#include "api/attempts/attempts.h"
#include "engine/trace/level_archive.h"
#include "members.h"
#include "step/stepper.h"
#include "tests/step/learned_invariants.h"
#include "tests/suite.h"

#include "tests/gpu/device/emulated_suite.h"

#include "gpu/kernel/base/control.h"

#include <limits.h>
#include <stdlib.h>

static const struct subject subjects[] = {
    {"peterson", {{"N", "3"}}}, {"altbit", {{NULL, NULL}}},   {"philosophers", {{"N", "5"}}},
    {"bakery", {{NULL, NULL}}}, {"election", {{NULL, NULL}}}, {"hanoi", {{"N", "5"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* ---- runs ---------------------------------------------------------------------------------------- */

#define MOST_TOGETHER 10

struct collective {
  struct gpu *gpus[MOST_TOGETHER];
  struct fake_counts counts[MOST_TOGETHER];
  struct engine_outcome outcome;
  floe_status status;
  uint64_t spilled;
  uint64_t closed, left_out, replaced; /* with tell=1: levels closed by kernels, states without room in a mailbox, rings
                                          replaced by larger ones */
};

/* All devices but the first are opened during the search, if that many are available. */
struct later {
  uint64_t from;
  unsigned count, opened; /* available GPUs, including the first one; opened: 0: not yet */
  bool interrupts;        /* when they are opened */
};

static unsigned open_later(void *user) {
  struct later *later = user;
  ck_assert_uint_eq(later->opened, 0);
  if (later->interrupts)
    atomic_store(&pair_interrupt, true);
  return later->opened = later->count;
}

/* With setting->device.apart, the first two GPUs have no access to each other. */
static void open_devices(struct collective *run, const struct pair *pair, const struct setting *setting, unsigned count,
                         unsigned failing) {
  for (unsigned i = 0; i < count; i++) {
    struct fake_settings device = setting->device;
    device.stepper = pair->stepper;
    device.model = pair->loaded.model;
    device.seed += i;
    device.fail_launch = i == failing ? setting->device.fail_launch : 0;
    device.apart = setting->device.apart && i < 2;
    run->gpus[i] = fake_open(&device);
  }
}

static void run_task(struct collective *run, struct pair *pair, const struct setting *setting, unsigned count,
                     struct later *later) {
  struct engine_task task = pair_task(pair, setting);
  task.limits.started -= setting->late;
  task.devices.gpus = run->gpus;
  task.devices.count = later ? 1 : count;
  setenv("FLOE_GPU_TEST", setting->test_settings ? setting->test_settings : "", 1);
  struct attempts attempts = {.task = task, .log = pair->log, .gpu_log = pair->log};
  if (later)
    attempts.others = (struct attempts_others){later->from, open_later, later};
  run->status = attempts_run(&attempts, &run->outcome);
  run->closed = pair_counter(pair->log, "closed");
  run->left_out = pair_counter(pair->log, "left_out");
  run->replaced = pair_counter(pair->log, "replaced");
  run->spilled = run->status == FLOE_OK ? run->outcome.statistics.spilled_states : 0;
  for (unsigned i = 0; i < count; i++) {
    run->counts[i] = fake_counts(run->gpus[i]);
    ck_assert_uint_eq(fake_close(run->gpus[i]), 0);
  }
}

/* Only one GPU fails, if the setting has a failure. */
static void explore_on_all(struct collective *run, struct pair *pair, const struct setting *setting, unsigned count,
                           unsigned failing) {
  open_devices(run, pair, setting, count, failing);
  run_task(run, pair, setting, count, NULL);
}

static struct collective explore_on_all_alike(const struct subject *subject, const struct setting *setting,
                                              unsigned count, unsigned members) {
  struct pair pair;
  struct collective run;
  pair_open(&pair, subject);
  struct engine_outcome alone = pair_on_cpu(&pair, setting);
  explore_on_all(&run, &pair, setting, count, count);
  ck_assert_msg(run.status == FLOE_OK, "status %d: %s", (int)run.status, loaded_message(&pair.loaded));
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert_uint_eq(run.outcome.group.count, members);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
  return run;
}

/* ---- all together -------------------------------------------------------------------------------- */

START_TEST(one_process_explores_on_all) {
  struct setting setting = members_plain();
  setting.test_settings = "alone=20";
  explore_on_all_alike(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 2 + (unsigned)_i % 3);
}
END_TEST

/* Eight GPUs are the most, and two work, too. */
START_TEST(more_than_have_mailboxes_for_each_other) {
  struct setting setting = members_plain();
  setting.test_settings = "alone=20,mailboxes=2";
  explore_on_all_alike(&subjects[0], &setting, GPU_MOST_LINKED + 2, GPU_MOST_LINKED + 2);
}
END_TEST

/* Each GPU's table is sized for its part of the expected states. */
START_TEST(devices_make_room_for_parts) {
  struct setting setting = members_plain();
  struct pair pair;
  uint64_t slots[MOST_MEMBERS + 1];
  setting.test_settings = "alone=20";
  setting.device.memory = 16 * MEBIBYTE;
  setting.options.expected_states = 40000;
  pair_open(&pair, &subjects[0]);
  for (unsigned count = 1; count <= MOST_MEMBERS; count += 2) {
    struct collective run;
    explore_on_all(&run, &pair, &setting, count, count);
    ck_assert_int_eq(run.status, FLOE_OK);
    ck_assert_uint_eq(run.outcome.group.count, count > 1 ? count : 0);
    slots[count] = run.outcome.table.shape.slots;
    engine_outcome_free(&run.outcome);
  }
  ck_assert_uint_ge(slots[1], 40000);
  ck_assert_uint_ge(slots[3], 40000);
  ck_assert_uint_lt(slots[3], 2 * slots[1]);
  pair_close(&pair);
}
END_TEST

/* With index keys. */
static void rank_pair(struct pair *pair) {
  struct loaded *loaded = &pair->loaded;
  pair->stepper->free(pair->stepper);
  ck_assert(use_index_keys(loaded, learn_invariants(loaded, LEARN_DECLARED, 1 << 20)));
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &pair->stepper), FLOE_OK);
  ck_assert_int_eq(key_of_initial(loaded->model, loaded->layout, pair->initial), FLOE_OK);
}

/* A bitmap of 2^28 keys, or 7^10 index keys, is divided among the GPUs: together they hold what one cannot. */
START_TEST(devices_share_a_bitmap) {
  static const struct subject counters[] = {{"counters", {{"N", "7"}, {"K", "16"}}},
                                            {"counters", {{"N", "10"}, {"K", "7"}}}};
  struct setting setting = members_plain();
  struct pair pair;
  setting.test_settings = "alone=20";
  setting.options.table = "bitmap";
  setting.options.max_depth = 7;
  setting.device.memory = 30 * MEBIBYTE;
  pair_open(&pair, &counters[_i]);
  if (_i)
    rank_pair(&pair);
  const uint64_t bytes = pair.loaded.layout->keys / 8;
  struct engine_outcome on_cpu = pair_on_cpu(&pair, &setting);
  for (unsigned count = 1; count <= 4; count++) {
    struct collective run;
    explore_on_all(&run, &pair, &setting, count, count);
    if (count == 1) {
      ck_assert_int_eq(run.status, FLOE_ERROR_MEMORY);
      continue;
    }
    ck_assert_msg(run.status == FLOE_OK, "status %d: %s", (int)run.status, loaded_message(&pair.loaded));
    pair_compare(&pair, &on_cpu, &run.outcome);
    for (unsigned i = 0; i < count; i++)
      ck_assert_uint_le(run.outcome.group.members[i].table_bytes, bytes / count / 20 * 21);
    engine_outcome_free(&run.outcome);
  }
  engine_outcome_free(&on_cpu);
  pair_close(&pair);
}
END_TEST

/* The first two GPUs have no access to each other's memory: the driver copies between them. */
START_TEST(devices_need_no_access_to_each_other) {
  struct setting setting = members_plain();
  const unsigned count = 2 + (unsigned)_i;
  setting.test_settings = "alone=20";
  setting.device.apart = true;
  const struct collective run = explore_on_all_alike(&subjects[0], &setting, count, count);
  for (unsigned i = 0; i < count; i++) {
    const struct fake_counts *counts = &run.counts[i];
    ck_assert_uint_gt(counts->peer_copies, 0);
    ck_assert((counts->staged > 0) == (i < 2));
    ck_assert((counts->staged < counts->peer_copies) == (count > 2));
  }
}
END_TEST

/* Keys without room in a mailbox go through outboxes, whatever else is full, also in levels that kernels would close.
 */
#define SMALL_MAILBOXES "tell=1,alone=20,blocks=1,agree_us=1000000000,"
START_TEST(mailboxes_lose_nothing) {
  static const struct {
    const char *test_settings;
    uint64_t slots;
  } kinds[] = {{SMALL_MAILBOXES "mailboxes=2,step=8", 0},
               {SMALL_MAILBOXES "mailboxes=2,out=1", 0},
               {SMALL_MAILBOXES "mailboxes=2,queue=1,out=10,step=2", 0},
               {SMALL_MAILBOXES "slice_us=1", 0},
               {SMALL_MAILBOXES "mailboxes=4,slice_us=1,fill=20,queue=1", 256},
               {SMALL_MAILBOXES "mailboxes=2,bitmap=1,fill=20", 256}};
  static const struct subject wide = {"counters", {{"N", "5"}, {"K", "6"}}};
  struct setting setting = members_plain();
  setting.test_settings = kinds[_i].test_settings;
  setting.options.table = "iceberg";
  setting.options.initial_slots = kinds[_i].slots;
  setenv("EMULATE_LATE", "2", 1);
  for (uint64_t seed = 1; seed <= (everything() ? 2 : 1); seed++) {
    const unsigned count = 2 + (unsigned)(_i + (int)seed) % 3;
    setting.device.seed = 100 * seed;
    const struct collective run = explore_on_all_alike(&wide, &setting, count, count);
    ck_assert_uint_gt(run.closed, 0);
    ck_assert((run.left_out > 0) == (strstr(setting.test_settings, "mailboxes=") != NULL));
  }
  unsetenv("EMULATE_LATE");
}
END_TEST

/* Kernels close levels on their own; hosts close them if configured to, or if a caller observes each level. */
START_TEST(kernels_close_levels) {
  static const struct {
    const char *test_settings;
    unsigned levels; /* most levels that a launch closes; 0: none */
  } kinds[] = {{"alone=20,tell=1", UINT_MAX}, {"alone=20,tell=1,levels=1", 1}, {"alone=20,tell=1,hosts=1", 0}};
  struct setting setting = members_plain();
  struct pair pair;
  struct collective run;
  setting.test_settings = kinds[_i].test_settings;
  pair_open(&pair, &subjects[5]); /* many small levels */
  struct engine_outcome alone = pair_on_cpu(&pair, &setting);
  explore_on_all(&run, &pair, &setting, 3, 3);
  ck_assert_int_eq(run.status, FLOE_OK);
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert((run.closed > 0) == (kinds[_i].levels > 0));
  ck_assert_uint_le(run.closed, 3 * alone.levels);
  ck_assert(kinds[_i].levels == UINT_MAX || pair_counter(pair.log, "launches") >= kinds[_i].levels * run.closed);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

/* A link loses one word: this is detected before any result is reported. */
START_TEST(what_a_link_loses_is_noticed) {
  static const char *const lost[] = {"0", "100", "3000"};
  struct setting setting = members_plain();
  struct pair pair;
  struct collective run;
  setting.test_settings = "alone=20";
  setenv("EMULATE_LOST", lost[_i], 1);
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 2 + (unsigned)_i % 2, 2 + (unsigned)_i % 2);
  ck_assert_int_eq(run.status, FLOE_ERROR_INTERNAL);
  unsetenv("EMULATE_LOST");
  pair_close(&pair);
}
END_TEST

/* A phase ends also if parts of the next level are on the host. */
START_TEST(mailboxes_are_emptied_while_states_are_on_the_host) {
  static const struct subject wide = {"counters", {{"N", "8"}, {"K", "8"}}};
  struct setting setting = members_plain();
  setting.test_settings = "alone=20,queue=1,blocks=1";
  setting.options.max_depth = 12; /* levels of 17,000 and 26,000 states each, in queues of 16,384 */
  setting.options.timeout = 100;
  const struct collective run = explore_on_all_alike(&wide, &setting, 2, 2);
  ck_assert_uint_gt(run.spilled, 0);
}
END_TEST

/* A level of more than half of the queue, which has room for its successors. */
START_TEST(wide_levels_stay_on_the_devices) {
  static const struct subject wide = {"counters", {{"N", "8"}, {"K", "8"}}};
  const uint64_t words = 32768;
  struct setting setting = members_plain();
  struct pair pair;
  struct collective run;
  uint64_t most = 0;
  setting.test_settings = "tell=1,alone=20,queue=32768,blocks=1";
  setting.options.max_depth = 12; /* the first level that is large enough */
  setting.options.timeout = 100;
  pair_open(&pair, &wide);
  explore_on_all(&run, &pair, &setting, 2, 2);
  ck_assert_int_eq(run.status, FLOE_OK);
  for (uint32_t i = 0; i < run.outcome.levels; i++)
    most = run.outcome.level_states[i] > most ? run.outcome.level_states[i] : most;
  ck_assert_uint_le(pair_counter(pair.log, "queue_words"), 3 * words); /* of both GPUs, and of the first attempt */
  ck_assert_uint_gt(most / 2, words / 2);
  ck_assert_uint_eq(run.outcome.states, 122010);
  ck_assert_uint_eq(run.spilled, 0);
  engine_outcome_free(&run.outcome);
  pair_close(&pair);
}
END_TEST

/* A larger ring replaces a full one within a level of the group, whatever is in transit: at most once on each GPU. */
START_TEST(queues_are_replaced) {
  static const char *const settings[] = {"tell=1,replace=1,turns=1,alone=20,blocks=1",
                                         "tell=1,replace=1,turns=1,alone=20,blocks=1,mailboxes=4"};
  static const struct subject wide = {"counters", {{"N", "6"}, {"K", "9"}}};
  struct setting setting = members_plain();
  setting.test_settings = settings[_i];
  setting.options.table = "bitmap";
  setting.device.memory = 16 * MEBIBYTE;
  setting.options.timeout = 100;
  const struct collective run = explore_on_all_alike(&wide, &setting, 2, 2);
  ck_assert(run.replaced > 0 && run.replaced <= 2);
}
END_TEST

/* With access to all memory, all states go through mailboxes as long as these have room. */
START_TEST(keys_go_through_mailboxes) {
  struct setting setting = members_plain();
  struct pair pair;
  struct collective run;
  setting.test_settings = "alone=20";
  setting.device.apart = _i;
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 2, 2);
  ck_assert_int_eq(run.status, FLOE_OK);
  for (unsigned i = 0; i < 2; i++) {
    const struct engine_member *member = &run.outcome.group.members[i];
    ck_assert_uint_gt(member->sent, 0);
    ck_assert_int_eq(member->sent == member->packets * GPU_WARP, !_i);
  }
  engine_outcome_free(&run.outcome);
  pair_close(&pair);
}
END_TEST

START_TEST(small_searches_stay_on_one) {
  struct setting setting = members_plain();
  explore_on_all_alike(&subjects[_i], &setting, 3, 0);
}
END_TEST

/* A violation or a bound ends the search in the same level as on one GPU. */
START_TEST(they_end_as_one_does) {
  struct setting setting = members_plain();
  const struct subject mutant = {"philosophers", {{"N", "6"}, {"LEFT", "0"}}};
  setting.test_settings = "alone=20";
  if (_i == 0)
    setting.options.keep_going = false;
  else if (_i == 1)
    setting.options.max_depth = 6;
  else
    setting.options.max_states = 200;
  explore_on_all_alike(&mutant, &setting, 3, 3);
}
END_TEST

/* All GPUs share the archive; levels of the first attempt are removed. */
START_TEST(they_keep_the_levels_of_one) {
  struct setting setting = members_plain(), on_cpu;
  struct pair pair;
  struct collective run;
  setting.test_settings = _i ? "alone=20,out=1,queue=1,slice_us=1" : "alone=20";
  setting.options.max_depth = 9;
  pair_open(&pair, &subjects[0]);
  on_cpu = setting;
  ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &on_cpu.archive), FLOE_OK);
  ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &setting.archive), FLOE_OK);
  struct engine_outcome alone = pair_on_cpu(&pair, &on_cpu);
  explore_on_all(&run, &pair, &setting, 3, 3);
  ck_assert_int_eq(run.status, FLOE_OK);
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert_uint_eq(run.outcome.group.count, 3);
  pair_compare_archives(on_cpu.archive, setting.archive);
  archive_free(on_cpu.archive);
  archive_free(setting.archive);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

/* If any GPU fails, all end, and all memory is freed. */
START_TEST(one_that_fails_ends_all) {
  struct setting setting = members_plain();
  struct pair pair;
  struct collective run;
  setting.test_settings = "alone=20,levels=1"; /* a launch for each level */
  setting.device.fail_launch = 2 + 2 * _i;
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 3, 1 + (unsigned)_i % 2);
  ck_assert_int_eq(run.status, FLOE_ERROR_INTERNAL);
  pair_close(&pair);
}
END_TEST

/* ---- others that are opened on the way ----------------------------------------------------------- */

/* More states than one emulated GPU holds, in levels that grow and shrink evenly. */
static const struct subject even = {"counters", {{"N", "4"}, {"K", "11"}}},
                            large = {"counters", {{"N", "4"}, {"K", "24"}}};

static struct collective explore_and_open(const struct subject *subject, const struct setting *setting,
                                          struct later *later) {
  struct pair pair;
  struct collective run;
  pair_open(&pair, subject);
  open_devices(&run, &pair, setting, 3, 3);
  run_task(&run, &pair, setting, 3, later);
  ck_assert_msg(run.status == FLOE_OK, "status %d: %s", (int)run.status, loaded_message(&pair.loaded));
  if (run.outcome.end == FLOE_END_COMPLETE || run.outcome.end == FLOE_END_STATES) {
    struct engine_outcome alone = pair_on_cpu(&pair, setting);
    pair_compare(&pair, &alone, &run.outcome);
    engine_outcome_free(&alone);
  }
  const struct engine_outcome figures = run.outcome; /* copied before the arrays are freed */
  engine_outcome_free(&run.outcome);
  run.outcome = figures;
  pair_close(&pair);
  return run;
}

/* Other GPUs are opened when they would hold more than the first one has found. */
START_TEST(they_come_to_a_large_search) {
  static const struct {
    uint64_t from;
    unsigned there, opened;
  } kinds[] = {{2000, 3, 3}, {2000, 2, 2}, {2000, 1, 1}, {10000, 3, 0}, {UINT64_MAX, 3, 0}};
  struct setting setting = members_plain();
  struct later later = {kinds[_i].from, kinds[_i].there, 0, false};
  setting.test_settings = "alone=20";
  const struct collective run = explore_and_open(&even, &setting, &later);
  const bool collective = kinds[_i].opened > 1;
  ck_assert_uint_eq(later.opened, kinds[_i].opened);
  ck_assert_uint_eq(run.outcome.group.count, collective ? kinds[_i].opened : 0);
  ck_assert(run.outcome.attempts.first_sufficed == !collective);
  ck_assert(!collective == !run.outcome.attempts.first_states);
  ck_assert(!collective || run.outcome.attempts.first_states >= kinds[_i].from);
  ck_assert_uint_lt(run.outcome.attempts.first_states, 4000);
}
END_TEST

/* Multiword states: each GPU has its own trees. */
START_TEST(they_come_to_wide_states) {
  const struct subject wide = {"tests/gpu/engine/chains", {{NULL, NULL}}};
  struct setting setting = members_plain();
  struct later later = {50, 3, 0, false};
  setting.test_settings = "alone=5";
  const struct collective run = explore_and_open(&wide, &setting, &later);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_uint_eq(run.outcome.group.count, 3);
  ck_assert_uint_ge(run.outcome.attempts.first_states, 50);
}
END_TEST

/* However small levels are. */
START_TEST(they_come_for_memory) {
  struct setting setting = members_plain();
  struct later later = {UINT64_MAX, 3, 0, false};
  const struct subject larger = {"counters", {{"N", "4"}, {"K", "30"}}};
  setting.test_settings = "blocks=1";
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.max_states = 700000;
  setting.options.expected_states = 810000;
  setting.device.memory = 8 * MEBIBYTE;
  const struct collective run = explore_and_open(&larger, &setting, &later);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_uint_eq(run.outcome.group.count, 3);
  ck_assert_uint_gt(run.outcome.attempts.first_states, 0);
  ck_assert(!run.outcome.gpu.host_backed);
}
END_TEST

/* ---- all full ------------------------------------------------------------------------------------ */

static struct setting narrow(void) {
  struct setting setting = members_plain();
  setting.test_settings = "alone=20,blocks=1";
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.max_states = 328000;
  setting.device.memory = 4200000;
  return setting;
}

START_TEST(the_host_helps_one_where_all_are_full) {
  const struct setting setting = narrow();
  struct later later = {UINT64_MAX, 3, 0, false};
  const struct collective run = explore_and_open(&large, &setting, &later);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert(run.outcome.gpu.host_backed && run.outcome.attempts.first_sufficed);
  ck_assert_uint_eq(run.outcome.group.count, 0);
  ck_assert_uint_gt(run.outcome.attempts.full_states, 0);
  ck_assert_uint_lt(run.outcome.attempts.full_states, run.outcome.states);
}
END_TEST

/* A member needs additional memory for sending. */
START_TEST(the_host_helps_one_where_several_cannot_begin) {
  struct setting setting = narrow();
  struct later later = {UINT64_MAX, 3, 0, false};
  setting.test_settings = NULL;
  setting.device.memory = 800000;
  const struct collective run = explore_and_open(&even, &setting, &later);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert(run.outcome.gpu.host_backed && run.outcome.attempts.first_sufficed);
  ck_assert_uint_eq(run.outcome.attempts.full_states, 0);
}
END_TEST

/* Host memory is not larger than that of the other GPUs. */
START_TEST(the_host_cannot_help) {
  struct setting setting = narrow();
  setting.options.memory = MEBIBYTE;
  struct later later = {UINT64_MAX, 3, 0, false};
  const struct collective run = explore_and_open(&large, &setting, &later);
  ck_assert_int_eq(run.outcome.end, FLOE_END_MEMORY);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert(!run.outcome.gpu.host_backed);
  ck_assert_uint_gt(run.outcome.states, 0);
}
END_TEST

struct ending {
  uint64_t last, most; /* states of the progress reports */
  unsigned anew;
};

/* Interrupts the second restart. */
static void end_the_last(const floe_progress *progress, void *user) {
  struct ending *ending = user;
  ending->anew += progress->states < ending->last;
  ending->last = progress->states;
  if (progress->states > ending->most)
    ending->most = progress->states;
  if (ending->anew == 2)
    atomic_store(&pair_interrupt, true);
}

/* A restart that ends before it has found as much as an earlier attempt returns the outcome of that attempt, here the
 * first one. */
START_TEST(what_was_found_is_not_lost) {
  struct setting setting = narrow();
  struct ending ending = {0};
  struct later later = {UINT64_MAX, 3, 0, false};
  setting.test_settings = "alone=20,blocks=1,slice_us=1000";
  setting.options.progress = end_the_last;
  setting.options.user = &ending;
  setting.options.progress_seconds = 1e-9;
  const struct collective run = explore_and_open(&large, &setting, &later);
  atomic_store(&pair_interrupt, false);
  ck_assert_uint_eq(ending.anew, 2);
  ck_assert_int_eq(run.outcome.end, FLOE_END_INTERRUPT);
  ck_assert(run.outcome.attempts.first_sufficed);
  ck_assert_uint_ge(run.outcome.states, ending.most);
}
END_TEST

/* Also if the other GPUs had not begun. */
START_TEST(what_was_found_is_not_lost_before_others_begin) {
  struct setting setting = members_plain();
  struct later later = {2000, 3, 0, true};
  setting.test_settings = "alone=20";
  const struct collective run = explore_and_open(&even, &setting, &later);
  atomic_store(&pair_interrupt, false);
  ck_assert_uint_eq(later.opened, 3);
  ck_assert_int_eq(run.outcome.end, FLOE_END_INTERRUPT);
  ck_assert_uint_ge(run.outcome.states, 2000);
  ck_assert_uint_ge(run.outcome.levels, 10);
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *process = tcase_create("process"), *later = tcase_create("later");
  tcase_add_loop_test(process, one_process_explores_on_all, 0, 2);
  add_tests(process, more_than_have_mailboxes_for_each_other, devices_make_room_for_parts);
  tcase_add_loop_test(process, devices_share_a_bitmap, 0, 2);
  tcase_add_loop_test(process, devices_need_no_access_to_each_other, 0, 2);
  tcase_add_loop_test(process, mailboxes_lose_nothing, 0, at_length() ? 6 : 3);
  add_tests(process, mailboxes_are_emptied_while_states_are_on_the_host, wide_levels_stay_on_the_devices);
  tcase_add_loop_test(process, queues_are_replaced, 0, 2);
  tcase_add_loop_test(process, what_a_link_loses_is_noticed, 0, 3);
  tcase_add_loop_test(process, keys_go_through_mailboxes, 0, 2);
  tcase_add_loop_test(process, kernels_close_levels, 0, 3);
  tcase_add_loop_test(process, small_searches_stay_on_one, 0, 1);
  tcase_add_loop_test(process, they_end_as_one_does, 0, 3);
  tcase_add_loop_test(process, they_keep_the_levels_of_one, 0, 2);
  tcase_add_loop_test(process, one_that_fails_ends_all, 0, 6);
  tcase_add_loop_test(later, they_come_to_a_large_search, 0, 5);
  tcase_add_test(later, they_come_to_wide_states);
  if (at_length()) {
    add_tests(later, they_come_for_memory, the_host_helps_one_where_all_are_full, what_was_found_is_not_lost);
  }
  tcase_add_test(later, the_host_helps_one_where_several_cannot_begin);
  if (everything()) /* the decision is tested in test_sizing_policy.c */
    tcase_add_test(later, the_host_cannot_help);
  tcase_add_test(later, what_was_found_is_not_lost_before_others_begin);
  tcase_set_timeout(process, 300);
  tcase_set_timeout(later, 300);
  return emulated_run("several devices of one process", process, later);
}
