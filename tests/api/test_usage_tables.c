/* Functions of floe_tables.h and bench/floe_bench.h with invalid arguments; see test_usage.c. */
#include "tests/api/usage.h"

#include "bench/floe_bench.h"
#include "core/mem.h"
#include "floe_tables.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>

static void begin(void) { ck_assert_int_eq(floe_log_create(&log_), FLOE_OK); }

static void end(void) {
  floe_log_free(log_);
  ck_assert_uint_eq(mem_live(), 0);
}

START_TEST(benches) {
  floe_bench *bench;
  floe_bench_options options;
  floe_bench_case what;
  floe_bench_result result;
  floe_bench_mixed_case mixed;
  floe_bench_mixed_result mixed_result;
  floe_bench_keys keys;
  floe_bench_ceilings ceilings;
  floe_bench_options_init(&options);
  options.engine = (floe_engine)FAR;
  LOGGED(floe_bench_create(&options, log_, &bench));
  options.engine = FLOE_ENGINE_CPU;
  options.threads = 1;
  LOGGED(floe_bench_create(&options, log_, NULL));
  ck_assert_int_eq(floe_bench_create(&options, log_, &bench), FLOE_OK);
  floe_bench_case_init(&what);
  what.slots = 1024;
  REFUSED(floe_bench_load(NULL, "x", false, &keys));
  LOGGED(floe_bench_load(bench, NULL, false, &keys));
  LOGGED(floe_bench_load(bench, "x", false, NULL));
  REFUSED(floe_bench_run(NULL, &what, &result));
  LOGGED(floe_bench_run(bench, NULL, &result));
  LOGGED(floe_bench_run(bench, &what, NULL));
  REFUSED(floe_bench_overflow(NULL, &what, &result));
  LOGGED(floe_bench_overflow(bench, NULL, &result));
  LOGGED(floe_bench_overflow(bench, &what, NULL));
  what.operation = (floe_bench_operation)BAD;
  LOGGED(floe_bench_run(bench, &what, &result));
  floe_bench_mixed_case_init(&mixed);
  REFUSED(floe_bench_mixed(NULL, &mixed, &mixed_result));
  LOGGED(floe_bench_mixed(bench, NULL, &mixed_result));
  LOGGED(floe_bench_mixed(bench, &mixed, NULL));
  REFUSED(floe_bench_limits(NULL, 1 << 20, &ceilings));
  LOGGED(floe_bench_limits(bench, 1 << 20, NULL));
  floe_bench_free(bench);
  floe_bench_free(NULL);
  ck_assert_int_eq(floe_bench_engine(NULL), FLOE_ENGINE_CPU);
  EMPTY(floe_bench_machine(NULL));
}
END_TEST

static void nothing(void *user, const uint64_t *keys, const uint64_t *values, size_t n) {
  (void)user, (void)keys, (void)values, (void)n;
}

static floe_hash_table *table_of(const char *scheme, unsigned value_bits) {
  floe_hash_options options;
  floe_hash_table *table;
  floe_hash_options_init(&options);
  options.scheme = scheme;
  options.key_bits = 32;
  options.value_bits = value_bits;
  options.slots = 1024;
  options.threads = 1;
  ck_assert_int_eq(floe_hash_create(&options, log_, &table), FLOE_OK);
  return table;
}

START_TEST(hash_table_options) {
  floe_hash_table *table;
  floe_hash_info info;
  floe_hash_options options;
  floe_hash_options_init(&options);
  LOGGED(floe_hash_plan(&options, log_, NULL));
  LOGGED(floe_hash_create(&options, log_, NULL));
  ck_assert_int_eq(floe_hash_plan(NULL, log_, &info), FLOE_OK);
  options.engine = (floe_engine)FAR;
  LOGGED(floe_hash_plan(&options, log_, &info));
  LOGGED(floe_hash_create(&options, log_, &table));
  options.engine = FLOE_ENGINE_CPU;
  options.reduction = (floe_hash_reduction)BAD;
  LOGGED(floe_hash_create(&options, log_, &table));
  options.reduction = (floe_hash_reduction)-1;
  LOGGED(floe_hash_create(&options, log_, &table));
  ZERO(floe_hash_info, floe_hash_information(NULL));
}
END_TEST

