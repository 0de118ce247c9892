/* Several devices, and CPUs among them, as members of one group, of threads that hear of each other late and in any
   order; the devices' kernels on the imitated GPU. All that they find together is what one CPU finds alone. */
#include "core/clock.h"
#include "engine/archive.h"
#include "engine/group_threads.h"
#include "engine/links.h"
#include "engine/post.h"
#include "engine_pair.h"
#include "step/suite.h"

#include "emulated.h"
#include "table/kernel/iceberg.h"

#include "gpu/kernel/control.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_MEMBERS 4

/* ---- runs ---------------------------------------------------------------------------------------- */

struct member {
  const struct pair *pair;
  struct setting setting;
  bool on_cpu;
  atomic_bool interrupt;
  struct post post;
  floe_log *log;
  struct archive *archive;
  struct engine_outcome outcome;
  floe_status status;
  double seconds;
  uint64_t left; /* bytes that the device was not given back */
  struct fake_counts counts;
  bool reached; /* by others, as in processes of one machine */
  struct engine_links links;
  struct engine_link *said;   /* [MOST_MEMBERS] by all, when they are ready */
  pthread_barrier_t *barrier; /* of all */
  atomic_uint *ready;
  pthread_t thread;
};

/* All begin, or none does, as whoever uses an engine is to see to. */
static bool all_are_ready(struct member *member, floe_status status) {
  member->said[member->post.group->rank] = member->links.own;
  member->links.all = member->said;
  atomic_fetch_add(member->ready, status == FLOE_OK);
  pthread_barrier_wait(member->barrier);
  return atomic_load(member->ready) == member->post.group->size;
}

static floe_status explore(struct member *member, const struct engine_task *task) {
  const struct engine *engine = member->on_cpu ? &engine_cpu : &engine_gpu;
  struct search *search = NULL;
  floe_status status = engine->prepare(task, member->log, &search);
  if (all_are_ready(member, status))
    status = engine->explore(search, &member->outcome);
  else if (status == FLOE_OK)
    status = FLOE_ERROR_UNSUPPORTED; /* another one is not */
  engine->drop(search);
  return status;
}

static void *run_member(void *data) {
  struct member *member = data;
  const struct loaded *loaded = &member->pair->loaded;
  struct stepper *stepper;
  ck_assert_int_eq(interpreter_create(loaded->model, loaded->layout, &stepper), FLOE_OK);
  ck_assert_int_eq(floe_log_create(&member->log), FLOE_OK);
  struct fake_settings device = member->setting.device;
  device.stepper = stepper;
  device.model = loaded->model;
  struct gpu *gpu = fake_open(&device);
  const double begun = clock_seconds();
  const struct engine_task task = {.model = loaded->model,
                                   .layout = loaded->layout,
                                   .initial = member->pair->initial,
                                   .stepper = stepper,
                                   .options = &member->setting.options,
                                   .wanted = UINT64_MAX >> (64 - loaded->model->property_count),
                                   .interrupt = &member->interrupt,
                                   .started = begun,
                                   .archive = member->archive,
                                   .devices = &gpu,
                                   .device_count = !member->on_cpu,
                                   .post = &member->post,
                                   .links = member->reached ? &member->links : NULL};
  member->status = explore(member, &task);
  member->seconds = clock_seconds() - begun;
  post_close(&member->post, member->status == FLOE_ERROR_IO);
  member->counts = fake_counts(gpu);
  member->left = fake_close(gpu);
  stepper->free(stepper);
  return NULL;
}

/* `cpus`: a mask of the members that have no device. */
static void make_members(struct member *members, unsigned size, unsigned cpus, uint64_t seed, const struct pair *pair,
                         const struct setting *setting) {
  struct group *groups[MOST_MEMBERS];
  ck_assert(group_threads_make(size, seed, groups));
  for (unsigned i = 0; i < size; i++) {
    members[i] = (struct member){.pair = pair, .setting = *setting, .on_cpu = cpus >> i & 1};
    members[i].setting.device.seed += seed * MOST_MEMBERS + i;
    post_open(groups[i], &members[i].post);
  }
}

