/* GPUs and CPUs as members of one group of threads, with delayed and reordered messages; kernels run on emulated GPUs.
 * Results are compared with one CPU. */
#include "members.h"
#include "tests/suite.h"

#include "tests/gpu/device/emulated_suite.h"

#include <check.h>

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
  const char *table, *test_settings;
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
  setting.test_settings = narrow[_i].test_settings;
  for (uint64_t seed = 1; seed <= 3; seed++)
    explore_alike(&subjects[0], &setting, 3, 0, seed, &counts);
  ck_assert(!narrow[_i].grows || counts.rehashes > 0);
}
END_TEST

/* CPUs are much faster than an emulated GPU, which receives more states at once than its queue has words: it must
 * insert them in parts and not wait for room for all. */
START_TEST(what_comes_is_more_than_the_queue_holds) {
  const struct subject wide = {"counters", {{"N", "6"}, {"K", "8"}}};
  struct setting setting = members_plain();
  setting.test_settings = "queue=1,blocks=1";
  setting.device.stop_percent = 0;
  explore_alike(&wide, &setting, 4, 0xd, 1, NULL);
}
END_TEST

/* ---- ends ----------------------------------------------------------------------------------------- */

/* One member has less and less memory, until it cannot begin; before that, the search ends for all members when it is
 * full. */
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
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *models = tcase_create("models"), *full = tcase_create("full"), *ends = tcase_create("ends");
  tcase_add_loop_test(models, devices_find_what_one_cpu_finds, 0, SUBJECTS);
  tcase_add_loop_test(models, devices_and_cpus_find_it, 0, 3);
  tcase_add_loop_test(full, nothing_is_lost_where_something_is_full, 0, NARROW);
  tcase_add_test(full, what_comes_is_more_than_the_queue_holds);
  tcase_add_loop_test(ends, a_full_one_ends_all, 0, 3);
  tcase_add_loop_test(ends, an_interrupt_ends_all, 0, 4);
  tcase_set_timeout(models, 300);
  tcase_set_timeout(full, 300);
  tcase_set_timeout(ends, 300);
  return emulated_run("members of a group on devices", models, full, ends);
}
