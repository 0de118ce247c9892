/* Traces of a reduced net need checks of the net as read: these have the limits of traces, and their errors are those
   of the model. */
#include "core/mem.h"
#include "core/system/clock.h"
#include "floe.h"
#include "tests/pnml/written_net.h"
#include "tests/suite.h"

#include <string.h>

enum { MEMORY = 2 << 20 };
static const double SECONDS = 0.001;

static unsigned irrelevant; /* transitions that never fire, and their places */
static bool late;
static const char *const both[] = {"now", "always"};

static void write_net(FILE *f, uint64_t *seed) {
  (void)seed;
  fputs("<pnml><net id='n'><page id='g'><place id='p'><initialMarking><text>1</text></initialMarking></place>\n", f);
  fputs("<place id='q'/><transition id='pq'/><transition id='qp'/><arc id='a1' source='p' target='pq'/>\n", f);
  fputs("<arc id='a2' source='pq' target='q'/><arc id='a3' source='q' target='qp'/>\n", f);
  fputs("<arc id='a4' source='qp' target='p'/>\n", f);
  for (unsigned i = 0; i < irrelevant; i++)
    fprintf(f, "<place id='r%u'/><transition id='t%u'/><arc id='b%u' source='r%u' target='t%u'/>\n", i, i, i, i, i);
  fputs("</page></net></pnml>", f);
}

static void write_property(FILE *f, const char *id, const char *path, const char *time, const char *place) {
  fprintf(f,
          "<property><id>%s</id><formula><%s><%s>%s<integer-le><integer-constant>1</integer-constant>\n"
          "<tokens-count><place>%s</place></tokens-count></integer-le>%s</%s></%s></formula></property>\n",
          id, path, time, strcmp(path, "all-paths") == 0 ? "<globally>" : "", place,
          strcmp(path, "all-paths") == 0 ? "</globally>" : "", time, path);
}

/* The first is true at once, the second one is false. */
static void write_formulas(FILE *f, uint64_t *seed) {
  fputs("<property-set>\n", f);
  write_property(f, "now", "exists-path", "finally", "p");
  write_property(f, "always", "all-paths", "finally", "q");
  if (*seed)
    write_property(f, "other", "exists-path", "finally", "nothing");
  fputs("</property-set>", f);
}

/* Traces begin: they are late when they continue. */
static void report(const floe_progress *progress, void *user) {
  const double start = clock_seconds();
  (void)user;
  while (late && strcmp(progress->activity, "reconstructing traces") == 0 && clock_seconds() < start + 2 * SECONDS)
    continue;
}

static floe_status explore(floe_model *model, floe_log *log, floe_result **result) {
  floe_options options;
  floe_options_init(&options);
  options.memory = MEMORY;
  options.threads = 1;
  options.keep_going = true;
  options.expected_states = 10;
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.compiler = options.cache_dir = "";
  options.progress = report;
  options.trace_timeout = late ? SECONDS : 1000;
  ck_assert_int_eq(floe_model_reduce(model, both, 2, log), FLOE_OK);
  return floe_explore(model, &options, log, result);
}

static bool logged(const floe_log *log, const char *text) {
  for (size_t i = 0; i < floe_log_count(log); i++)
    if (strstr(floe_log_at(log, i)->message, text))
      return true;
  return false;
}

/* The verdicts are right; `missing`: why there is no trace of the property. */
static void compare(bool has_now, bool has_always, const char *now, const char *always) {
  floe_model *model = load_written(write_net, write_formulas, 0);
  floe_result *result;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(explore(model, log, &result), FLOE_OK);
  ck_assert_int_eq(floe_result_verdict(result, 0).value, FLOE_IS_REACHABLE);
  ck_assert_int_eq(floe_result_verdict(result, 1).value, FLOE_VIOLATED);
  ck_assert_int_eq(floe_result_verdict(result, 0).trace != NULL, has_now);
  ck_assert_int_eq(floe_result_verdict(result, 1).trace != NULL, has_always);
  ck_assert_msg(!now || logged(log, now), "%s", now);
  ck_assert_msg(!always || logged(log, always), "%s", always);
  floe_result_free(result);
  floe_log_free(log);
  floe_model_free(model);
}

START_TEST(in_time) {
  irrelevant = 3;
  compare(true, true, NULL, NULL);
}
END_TEST

START_TEST(out_of_time) {
  irrelevant = 3;
  late = true;
  compare(false, false, "no trace for `now`: time limit reached while checking the model as read",
          "no trace for `always`: ");
  late = false;
}
END_TEST

START_TEST(out_of_memory) {
  irrelevant = 1500;
  compare(false, false, "no trace for `now`: memory limit reached while checking the model as read",
          "no trace for `always`: memory limit reached while checking the model as read");
}
END_TEST

/* A property that is not asked for. */
START_TEST(wrong_model) {
  irrelevant = 3;
  floe_model *model = load_written(write_net, write_formulas, 1);
  floe_result *result;
  floe_log *log;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  ck_assert_int_eq(explore(model, log, &result), FLOE_ERROR_MODEL);
  bool found = false;
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    found |= message->severity == FLOE_ERROR && strstr(message->message, "'nothing'") && message->line == 7;
  }
  ck_assert(found);
  floe_log_free(log);
  floe_model_free(model);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("limits", CK_NOFORK, in_time, out_of_time, out_of_memory, wrong_model, nothing_leaks);
}
