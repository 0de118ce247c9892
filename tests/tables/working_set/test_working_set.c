/* Tables of the scheme "working-set" with both levels in the host's memory: random programs compared with a model,
   and the results of the public functions. */
#include "tests/suite.h"
#include "working_set_suite.h"

#include <string.h>

static floe_log *messages;

static void begin(void) { ck_assert_int_eq(floe_log_create(&messages), FLOE_OK); }
static void end(void) { floe_log_free(messages); }

/* Exactly one more error, with these words and a hint. */
static void assert_logged(const char *words) {
  ck_assert_uint_eq(floe_log_errors(messages), 1);
  ck_assert_msg(strstr(floe_log_at(messages, 0)->message, words) != NULL, "'%s' is not in '%s'", words,
                floe_log_at(messages, 0)->message);
  ck_assert(floe_log_at(messages, 0)->hint != NULL);
  floe_log_clear(messages);
}

static floe_hash_table *make_table(const floe_hash_options *options) {
  floe_hash_table *table = NULL;
  ck_assert_int_eq(floe_hash_create(options, messages, &table), FLOE_OK);
  return table;
}

START_TEST(like_the_model) {
  const struct working_set_settings settings = {.log = messages, .engine = FLOE_ENGINE_CPU, .seeds = 3, .calls = 60};
  ck_assert_int_eq(working_set_run(&settings, floe_hash_variant((size_t)_i)), 0);
}
END_TEST

/* The variants agree at sizes for which threads share the work; so do different numbers of threads. */
START_TEST(at_large) {
  const struct working_set_settings settings = {.log = messages, .engine = FLOE_ENGINE_CPU, .calls = 3};
  ck_assert_int_eq(working_set_compare(&settings, floe_hash_variant((size_t)_i), 40000, 30000), 0);
}
END_TEST

static floe_hash_options working_set_options(void) {
  floe_hash_options options;
  floe_hash_options_init(&options);
  options.scheme = "working-set";
  options.value_bits = 64;
  options.slots = 1000;
  options.threads = 2;
  return options;
}

/* An example with numbers computed by hand. */
START_TEST(in_order) {
  const uint8_t operations[] = {FLOE_HASH_PUT, FLOE_HASH_GET,    FLOE_HASH_PUT, FLOE_HASH_DELETE,
                                FLOE_HASH_GET, FLOE_HASH_DELETE, FLOE_HASH_PUT, FLOE_HASH_FIND};
  uint64_t keys[] = {7, 7, 7, 7, 7, 7, 7, 7}, values[] = {1, 0, 2, 0, 5, 0, 3, 0};
  const uint8_t wanted[] = {FLOE_HASH_NEW,  FLOE_HASH_FOUND, FLOE_HASH_FOUND, FLOE_HASH_FOUND,
                            FLOE_HASH_NONE, FLOE_HASH_NONE,  FLOE_HASH_NEW,   FLOE_HASH_FOUND};
  const uint64_t wanted_values[] = {1, 1, 2, 0, 5, 0, 3, 0};
  uint8_t answers[8];
  size_t full = 9;
  const floe_hash_options options = working_set_options();
  floe_hash_table *table = make_table(&options);
  ck_assert_int_eq(floe_hash_run_mixed(table, operations, keys, values, 8, answers, &full), FLOE_OK);
  ck_assert_mem_eq(answers, wanted, sizeof wanted);
  ck_assert_mem_eq(values, wanted_values, sizeof wanted_values);
  ck_assert_uint_eq(full, 0);
  floe_hash_free(table);
}
END_TEST

START_TEST(what_it_says_of_itself) {
  floe_hash_options options = working_set_options();
  floe_hash_info info;
  ck_assert_int_eq(floe_hash_plan(&options, messages, &info), FLOE_OK);
  ck_assert_str_eq(info.scheme, "working-set");
  ck_assert_uint_eq(info.slots, 1000);
  ck_assert_double_eq(info.fill, 0.9);
  floe_hash_table *table = make_table(&options);
  ck_assert_str_eq(floe_hash_information(table).machine, "log");
  ck_assert_uint_eq(floe_hash_information(table).bytes, info.bytes);
  for (unsigned i = 0; i <= FLOE_HASH_ADD; i++)
    ck_assert((floe_hash_cannot(table, i) == NULL) == (i != FLOE_HASH_FIND_OR_PUT));
  floe_hash_stats stats;
  ck_assert_int_eq(floe_hash_statistics(table, &stats), FLOE_OK);
  ck_assert_uint_eq(stats.level_slots[0], 125);
  ck_assert_uint_eq(stats.level_slots[1], 875);
  floe_hash_free(table);
  ck_assert_uint_eq(floe_log_count(messages), 0);
}
END_TEST

