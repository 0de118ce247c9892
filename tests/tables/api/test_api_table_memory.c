/* The hash tables of floe_tables.h without memory: every allocation of every call fails once. The error is logged,
   nothing stays allocated, and the table is unchanged. */
#include "core/mem.h"
#include "tests/tables/table_suite.h"

#include <floe_tables.h>

enum { KEYS = 600, MOST_ALLOCATIONS = 100 };

static const char *const schemes[] = {"iceberg", "linear", "cuckoo", "robin-hood", "working-set"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static floe_log *messages;
static uint64_t keys[KEYS];
static uint8_t answers[KEYS];

static floe_hash_options options_of(int scheme) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = schemes[scheme];
  options.value_bits = 64;
  options.slots = 1000;
  options.threads = 2;
  if (strcmp(options.scheme, "working-set") != 0) /* it has a hash of its own */
    options.permutation = "feistel";
  return options;
}

static void set_keys(void) {
  uint64_t state = 5;
  for (size_t i = 0; i < KEYS; i++)
    keys[i] = splitmix64_next(&state);
}

static void assert_whole(floe_hash_table *table, size_t present) {
  uint64_t count = 0, wrong = 1;
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, present);
  ck_assert_int_eq(floe_hash_check(table, &wrong), FLOE_OK);
  ck_assert_uint_eq(wrong, 0);
}

static void assert_logged(void) {
  ck_assert_uint_eq(floe_log_errors(messages), 1);
  floe_log_clear(messages);
}

START_TEST(creating) {
  const floe_hash_options options = options_of(_i);
  long n = 1;
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  const size_t before = mem_live();
  for (floe_status status = FLOE_ERROR_MEMORY; status != FLOE_OK; n++) {
    floe_hash_table *table = NULL;
    ck_assert_int_lt(n, MOST_ALLOCATIONS);
    mem_fail_after(n);
    status = floe_hash_create(&options, messages, &table);
    mem_fail_after(0);
    floe_hash_free(table);
    if (status == FLOE_OK)
      continue;
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    assert_logged();
    ck_assert_uint_eq(mem_live(), before);
  }
  ck_assert_int_gt(n, 3);
  floe_log_free(messages);
}
END_TEST

static floe_status resize(floe_hash_table *table) { return floe_hash_resize(table, 5000); }
static floe_status clear(floe_hash_table *table) { return floe_hash_clear(table, 8); }
static floe_status put_sorted(floe_hash_table *table) {
  return floe_hash_find_or_put_sorted(table, keys, NULL, KEYS, answers, NULL);
}

/* Until all allocations succeed the call leaves the table with all its keys. */
static void fail_each(floe_hash_table *table, floe_status (*call)(floe_hash_table *table), size_t present_after) {
  long n = 1;
  for (;; n++) {
    ck_assert_int_lt(n, MOST_ALLOCATIONS);
    const size_t before = mem_live();
    mem_fail_after(n);
    floe_status status = call(table);
    mem_fail_after(0);
    if (status == FLOE_OK)
      break;
    ck_assert_int_eq(status, FLOE_ERROR_MEMORY);
    assert_logged();
    ck_assert_uint_eq(mem_live(), before);
    assert_whole(table, KEYS);
  }
  ck_assert_int_gt(n, 1);
  assert_whole(table, present_after);
}

START_TEST(changing) {
  const floe_hash_options options = options_of(_i);
  floe_hash_table *table;
  ck_assert_int_eq(floe_log_create(&messages), FLOE_OK);
  ck_assert_int_eq(floe_hash_create(&options, messages, &table), FLOE_OK);
  set_keys();
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, KEYS, answers, NULL), FLOE_OK);
  fail_each(table, resize, KEYS);
  ck_assert_uint_ge(floe_hash_information(table).slots, 5000);
  if (strcmp(options.scheme, "cuckoo") == 0)
    fail_each(table, put_sorted, KEYS);
  if (strcmp(options.scheme, "working-set") != 0) /* there it needs no memory */
    fail_each(table, clear, 0);
  floe_hash_free(table);
  floe_log_free(messages);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("memory");
  tcase_add_loop_test(cases, creating, 0, SCHEMES);
  tcase_add_loop_test(cases, changing, 0, SCHEMES);
  tcase_add_test(cases, no_memory_is_left);
  return run_suite("hash tables of floe_tables.h without memory", CK_NOFORK, cases);
}