static void run(struct member *members, unsigned size) {
  struct engine_link said[MOST_MEMBERS];
  pthread_barrier_t barrier;
  atomic_uint ready = 0;
  pthread_barrier_init(&barrier, NULL, size);
  setenv("FLOE_GPU_TEST", members[0].setting.tuning ? members[0].setting.tuning : "", 1);
  for (unsigned i = 0; i < size; i++) {
    members[i].barrier = &barrier;
    members[i].said = said;
    members[i].ready = &ready;
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, run_member, &members[i]), 0);
  }
  for (unsigned i = 0; i < size; i++)
    pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&barrier);
  for (unsigned i = 0; i < size; i++)
    ck_assert_uint_eq(members[i].left, 0);
}

static void free_members(struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++) {
    if (members[i].status == FLOE_OK)
      engine_outcome_free(&members[i].outcome);
    archive_free(members[i].archive);
    floe_log_free(members[i].log);
  }
}

static void check_all_done(const struct member *members, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    ck_assert_msg(members[i].status == FLOE_OK, "member %u: status %d: %s", i, (int)members[i].status,
                  floe_log_count(members[i].log) ? floe_log_at(members[i].log, 0)->message : "");
}

/* All that is the same whatever the engine, and that each member had a part of it. */
static void compare(const struct pair *pair, const struct engine_outcome *alone, const struct member *members,
                    unsigned size) {
  const struct engine_outcome *all = &members[0].outcome;
  uint64_t states = 0, sent = 0;
  check_all_done(members, size);
  pair_compare(pair, alone, all);
  ck_assert_uint_eq(all->member_count, size);
  for (unsigned i = 0; i < size; i++) {
    states += all->members[i].states;
    sent += all->members[i].sent;
    ck_assert_uint_eq(members[i].outcome.levels, alone->levels);
  }
  ck_assert_uint_eq(states, alone->states);
  ck_assert(alone->states < 100 || size == 1 || sent > 0);
}

static void explore_alike(const struct subject *subject, const struct setting *setting, unsigned size, unsigned cpus,
                          uint64_t seed, struct fake_counts *counts) {
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pair_open(&pair, subject);
  struct engine_outcome alone = pair_on_cpu(&pair, setting);
  make_members(members, size, cpus, seed, &pair, setting);
  run(members, size);
  compare(&pair, &alone, members, size);
  for (unsigned i = 0; counts && i < size; i++) {
    counts->explores += members[i].counts.explores;
    counts->inserts += members[i].counts.inserts;
    counts->rehashes += members[i].counts.rehashes;
  }
  free_members(members, size);
  engine_outcome_free(&alone);
  pair_close(&pair);
}

static struct setting plain(void) {
  struct setting setting = pair_plain();
  setting.options.go_on = true;
  setting.device.stop_percent = 5;
  return setting;
}

/* ---- models -------------------------------------------------------------------------------------- */

