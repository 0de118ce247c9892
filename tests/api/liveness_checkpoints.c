/* Checkpoints of products of a model and a temporal property. With EMULATED resumed on an emulated GPU. */
#include "tests/api/liveness_suite.h"

#include <stdio.h>
#include <string.h>

#ifdef EMULATED
#define FILE_NAME "liveness_emulated.checkpoint"
#define RESUMING FLOE_ENGINE_GPU
#else
#define FILE_NAME "liveness.checkpoint"
#define RESUMING FLOE_ENGINE_INTERPRETER
#endif
#define PRODUCT_NAME FILE_NAME ".ltl.p"

/* States of the product's search in reports; it follows the model's, which has more when it ends. */
static struct {
  uint64_t before, least, interrupted;
  uint64_t stop; /* interrupts from so five_counters on; 0: never */
  bool product;
} reports;

static void look(const floe_progress *progress, void *user) {
  (void)user;
  if (progress->activity)
    return;
  reports.product = reports.product || progress->states < reports.before;
  reports.before = progress->states;
  if (!reports.product)
    return;
  if (progress->states < reports.least)
    reports.least = progress->states;
  if (!reports.stop || progress->states < reports.stop || reports.interrupted)
    return;
  reports.interrupted = progress->states;
  floe_interrupt();
}

static void begin_reports(uint64_t stop) {
  memset(&reports, 0, sizeof reports);
  reports.least = UINT64_MAX;
  reports.stop = stop;
  options.progress = look;
  options.progress_seconds = 1e-9;
}

static void remove_files(void) {
  static const char *const names[] = {FILE_NAME, FILE_NAME ".previous", PRODUCT_NAME, PRODUCT_NAME ".previous"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    remove(names[i]);
  options.checkpoint = FILE_NAME;
}

static floe_result *resume(void) {
  floe_result *result;
  floe_log_clear(messages);
  const floe_status status = floe_resume(model, FILE_NAME, &options, messages, &result);
  ck_assert_msg(status == FLOE_OK, "%s", message());
  return result;
}

static void require_resumed(floe_result *result, floe_verdict_value value, size_t steps, size_t loop) {
  const floe_verdict verdict = floe_result_verdict(result, 0);
  ck_assert_int_eq(verdict.value, value);
  ck_assert(!verdict.trace || (floe_trace_steps(verdict.trace) == steps && floe_trace_loop(verdict.trace) == loop));
  if (verdict.trace)
    require_run(verdict.trace);
  floe_result_free(result);
}

/* The search of the product is interrupted, and continued; the complete one is continued, too. */
static void require_continuation(const char *fairness, floe_verdict_value value) {
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.threads = 1;
  options.fairness = fairness;
  options.checkpoint = NULL;
  floe_result *whole = explore();
  const floe_verdict verdict = floe_result_verdict(whole, 0);
  ck_assert_int_eq(verdict.value, value);
  const size_t steps = floe_trace_steps(verdict.trace), loop = floe_trace_loop(verdict.trace);
  floe_result_free(whole);
  remove_files();
  begin_reports(2000);
  require_undecided(FLOE_UNDECIDED_PRODUCT);
  ck_assert_uint_ge(reports.interrupted, 2000);
  ck_assert_uint_lt(reports.least, 2000);
  const uint64_t saved = reports.interrupted;
  for (unsigned i = 0; i < 2; i++) {
    begin_reports(0);
    options.engine = i == 0 ? RESUMING : FLOE_ENGINE_INTERPRETER;
    options.fairness = NULL; /* the file has it */
    require_resumed(resume(), value, steps, loop);
    ck_assert(value == FLOE_VIOLATED /* the prefix has a search, too */ || reports.least >= saved);
    for (size_t m = 0; m < floe_log_count(messages); m++)
      ck_assert_msg(false, "%s", floe_log_at(messages, m)->message);
  }
  remove_files();
}

START_TEST(resumed_products) {
  options.cache_dir = "";
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  require_continuation("weak", FLOE_HOLDS);
#ifdef EMULATED
  if (!at_length())
    return;
#endif
  require_continuation(NULL, FLOE_VIOLATED);
}
END_TEST

#ifndef EMULATED
static void damage(const char *name) {
  FILE *file = fopen(name, "r+b");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  const long half = ftell(file) / 2;
  ck_assert_int_eq(fseek(file, half, SEEK_SET), 0);
  const int byte = fgetc(file);
  ck_assert_int_eq(fseek(file, half, SEEK_SET), 0);
  ck_assert_int_ge(fputc(byte ^ 0x55, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

/* A product of another automaton is not used, nor is one of another property; a damaged one ends the run. */
START_TEST(foreign_products) {
  floe_result *result;
  options.cache_dir = "";
  options.engine = RESUMING;
  options.fairness = "weak";
  use_model(five_counters, "ltl", "always eventually P[0].x == 0");
  remove_files();
  floe_result_free(explore());
  ck_assert_int_eq(floe_resume(model, PRODUCT_NAME, &options, messages, &result), FLOE_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(message(), "checkpoint of the product with a temporal property"));
  options.fairness = "none";
  result = resume();
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_VIOLATED);
  ck_assert_ptr_nonnull(strstr(message(), PRODUCT_NAME " is not used, and property 'p' is decided from the start"));
  floe_result_free(result);
  damage(PRODUCT_NAME);
  remove(PRODUCT_NAME ".previous");
  floe_log_clear(messages);
  ck_assert_int_eq(floe_resume(model, FILE_NAME, &options, messages, &result), FLOE_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(message(), PRODUCT_NAME));
  remove_files();
}
END_TEST
#endif

void add_checkpoint_tests(TCase *tests) {
  add_tests(tests, resumed_products);
#ifndef EMULATED
  add_tests(tests, foreign_products);
#endif
}
