/* A scheme of this program: it is added by the registry alone, passes the set suite, explores, and is a table of
   floe.h. */
#include "floe.h"
#include "floe_tables.h"
#include "table_model.h"
#include "table_set_suite.h"
#include "toy_scheme.h"

static floe_log *make_log(void) {
  floe_log *log = NULL;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  return log;
}

START_TEST(it_is_in_the_registry) {
  size_t n = 0;
  while (table_schemes()[n])
    n++;
  ck_assert_str_eq(table_schemes()[n - 1], "toy");
  ck_assert_str_eq(floe_hash_scheme(n - 1), "toy");
  ck_assert_ptr_eq(table_scheme_find("toy"), &toy_scheme);
  ck_assert_double_eq(table_fill("toy"), 0.5);
}
END_TEST

START_TEST(it_is_a_set) {
  ck_assert(set_is_one("toy"));
  for (unsigned bits = 1; bits <= 64; bits += 9)
    check_beside_model(&(struct table_config){.scheme = "toy", .key_bits = bits, .slots = 700}, 1.6);
  set_by_threads("toy");
  set_like_its_traits("toy");
  set_with_numbers("toy");
  set_with_numbers_by_threads("toy");
}
END_TEST

/* ---- exploration --------------------------------------------------------------------------------- */

struct findings {
  char certificate[200];
  uint64_t states, growths;
};

static struct findings explore(const char *name, const char *table, unsigned threads) {
  char path[4096];
  floe_log *log = make_log();
  floe_model *model;
  floe_result *result;
  floe_options options;
  struct findings findings;
  snprintf(path, sizeof path, "%s/models/%s.xml", getenv("top_srcdir"), name);
  ck_assert_int_eq(floe_model_load(path, log, &model), FLOE_OK);
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.table = table;
  options.threads = threads;
  options.initial_slots = 1000;
  options.memory = (uint64_t)256 << 20;
  ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_OK);
  const floe_summary summary = *floe_result_summary(result);
  ck_assert(summary.complete);
  ck_assert_str_eq(summary.table, table);
  snprintf(findings.certificate, sizeof findings.certificate, "%s", summary.certificate);
  findings.states = summary.states;
  findings.growths = summary.growths;
  floe_result_free(result);
  floe_model_free(model);
  floe_log_free(log);
  return findings;
}

START_TEST(it_explores) {
  static const char *const models[] = {"peterson", "bakery"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (unsigned threads = 1; threads <= 3; threads += 2) {
      const struct findings right = explore(models[i], "iceberg", 1), found = explore(models[i], "toy", threads);
      ck_assert_uint_gt(found.states, 1000);
      ck_assert_uint_eq(found.states, right.states);
      ck_assert_str_eq(found.certificate, right.certificate);
      ck_assert_uint_gt(found.growths, 0);
    }
}
END_TEST

/* The GPU has no kernels for it. */
START_TEST(it_does_not_explore_on_a_gpu) {
  const char text[] = "<model name='m'><variable name='x' range='0..3'/><process name='P'>"
                      "<location name='l' initial='true'/></process></model>";
  floe_log *log = make_log();
  floe_model *model;
  floe_result *result;
  floe_options options;
  ck_assert_int_eq(floe_model_parse("model.xml", text, strlen(text), log, &model), FLOE_OK);
  floe_options_init(&options);
  options.table = "toy";
  options.engine = FLOE_ENGINE_GPU;
  ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_ERROR_USAGE);
  ck_assert_str_eq(floe_log_at(log, floe_log_count(log) - 1)->message,
                   "a 'toy' table cannot hold the visited set on a GPU");
  options.engine = FLOE_ENGINE_AUTO;
  ck_assert_int_eq(floe_explore(model, &options, log, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_summary(result)->states, 1);
  floe_result_free(result);
  floe_model_free(model);
  floe_log_free(log);
}
END_TEST

/* ---- floe.h -------------------------------------------------------------------------------------- */

START_TEST(it_is_a_table_of_the_public_interface) {
  floe_log *log = make_log();
  floe_hash_options options;
  floe_hash_table *table;
  uint64_t keys[] = {3, 1, 4, 1, 5}, count, wrong;
  uint8_t answers[5];
  floe_hash_options_init(&options);
  options.scheme = "toy";
  options.slots = 10;
  ck_assert_int_eq(floe_hash_create(&options, log, &table), FLOE_OK);
  ck_assert_str_eq(floe_hash_information(table).scheme, "toy");
  ck_assert_ptr_nonnull(floe_hash_cannot(table, FLOE_HASH_DELETE));
  ck_assert_int_eq(floe_hash_run(table, FLOE_HASH_FIND_OR_PUT, keys, NULL, 5, answers, NULL), FLOE_OK);
  ck_assert_int_eq(floe_hash_resize(table, 100), FLOE_OK);
  ck_assert_int_eq(floe_hash_count(table, &count), FLOE_OK);
  ck_assert_int_eq(floe_hash_check(table, &wrong), FLOE_OK);
  ck_assert_uint_eq(count, 4);
  ck_assert_uint_eq(wrong, 0);
  floe_hash_free(table);
  floe_log_free(log);
}
END_TEST

int main(void) {
  table_scheme_add(&toy_scheme);
  return RUN_SUITE("a toy scheme", it_is_in_the_registry, it_is_a_set, it_explores, it_does_not_explore_on_a_gpu,
                   it_is_a_table_of_the_public_interface);
}