static const struct subject subjects[] = {
    {"peterson", {{"N", "3"}}}, {"altbit", {{NULL, NULL}}},   {"philosophers", {{"N", "5"}}},
    {"bakery", {{NULL, NULL}}}, {"election", {{NULL, NULL}}}, {"hanoi", {{"N", "5"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

START_TEST(devices_find_what_one_cpu_finds) {
  const struct setting setting = plain();
  explore_alike(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 0, 1 + (uint64_t)_i, NULL);
}
END_TEST

START_TEST(devices_and_cpus_find_it) {
  const struct setting setting = plain();
  explore_alike(&subjects[0], &setting, 3, 1u << _i, 7, NULL);
}
END_TEST

/* ---- whatever is full ---------------------------------------------------------------------------- */

static const struct {
  const char *table, *tuning;
  uint64_t slots;
  bool grows;
} narrow[] = {
    {"iceberg", "out=1", 0, false},
    {"iceberg", "out=1,queue=1,blocks=1", 0, false},
    {"iceberg", "slice_us=1,fill=20", 256, true},
    {"linear", "out=10,fill=20", 256, true},
    {"bitmap", "out=1,queue=1", 0, false},
    {"iceberg", "bitmap=1,fill=20,out=1", 256, true},
};
enum { NARROW = sizeof narrow / sizeof *narrow };

START_TEST(nothing_is_lost_where_something_is_full) {
  struct setting setting = plain();
  struct fake_counts counts = {0};
  setting.options.table = narrow[_i].table;
  setting.options.initial_slots = narrow[_i].slots;
  setting.tuning = narrow[_i].tuning;
  for (uint64_t seed = 1; seed <= 3; seed++)
    explore_alike(&subjects[0], &setting, 3, 0, seed, &counts);
  ck_assert(!narrow[_i].grows || counts.rehashes > 0);
}
END_TEST

/* CPUs are so much faster than an imitated device that more comes to it at once than its queue has words: it puts that
   in parts, and does not look for room for all of it for ever. */
START_TEST(what_comes_is_more_than_the_queue_holds) {
  const struct subject wide = {"counters", {{"N", "6"}, {"K", "10"}}};
  struct setting setting = plain();
  setting.tuning = "queue=1,blocks=1";
  setting.device.stop_percent = 0;
  explore_alike(&wide, &setting, 4, 0xd, 1, NULL);
}
END_TEST

/* ---- processes of one machine -------------------------------------------------------------------- */

/* `apart`: a mask of the members that cannot reach each other's memory. */
static void explore_linked(const struct subject *subject, const struct setting *setting, unsigned size, unsigned cpus,
                           unsigned apart, bool linked) {
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pair_open(&pair, subject);
  struct engine_outcome alone = pair_on_cpu(&pair, setting);
  make_members(members, size, cpus, setting->device.seed, &pair, setting);
  for (unsigned i = 0; i < size; i++) {
    members[i].reached = true;
    members[i].setting.device.apart = apart >> i & 1;
  }
  run(members, size);
  compare(&pair, &alone, members, size);
  for (unsigned i = 0; i < size; i++) {
    const struct engine_member *member = &members[0].outcome.members[i];
    ck_assert(!linked || setting->tuning || member->sent == member->letters * GPU_WARP);
    ck_assert(linked || member->sent != member->letters * GPU_WARP);
  }
  free_members(members, size);
  engine_outcome_free(&alone);
  pair_close(&pair);
}

START_TEST(processes_use_mailboxes) {
  struct setting setting = plain();
  setting.device.seed = 100 + (uint64_t)_i;
  explore_linked(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 0, 0, true);
}
END_TEST

/* Letters are what is left where one member cannot be reached, has no device, or is told not to use them. */
START_TEST(processes_have_letters) {
  static const struct {
    const char *tuning;
    unsigned cpus, apart;
  } kinds[] = {{NULL, 0, 6}, {NULL, 4, 0}, {"letters=1", 0, 0}};
  struct setting setting = plain();
  setting.tuning = kinds[_i].tuning;
  explore_linked(&subjects[0], &setting, 3, kinds[_i].cpus, kinds[_i].apart, false);
}
END_TEST

/* Both ways at once: what finds no room in a mailbox goes by letter. */
START_TEST(processes_lose_nothing) {
  static const char *const tunings[] = {"mail=2,out=1", "mail=2,queue=1,out=10,step=8",
                                        "mail=4,slice_us=1,fill=20,queue=1"};
  struct setting setting = plain();
  setting.tuning = tunings[_i];
  setting.options.table = "iceberg";
  setting.options.initial_slots = 256;
  setting.device.seed = 100 + (uint64_t)_i;
  explore_linked(&subjects[_i % 2 * 3], &setting, 2 + (unsigned)_i % 3, 0, 0, true);
}
END_TEST

/* Nobody has hold of another's memory when that is freed, however they end; what was lost to one is lost to all. */
START_TEST(linked_processes_end_together) {
  struct setting setting = plain();
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pair_open(&pair, &subjects[0]);
  make_members(members, 3, 0, 5, &pair, &setting);
  for (unsigned i = 0; i < 3; i++)
    members[i].reached = true;
  if (_i == 0)
    members[1].setting.device.fail_launch = 4;
  else if (_i == 1)
    members[2].setting.device.memory = MEBIBYTE / 2; /* it cannot begin */
  else
    members[1].setting.options.timeout = 0.1;
  run(members, 3);
  for (unsigned i = 0; i < 3; i++)
    ck_assert_int_eq(members[i].status == FLOE_OK, _i == 2);
  free_members(members, 3);
  pair_close(&pair);
}
END_TEST

/* ---- several devices of one process -------------------------------------------------------------- */

struct together {
  struct gpu *gpus[MOST_MEMBERS];
  struct fake_counts counts[MOST_MEMBERS];
  struct engine_outcome outcome;
  floe_status status;
};

/* One of them is set to fail, if that is set at all. Of setting->device.apart it is the first two that are. */
static void explore_on_all(struct together *run, struct pair *pair, const struct setting *setting, unsigned count,
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
  const struct engine_task task = {.model = pair->loaded.model,
                                   .layout = pair->loaded.layout,
                                   .initial = pair->initial,
                                   .stepper = pair->stepper,
                                   .options = &setting->options,
                                   .wanted = UINT64_MAX >> (64 - pair->loaded.model->property_count),
                                   .interrupt = &pair_interrupt,
                                   .started = clock_seconds() - setting->late,
                                   .archive = setting->archive,
                                   .devices = run->gpus,
                                   .device_count = count};
  setenv("FLOE_GPU_TEST", setting->tuning ? setting->tuning : "", 1);
  run->status = engine_run(engine_for(count), &task, pair->log, &run->outcome);
  for (unsigned i = 0; i < count; i++) {
    run->counts[i] = fake_counts(run->gpus[i]);
    ck_assert_uint_eq(fake_close(run->gpus[i]), 0);
  }
}

static struct together explore_on_all_alike(const struct subject *subject, const struct setting *setting,
                                            unsigned count, unsigned members) {
  struct pair pair;
  struct together run;
  pair_open(&pair, subject);
  struct engine_outcome alone = pair_on_cpu(&pair, setting);
  explore_on_all(&run, &pair, setting, count, count);
  ck_assert_msg(run.status == FLOE_OK, "status %d: %s", (int)run.status, loaded_message(&pair.loaded));
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert_uint_eq(run.outcome.member_count, members);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
  return run;
}

START_TEST(one_process_explores_on_all) {
  struct setting setting = plain();
  setting.tuning = "alone=20";
  explore_on_all_alike(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 2 + (unsigned)_i % 3);
}
END_TEST

/* Of the states expected each has a table for its part. */
START_TEST(devices_make_room_for_parts) {
  struct setting setting = plain();
  struct pair pair;
  uint64_t slots[MOST_MEMBERS + 1];
  setting.tuning = "alone=20";
  setting.device.memory = 16 * MEBIBYTE;
  setting.options.expected_states = 40000;
  pair_open(&pair, &subjects[0]);
  for (unsigned count = 1; count <= MOST_MEMBERS; count += 2) {
    struct together run;
    explore_on_all(&run, &pair, &setting, count, count);
    ck_assert_int_eq(run.status, FLOE_OK);
    ck_assert_uint_eq(run.outcome.member_count, count > 1 ? count : 0);
    slots[count] = run.outcome.shape.slots;
    engine_outcome_free(&run.outcome);
  }
  ck_assert_uint_ge(slots[1], 40000);
  ck_assert_uint_ge(slots[3], 40000);
  ck_assert_uint_lt(slots[3], 2 * slots[1]);
  pair_close(&pair);
}
END_TEST

/* The first two have no access to each other's memory: only what the driver copies goes from one to the other. */
START_TEST(devices_need_no_access_to_each_other) {
  struct setting setting = plain();
  const unsigned count = 2 + (unsigned)_i;
  setting.tuning = "alone=20";
  setting.device.apart = true;
  const struct together run = explore_on_all_alike(&subjects[0], &setting, count, count);
  for (unsigned i = 0; i < count; i++) {
    const struct fake_counts *counts = &run.counts[i];
    ck_assert_uint_gt(counts->peer_copies, 0);
    ck_assert((counts->staged > 0) == (i < 2));
    ck_assert((counts->staged < counts->peer_copies) == (count > 2));
  }
}
END_TEST

/* Keys that find no room in a mailbox go another way, whatever else is full. */
START_TEST(mailboxes_lose_nothing) {
  static const struct {
    const char *tuning;
    uint64_t slots;
  } kinds[] = {{"alone=20,mail=2,step=8", 0},
               {"alone=20,mail=2,out=1", 0},
               {"alone=20,mail=2,queue=1,out=10,step=2", 0},
               {"alone=20,slice_us=1", 0},
               {"alone=20,mail=4,slice_us=1,fill=20,queue=1", 256},
               {"alone=20,mail=2,bitmap=1,fill=20", 256}};
  struct setting setting = plain();
  setting.tuning = kinds[_i].tuning;
  setting.options.table = "iceberg";
  setting.options.initial_slots = kinds[_i].slots;
  for (uint64_t seed = 1; seed <= (everything() ? 2 : 1); seed++) {
    setting.device.seed = 100 * seed;
    explore_on_all_alike(&subjects[seed * 3 % SUBJECTS], &setting, 2 + (unsigned)(_i + (int)seed) % 3,
                         2 + (unsigned)(_i + (int)seed) % 3);
  }
}
END_TEST

/* A link loses one word: that is seen at the end of the level, and no result is told. */
START_TEST(what_a_link_loses_is_noticed) {
  static const char *const lost[] = {"0", "100", "3000"};
  struct setting setting = plain();
  struct pair pair;
  struct together run;
  setting.tuning = "alone=20";
  setenv("EMULATE_LOST", lost[_i], 1);
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 2 + (unsigned)_i % 2, 2 + (unsigned)_i % 2);
  ck_assert_int_eq(run.status, FLOE_ERROR_INTERNAL);
  pair_close(&pair);
}
END_TEST

/* Parts of the next level go to the host, and a phase ends all the same. */
START_TEST(mailboxes_are_emptied_while_states_are_on_the_host) {
  struct setting setting = plain();
  const struct subject wide = {"counters", {{"N", "8"}, {"K", "5"}}};
  struct pair pair;
  struct together run;
  setting.tuning = "alone=20,queue=1,blocks=1";
  setting.options.max_depth = 18; /* behind the largest levels */
  setting.options.timeout = 100;
  pair_open(&pair, &wide);
  struct engine_outcome alone = pair_on_cpu(&pair, &setting);
  explore_on_all(&run, &pair, &setting, 2, 2);
  ck_assert_int_eq(run.status, FLOE_OK);
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert_uint_gt(run.outcome.statistics.spilled_states, 0);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

/* Where each reaches the others' memory all go through mailboxes, as long as these have room. */
START_TEST(keys_go_through_mailboxes) {
  struct setting setting = plain();
  struct pair pair;
  struct together run;
  setting.tuning = "alone=20";
  setting.device.apart = _i;
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 2, 2);
  ck_assert_int_eq(run.status, FLOE_OK);
  for (unsigned i = 0; i < 2; i++) {
    const struct engine_member *member = &run.outcome.members[i];
    ck_assert_uint_gt(member->sent, 0);
    ck_assert_int_eq(member->sent == member->letters * GPU_WARP, !_i);
  }
  engine_outcome_free(&run.outcome);
  pair_close(&pair);
}
END_TEST

START_TEST(small_searches_stay_on_one) {
  struct setting setting = plain();
  explore_on_all_alike(&subjects[_i], &setting, 3, 0);
}
END_TEST

/* However small its levels are: what one has no memory for all do together, and none goes to the host's. */
START_TEST(all_begin_where_one_is_full) {
  struct setting setting = plain();
  const struct subject large = {"counters", {{"N", "4"}, {"K", "30"}}};
  setting.tuning = "blocks=1";
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.expected_states = 810000;
  setting.device.memory = 8 * MEBIBYTE;
  const struct together run = explore_on_all_alike(&large, &setting, 3, 3);
  ck_assert(!run.outcome.two_levels);
}
END_TEST

/* A violation, or a bound, ends all in the level in which it would end one. */
START_TEST(they_end_as_one_does) {
  struct setting setting = plain();
  const struct subject mutant = {"philosophers", {{"N", "6"}, {"LEFT", "0"}}};
  setting.tuning = "alone=20";
  if (_i == 0)
    setting.options.go_on = false;
  else if (_i == 1)
    setting.options.max_depth = 6;
  else
    setting.options.max_states = 200;
  explore_on_all_alike(&mutant, &setting, 3, 3);
}
END_TEST

/* One archive for all; what the first one put there before the others began is gone. */
START_TEST(they_keep_the_levels_of_one) {
  struct setting setting = plain(), on_cpu;
  struct pair pair;
  struct together run;
  setting.tuning = _i ? "alone=20,out=1,queue=1,slice_us=1" : "alone=20";
  setting.options.max_depth = 9;
  pair_open(&pair, &subjects[0]);
  on_cpu = setting;
  ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &on_cpu.archive), FLOE_OK);
  ck_assert_int_eq(archive_create(1, MEBIBYTE, pair.log, &setting.archive), FLOE_OK);
  struct engine_outcome alone = pair_on_cpu(&pair, &on_cpu);
  explore_on_all(&run, &pair, &setting, 3, 3);
  ck_assert_int_eq(run.status, FLOE_OK);
  pair_compare(&pair, &alone, &run.outcome);
  ck_assert_uint_eq(run.outcome.member_count, 3);
  pair_compare_archives(on_cpu.archive, setting.archive);
  archive_free(on_cpu.archive);
  archive_free(setting.archive);
  engine_outcome_free(&run.outcome);
  engine_outcome_free(&alone);
  pair_close(&pair);
}
END_TEST

/* Whichever of them fails, all end, and nothing is left of them. */
START_TEST(one_that_fails_ends_all) {
  struct setting setting = plain();
  struct pair pair;
  struct together run;
  setting.tuning = "alone=20";
  setting.device.fail_launch = 2 + 2 * _i;
  pair_open(&pair, &subjects[0]);
  explore_on_all(&run, &pair, &setting, 3, 1 + (unsigned)_i % 2);
  ck_assert_int_eq(run.status, FLOE_ERROR_INTERNAL);
  pair_close(&pair);
}
END_TEST

/* One has less and less memory, until it cannot begin; before that the search ends for all where it is full. */
START_TEST(a_full_one_ends_all) {
  struct setting setting = plain();
  const struct subject large = {"counters", {{"N", "5"}, {"K", "9"}}};
  struct pair pair;
  bool began = true;
  unsigned full = 0;
  setting.options.table = "linear";
  setting.options.slot_bits = 64;
  setting.options.initial_slots = 256;
  pair_open(&pair, &large);
  for (uint64_t memory = 4 * MEBIBYTE; began; memory -= everything() ? MEBIBYTE / 8 : MEBIBYTE / 2) {
    struct member members[MOST_MEMBERS];
    make_members(members, 3, 0, 5, &pair, &setting);
    members[_i].setting.device.memory = memory;
    run(members, 3);
    began = members[0].status == FLOE_OK;
    for (unsigned i = 0; i < 3; i++) {
      ck_assert((members[i].status == FLOE_OK) == began);
      ck_assert(!began || members[i].outcome.end == members[0].outcome.end);
    }
    ck_assert_int_eq(members[_i].status, began ? FLOE_OK : FLOE_ERROR_MEMORY);
    full += began && members[0].outcome.end == FLOE_END_MEMORY;
    free_members(members, 3);
  }
  ck_assert_uint_gt(full, 0);
  pair_close(&pair);
}
END_TEST

static void *interrupt_soon(void *data) {
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  atomic_store((atomic_bool *)data, true);
  return NULL;
}

START_TEST(an_interrupt_ends_all) {
  struct setting setting = plain();
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pthread_t thread;
  const struct subject large = {"peterson", {{"N", "5"}}};
  pair_open(&pair, &large);
  make_members(members, 3, 0, 5, &pair, &setting);
  if (_i == 3)
    members[1].setting.options.timeout = 0.1;
  else
    ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_soon, &members[_i].interrupt), 0);
  run(members, 3);
  if (_i < 3)
    pthread_join(thread, NULL);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(members[i].outcome.end, _i == 3 ? FLOE_END_TIMEOUT : FLOE_END_INTERRUPT);
  }
  free_members(members, 3);
  pair_close(&pair);
}
END_TEST

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!emulated_possible())
    return 77;
  TCase *models = tcase_create("models"), *full = tcase_create("full");
  tcase_add_loop_test(models, devices_find_what_one_cpu_finds, 0, SUBJECTS);
  tcase_add_loop_test(models, devices_and_cpus_find_it, 0, 3);
  tcase_add_loop_test(full, nothing_is_lost_where_something_is_full, 0, NARROW);
  tcase_add_test(full, what_comes_is_more_than_the_queue_holds);
  TCase *processes = tcase_create("processes");
  tcase_add_loop_test(processes, processes_use_mailboxes, 0, 3);
  tcase_add_loop_test(processes, processes_have_letters, 0, 3);
  tcase_add_loop_test(processes, processes_lose_nothing, 0, 3);
  tcase_add_loop_test(processes, linked_processes_end_together, 0, 3);
  tcase_set_timeout(processes, 300);
  TCase *process = tcase_create("process"), *ends = tcase_create("ends");
  tcase_add_loop_test(process, one_process_explores_on_all, 0, 2);
  tcase_add_test(process, devices_make_room_for_parts);
  tcase_add_loop_test(process, devices_need_no_access_to_each_other, 0, 2);
  tcase_add_loop_test(process, mailboxes_lose_nothing, 0, 6);
  tcase_add_test(process, mailboxes_are_emptied_while_states_are_on_the_host);
  tcase_add_loop_test(process, what_a_link_loses_is_noticed, 0, 3);
  tcase_add_loop_test(process, keys_go_through_mailboxes, 0, 2);
  tcase_add_loop_test(process, small_searches_stay_on_one, 0, 1);
  tcase_add_test(process, all_begin_where_one_is_full);
  tcase_add_loop_test(process, they_end_as_one_does, 0, 3);
  tcase_add_loop_test(process, they_keep_the_levels_of_one, 0, 2);
  tcase_add_loop_test(ends, one_that_fails_ends_all, 0, 6);
  tcase_add_loop_test(ends, a_full_one_ends_all, 0, 3);
  tcase_add_loop_test(ends, an_interrupt_ends_all, 0, 4);
  tcase_set_timeout(process, 300);
  tcase_set_timeout(ends, 300);
  tcase_set_timeout(models, 300);
  tcase_set_timeout(full, 300);
  Suite *suite = suite_create("members of a group on devices");
  suite_add_tcase(suite, models);
  suite_add_tcase(suite, full);
  suite_add_tcase(suite, processes);
  suite_add_tcase(suite, process);
  suite_add_tcase(suite, ends);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  emulated_forget();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
