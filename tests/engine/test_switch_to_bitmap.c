/* The CPU engine with a bitmap as visited set, from the start or instead of a growth at many different times of a
   search, on a stepper with closed forms, which give counts, levels and checksum. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "counter_stepper.h"
#include "engine/sizing.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (UINT64_C(1) << 20)

static floe_log *messages;
static atomic_bool interrupt;

static floe_options plain_options(void) {
  return (floe_options){.threads = 1,
                        .table = "iceberg",
                        .memory = 256 * MEBIBYTE,
                        .max_depth = UINT32_MAX,
                        .max_states = UINT64_MAX,
                        .progress_seconds = 1};
}

static floe_status try_run(struct fake *fake, const floe_options *options, bool any_table, struct engine_outcome *out) {
  struct engine_task task = {.model = &fake->model,
                             .layout = &fake->layout,
                             .initial = &fake->initial,
                             .stepper = &fake->base,
                             .options = options,
                             .limits.interrupt = &interrupt,
                             .limits.started = clock_seconds(),
                             .any_table = any_table};
  return engine_run(&engine_cpu, &task, messages, out);
}

static struct engine_outcome run(struct fake *fake, const floe_options *options, bool any_table) {
  struct engine_outcome outcome;
  ck_assert_int_eq(try_run(fake, options, any_table, &outcome), FLOE_OK);
  return outcome;
}

static void check_same(const struct engine_outcome *found, const struct engine_outcome *wanted) {
  ck_assert_int_eq(found->end, FLOE_END_COMPLETE);
  ck_assert_uint_eq(found->states, wanted->states);
  ck_assert_uint_eq(found->transitions, wanted->transitions);
  ck_assert_uint_eq(found->checksum, wanted->checksum);
  ck_assert_uint_eq(found->levels, wanted->levels);
  ck_assert_mem_eq(found->level_states, wanted->level_states, wanted->levels * sizeof *wanted->level_states);
}

static struct engine_outcome in_iceberg(struct fake *fake) {
  const floe_options options = plain_options();
  struct engine_outcome outcome = run(fake, &options, false);
  ck_assert_str_eq(outcome.table.scheme, "iceberg");
  ck_assert_int_eq(outcome.end, FLOE_END_COMPLETE);
  return outcome;
}

static bool is_bitmap(const struct engine_outcome *outcome) {
  return strcmp(outcome->table.scheme, "bitmap") == 0 && outcome->table.shape.slot_bits == 1;
}

START_TEST(test_asked_for) {
  static const unsigned sizes[][2] = {{1, 2}, {3, 3}, {6, 5}, {12, 2}, {4, 25}, {2, 60}, {10, 3}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned threads = 1; threads <= 4; threads++) {
      struct fake fake;
      fake_init(&fake, sizes[i][0], sizes[i][1]);
      floe_options options = plain_options();
      struct engine_outcome wanted = in_iceberg(&fake), found;
      options.table = "bitmap";
      options.threads = threads;
      found = run(&fake, &options, false);
      check_same(&found, &wanted);
      ck_assert(is_bitmap(&found));
      ck_assert_uint_eq(found.statistics.growths, 0);
      ck_assert_uint_eq(found.table.shape.slots, UINT64_C(1) << fake.layout.bits);
      engine_outcome_free(&found);
      engine_outcome_free(&wanted);
    }
}
END_TEST

/* Tiny bitmaps at once; never if a table was chosen. */
START_TEST(test_at_once) {
  struct fake fake;
  fake_init(&fake, 6, 5);
  const floe_options options = plain_options();
  struct engine_outcome found = run(&fake, &options, true), wanted = in_iceberg(&fake);
  ck_assert(is_bitmap(&found));
  ck_assert_uint_le(found.table.shape.bytes, SIZING_TINY_BITMAP);
  check_same(&found, &wanted);
  engine_outcome_free(&found);
  engine_outcome_free(&wanted);
}
END_TEST

/* 24 bits: a bitmap of 2 MiB, and hash tables of 2.2 MB for the expected number of states, which is too low. The set
   is then a bitmap at once, otherwise instead of a growth. */
START_TEST(test_expected) {
  struct fake fake;
  fake_init(&fake, 8, 6);
  floe_options options = plain_options();
  struct engine_outcome wanted = in_iceberg(&fake), found = run(&fake, &options, true);
  ck_assert(is_bitmap(&found));
  ck_assert_uint_ge(found.statistics.growths, 1);
  check_same(&found, &wanted);
  engine_outcome_free(&found);
  options.expected_states = 1000000;
  found = run(&fake, &options, true);
  ck_assert(is_bitmap(&found));
  ck_assert_uint_eq(found.statistics.growths, 0);
  check_same(&found, &wanted);
  engine_outcome_free(&found);
  engine_outcome_free(&wanted);
}
END_TEST