/* The statistics of the levels are reported. */
START_TEST(what_went_between) {
  floe_hash_options options = working_set_options();
  options.recent_slots = 10;
  options.batch = 20;
  floe_hash_table *table = make_table(&options);
  floe_hash_traffic traffic;
  uint64_t keys[40];
  uint8_t answers[40];
  for (uint64_t i = 0; i < 40; i++)
    keys[i] = i;
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_PUT, keys, NULL, 40, answers, NULL), FLOE_OK);
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND, keys + 25, NULL, 10, answers, NULL), FLOE_OK);
  ck_assert_int_eq(floe_hash_traffic_of(table, &traffic), FLOE_OK);
  ck_assert_uint_eq(traffic.batches, 3);
  ck_assert_uint_eq(traffic.operations, 50);
  ck_assert_uint_eq(traffic.asked, 45);
  ck_assert_uint_eq(traffic.moved_up, 5);
  ck_assert_uint_eq(traffic.moved_down, 35);
  ck_assert(traffic.seconds > 0);
  ck_assert_int_eq(floe_hash_clear(table, 3), FLOE_OK);
  ck_assert_int_eq(floe_hash_traffic_of(table, &traffic), FLOE_OK);
  ck_assert_uint_eq(traffic.operations, 0);
  floe_hash_free(table);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------------ */

static const struct refusal {
  floe_hash_options change; /* members that are not 0 override the options */
  const char *words;
} refusals[] = {
    {{.value_bits = 32}, "values of 64 bits"},
    {{.reduction = FLOE_HASH_SUM}, "no reductions"},
    {{.permutation = "feistel"}, "no permutations"},
    {{.slot_bits = 64}, "no options for slots"},
    {{.host_memory = true}, "in the device's memory"},
    {{.recent_slots = 1000}, "a recent level of 1000 slots is not possible in a table of 1000"},
    {{.batch = 1048577}, "batches of 1048577"},
    {{.variant = "sss"}, "there is no variant 'sss'"},
};

static floe_hash_options with(const floe_hash_options *change) {
  floe_hash_options options = working_set_options();
  options.value_bits = change->value_bits ? change->value_bits : options.value_bits;
  options.reduction = change->reduction;
  options.permutation = change->permutation;
  options.slot_bits = change->slot_bits;
  options.host_memory = change->host_memory;
  options.recent_slots = change->recent_slots;
  options.batch = change->batch;
  options.variant = change->variant;
  return options;
}

START_TEST(refused) {
  const floe_hash_options options = with(&refusals[_i].change);
  floe_hash_info info;
  floe_hash_table *table;
  ck_assert_int_eq(floe_hash_plan(&options, messages, &info), FLOE_ERROR_USAGE);
  assert_logged(refusals[_i].words);
  ck_assert_int_eq(floe_hash_create(&options, messages, &table), FLOE_ERROR_USAGE);
  assert_logged(refusals[_i].words);
}
END_TEST

START_TEST(wrong_operations) {
  floe_hash_options options = working_set_options();
  floe_hash_table *table = make_table(&options), *set;
  floe_hash_traffic traffic;
  uint8_t operations[] = {FLOE_HASH_PUT, FLOE_HASH_FIND_OR_PUT}, answers[2];
  uint64_t keys[] = {1, 2};
  ck_assert_int_eq(floe_hash_run_mixed(table, operations, keys, NULL, 2, answers, NULL), FLOE_ERROR_USAGE);
  assert_logged("find-or-put: a put replaces the value");
  operations[1] = 77;
  ck_assert_int_eq(floe_hash_run_mixed(table, operations, keys, NULL, 2, answers, NULL), FLOE_ERROR_USAGE);
  assert_logged("there is no such operation");
  ck_assert_int_eq(floe_hash_find_or_put_sorted(table, keys, NULL, 2, answers, NULL), FLOE_ERROR_USAGE);
  assert_logged("only cuckoo tables");
  ck_assert_int_eq(floe_hash_run_on_device(table, FLOE_HASH_PUT, 1, 1, 1, 1), FLOE_ERROR_USAGE);
  assert_logged("not on a GPU");
  uint64_t count;
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_uint_eq(count, 0); /* nothing was done */
  floe_hash_free(table);
  floe_hash_options_init(&options);
  set = make_table(&options);
  ck_assert_int_eq(floe_hash_run_mixed(set, operations, keys, NULL, 1, answers, NULL), FLOE_ERROR_USAGE);
  assert_logged("only working-set tables");
  ck_assert_int_eq(floe_hash_traffic_of(set, &traffic), FLOE_ERROR_USAGE);
  assert_logged("only working-set tables");
  floe_hash_free(set);
}
END_TEST

int main(void) {
  int variants = 0;
  while (floe_hash_variant((size_t)variants))
    variants++;
  TCase *tcase = tcase_create("working-set");
  tcase_set_timeout(tcase, 300);
  tcase_add_checked_fixture(tcase, begin, end);
  tcase_add_loop_test(tcase, like_the_model, 0, variants);
  tcase_add_loop_test(tcase, at_large, 0, variants);
  add_tests(tcase, in_order, what_it_says_of_itself, what_went_between);
  tcase_add_loop_test(tcase, refused, 0, sizeof refusals / sizeof *refusals);
  tcase_add_test(tcase, wrong_operations);
  return run_suite("working-set tables", CK_FORK_GETENV, tcase);
}
