/* Several devices, and CPUs among them, as members of one group, of threads that hear of each other late and in any
   order; the devices' kernels on the imitated GPU. All that they find together is what one CPU finds alone. */
#include "core/clock.h"
#include "engine/archive.h"
#include "members.h"
#include "step/suite.h"

#include "emulated.h"
#include "table/kernel/iceberg.h"

#include "gpu/kernel/control.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void explore_alike(const struct subject *subject, const struct setting *setting, unsigned size, unsigned cpus,
                          uint64_t seed, struct fake_counts *counts) {
  struct member members[MOST_MEMBERS];
  struct pair pair;
  pair_open(&pair, subject);
  struct engine_outcome alone = pair_on_cpu(&pair, setting);
  members_make(members, size, cpus, seed, &pair, setting);
  members_run(members, size);
  members_compare(&pair, &alone, members, size);
  for (unsigned i = 0; counts && i < size; i++) {
    counts->explores += members[i].counts.explores;
    counts->inserts += members[i].counts.inserts;
    counts->rehashes += members[i].counts.rehashes;
  }
  members_free(members, size);
  engine_outcome_free(&alone);
  pair_close(&pair);
}

/* ---- models -------------------------------------------------------------------------------------- */

static const struct subject subjects[] = {
    {"peterson", {{"N", "3"}}}, {"altbit", {{NULL, NULL}}},   {"philosophers", {{"N", "5"}}},
    {"bakery", {{NULL, NULL}}}, {"election", {{NULL, NULL}}}, {"hanoi", {{"N", "5"}}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

START_TEST(devices_find_what_one_cpu_finds) {
  const struct setting setting = members_plain();
  explore_alike(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 0, 1 + (uint64_t)_i, NULL);
}
END_TEST

START_TEST(devices_and_cpus_find_it) {
  const struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  struct setting setting = members_plain();
  setting.tuning = "queue=1,blocks=1";
  setting.device.stop_percent = 0;
  explore_alike(&wide, &setting, 4, 0xd, 1, NULL);
}
END_TEST

/* ---- several devices of one process -------------------------------------------------------------- */

#define MOST_TOGETHER 10

struct together {
  struct gpu *gpus[MOST_TOGETHER];
  struct fake_counts counts[MOST_TOGETHER];
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
  struct setting setting = members_plain();
  setting.tuning = "alone=20";
  explore_on_all_alike(&subjects[_i], &setting, 2 + (unsigned)_i % 3, 2 + (unsigned)_i % 3);
}
END_TEST

/* Eight do, and two do. */
START_TEST(more_than_have_mailboxes_for_each_other) {
  struct setting setting = members_plain();
  setting.tuning = "alone=20,mail=2";
  explore_on_all_alike(&subjects[0], &setting, GPU_MOST_LINKED + 2, GPU_MOST_LINKED + 2);
}
END_TEST

/* Of the states expected each has a table for its part. */
START_TEST(devices_make_room_for_parts) {
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
  explore_on_all_alike(&subjects[_i], &setting, 3, 0);
}
END_TEST

/* However small its levels are: what one has no memory for all do together, and none goes to the host's. */
START_TEST(all_begin_where_one_is_full) {
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain(), on_cpu;
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
  struct setting setting = members_plain();
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
  struct setting setting = members_plain();
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
    members_make(members, 3, 0, 5, &pair, &setting);
    members[_i].setting.device.memory = memory;
    members_run(members, 3);
    began = members[0].status == FLOE_OK;
    for (unsigned i = 0; i < 3; i++) {
      ck_assert((members[i].status == FLOE_OK) == began);
      ck_assert(!began || members[i].outcome.end == members[0].outcome.end);
    }
    ck_assert_int_eq(members[_i].status, began ? FLOE_OK : FLOE_ERROR_MEMORY);
    full += began && members[0].outcome.end == FLOE_END_MEMORY;
    members_free(members, 3);
  }
  ck_assert_uint_gt(full, 0);
  pair_close(&pair);
}
END_TEST

START_TEST(an_interrupt_ends_all) {
  struct setting setting = members_plain();
  struct member members[MOST_MEMBERS];
  struct pair pair;
  const struct subject large = {"peterson", {{"N", "5"}}};
  pair_open(&pair, &large);
  members_make(members, 3, 0, 5, &pair, &setting);
  if (_i == 3)
    members[1].timeout = 0.1;
  else
    members[_i].interrupt_after = 0.1;
  members_run(members, 3);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq(members[i].status, FLOE_OK);
    ck_assert_int_eq(members[i].outcome.end, _i == 3 ? FLOE_END_TIMEOUT : FLOE_END_INTERRUPT);
  }
  members_free(members, 3);
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
  TCase *process = tcase_create("process"), *ends = tcase_create("ends");
  tcase_add_loop_test(process, one_process_explores_on_all, 0, 2);
  tcase_add_test(process, more_than_have_mailboxes_for_each_other);
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
  suite_add_tcase(suite, process);
  suite_add_tcase(suite, ends);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  emulated_forget();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