START_TEST(hash_tables) {
  floe_hash_table *table;
  floe_hash_stats stats;
  floe_hash_traffic traffic;
  uint64_t keys[1] = {1}, count;
  uint8_t answers[1];
  table = table_of("iceberg", 32);
  REFUSED(floe_hash_run(NULL, FLOE_HASH_FIND, keys, NULL, 1, answers, NULL));
  LOGGED(floe_hash_run(table, FLOE_HASH_FIND, NULL, NULL, 1, answers, NULL));
  LOGGED(floe_hash_run(table, FLOE_HASH_FIND, keys, NULL, 1, NULL, NULL));
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_GET, keys, NULL, 1, answers, NULL), FLOE_OK);
  LOGGED(floe_hash_run(table, (floe_hash_operation)BAD, keys, NULL, 1, answers, NULL));
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND, NULL, NULL, 0, NULL, NULL), FLOE_OK);
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, 1, answers, NULL), FLOE_OK);
  REFUSED(floe_hash_run_on_device(NULL, FLOE_HASH_FIND, 0, 0, 0, 0));
  LOGGED(floe_hash_run_on_device(table, FLOE_HASH_FIND, 0, 0, 0, 0));
  LOGGED(floe_hash_find_or_put_sorted(table, keys, NULL, 1, answers, NULL));
  REFUSED(floe_hash_run_mixed(NULL, answers, keys, NULL, 1, answers, NULL));
  LOGGED(floe_hash_run_mixed(table, answers, keys, NULL, 1, answers, NULL));
  REFUSED(floe_hash_traffic_of(NULL, &traffic));
  LOGGED(floe_hash_traffic_of(table, &traffic));
  REFUSED(floe_hash_clear(NULL, 0));
  REFUSED(floe_hash_resize(NULL, 1024));
  REFUSED(floe_hash_count(NULL, &count));
  LOGGED(floe_hash_count(table, NULL));
  REFUSED(floe_hash_statistics(NULL, &stats));
  LOGGED(floe_hash_statistics(table, NULL));
  REFUSED(floe_hash_each(NULL, 0, 1, nothing, NULL));
  LOGGED(floe_hash_each(table, 0, 1, NULL, NULL));
  LOGGED(floe_hash_each(table, 1, 1, nothing, NULL));
  REFUSED(floe_hash_check(NULL, &count));
  LOGGED(floe_hash_check(table, NULL));
  ck_assert_ptr_nonnull(floe_hash_cannot(table, (floe_hash_operation)BAD));
  floe_hash_free(table);
  floe_hash_free(NULL);

  table = table_of("cuckoo", 0);
  REFUSED(floe_hash_find_or_put_sorted(NULL, keys, NULL, 1, answers, NULL));
  LOGGED(floe_hash_find_or_put_sorted(table, NULL, NULL, 1, answers, NULL));
  LOGGED(floe_hash_find_or_put_sorted(table, keys, NULL, 1, NULL, NULL));
  floe_hash_free(table);

  table = table_of("working-set", 64);
  LOGGED(floe_hash_run_mixed(table, NULL, keys, NULL, 1, answers, NULL));
  LOGGED(floe_hash_run_mixed(table, answers, NULL, NULL, 1, answers, NULL));
  LOGGED(floe_hash_run_mixed(table, answers, keys, NULL, 1, NULL, NULL));
  LOGGED(floe_hash_traffic_of(table, NULL));
  floe_hash_free(table);
  ck_assert_ptr_nonnull(floe_hash_cannot(NULL, FLOE_HASH_FIND));
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("usage of tables");
  tcase_add_checked_fixture(tests, begin, end);
  tcase_set_timeout(tests, 120);
  add_tests(tests, benches, hash_table_options, hash_tables);
  return run_suite("usage of tables", CK_FORK_GETENV, tests);
}