/* Instead of a growth: first tables of all sizes, so that it happens at different times. */
START_TEST(test_instead_of_a_growth) {
  struct fake fake;
  uint64_t changed = 0;
  fake_init(&fake, 6, 7);
  struct engine_outcome wanted = in_iceberg(&fake);
  for (uint64_t slots = 1; slots < 400000; slots = slots * 5 / 4 + 1) {
    floe_options options = plain_options();
    options.threads = 1 + (unsigned)(slots % 4);
    options.initial_slots = slots;
    struct engine_outcome found = run(&fake, &options, true);
    check_same(&found, &wanted);
    ck_assert_int_eq(is_bitmap(&found), found.statistics.growths > 0); /* or no growth was necessary */
    changed += is_bitmap(&found);
    engine_outcome_free(&found);
  }
  ck_assert_uint_ge(changed, 20);
  engine_outcome_free(&wanted);
}
END_TEST

/* From a linear table, too. */
START_TEST(test_from_another_scheme) {
  struct fake fake;
  fake_init(&fake, 6, 7);
  floe_options options = plain_options();
  struct engine_outcome wanted = in_iceberg(&fake);
  options.table = "linear";
  options.initial_slots = 3000;
  options.threads = 3;
  struct engine_outcome found = run(&fake, &options, true);
  ck_assert(is_bitmap(&found));
  check_same(&found, &wanted);
  engine_outcome_free(&found);
  engine_outcome_free(&wanted);
}
END_TEST

/* With any limit: never exceeded, nothing lost; a search that runs out of memory with a hash table completes with a
   bitmap. */
START_TEST(test_memory_limit) {
  struct fake fake;
  unsigned more = 0;
  fake_init(&fake, 6, 7);
  struct engine_outcome wanted = in_iceberg(&fake);
  for (uint64_t kib = 96; kib < 2048; kib = kib * 6 / 5) {
    floe_options options = plain_options();
    struct engine_outcome found, hash;
    options.threads = 1 + kib % 2;
    options.memory = kib << 10;
    options.initial_slots = 256;
    if (try_run(&fake, &options, true, &found) == FLOE_ERROR_MEMORY)
      continue;
    ck_assert_uint_le(found.statistics.table_bytes + found.statistics.frontier_bytes, options.memory);
    for (uint32_t i = 0; i + 1 < found.levels; i++)
      ck_assert_uint_eq(found.level_states[i], wanted.level_states[i]);
    if (found.end == FLOE_END_COMPLETE)
      check_same(&found, &wanted);
    else
      ck_assert_int_eq(found.end, FLOE_END_MEMORY);
    ck_assert_int_eq(try_run(&fake, &options, false, &hash), FLOE_OK);
    ck_assert(found.end == FLOE_END_COMPLETE || hash.end == FLOE_END_MEMORY);
    more += found.end == FLOE_END_COMPLETE && hash.end == FLOE_END_MEMORY;
    engine_outcome_free(&found);
    engine_outcome_free(&hash);
  }
  ck_assert_uint_gt(more, 0);
  engine_outcome_free(&wanted);
}
END_TEST

START_TEST(test_too_many_keys) {
  struct fake fake;
  struct engine_outcome outcome;
  fake_init(&fake, 12, 8); /* 36 bits: 8 GiB */
  floe_options options = plain_options();
  options.table = "bitmap";
  floe_log_clear(messages);
  ck_assert_int_eq(try_run(&fake, &options, false, &outcome), FLOE_ERROR_USAGE);
  ck_assert_uint_eq(floe_log_count(messages), 1);
  ck_assert_ptr_nonnull(strstr(floe_log_at(messages, 0)->message, "a bitmap of 8589934592 bytes"));
  ck_assert_ptr_nonnull(strstr(floe_log_at(messages, 0)->message, "limit of 268435456 bytes"));
  floe_log_clear(messages);
}
END_TEST

START_TEST(test_allocation_failures) {
  struct fake fake;
  fake_init(&fake, 5, 7);
  struct engine_outcome wanted = in_iceberg(&fake);
  for (long n = 1;; n++) {
    floe_options options = plain_options();
    struct engine_outcome found;
    const size_t live = mem_live();
    options.initial_slots = 500;
    mem_fail_after(n);
    const floe_status status = try_run(&fake, &options, true, &found);
    mem_fail_after(0);
    if (status != FLOE_OK) {
      ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
      ck_assert_uint_eq(mem_live(), live);
      continue;
    }
    const bool whole = found.end == FLOE_END_COMPLETE && is_bitmap(&found) && found.statistics.growths == 1;
    if (found.end == FLOE_END_COMPLETE)
      check_same(&found, &wanted);
    engine_outcome_free(&found);
    if (whole && n > 200)
      break;
  }
  engine_outcome_free(&wanted);
}
END_TEST

int main(void) {
  if (floe_log_create(&messages) != FLOE_OK)
    return EXIT_FAILURE;
  TCase *tests = tcase_create("change_over");
  tcase_set_timeout(tests, 120);
  add_tests(tests, test_asked_for, test_at_once, test_expected, test_instead_of_a_growth, test_from_another_scheme,
            test_memory_limit, test_too_many_keys, test_allocation_failures);
  int failed = run_suite("change_over", CK_NOFORK, tests);
  floe_log_free(messages);
  return suite_end(failed);
}
