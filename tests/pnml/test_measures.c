/* What examinations ask of the library: measures of a net, verdicts as soon as they are known, and a search that ends
   when all properties are decided. */
#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `more` adds a token to p while there are fewer than 5; `two` takes two. */
static const char net[] = "<pnml><net id='n'><page id='a'>"
                          "<place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>"
                          "<transition id='more'/><transition id='two'/>"
                          "<arc id='a1' source='more' target='p'/>"
                          "<arc id='a2' source='p' target='more' type='inhibitor'>"
                          "<inscription><text>5</text></inscription></arc>"
                          "<arc id='a3' source='p' target='two'><inscription><text>2</text></inscription></arc>"
                          "<arc id='a4' source='two' target='q'/>"
                          "<arc id='a5' source='q' target='two' type='inhibitor'/>"
                          "</page></net></pnml>";

static floe_options plain(void) {
  floe_options options;
  floe_options_init(&options);
  options.memory = 64 << 20;
  options.threads = 2;
  options.traces = false;
  return options;
}

static floe_model *model_with(const char *properties) {
  floe_load_options how;
  floe_model *model;
  floe_log *log;
  floe_load_options_init(&how);
  how.properties = properties;
  ck_assert_int_eq(floe_log_create(&log), FLOE_OK);
  const floe_status status = floe_model_parse_with("n.pnml", net, strlen(net), &how, log, &model);
  ck_assert_msg(status == FLOE_OK, "%s", status ? floe_log_at(log, 0)->message : "");
  floe_log_free(log);
  return model;
}

static void assert_measure(const floe_result *result, size_t i, const char *id, int64_t least, int64_t greatest) {
  const floe_measure measure = floe_result_measure(result, i);
  ck_assert_str_eq(measure.id, id);
  ck_assert(measure.known);
  ck_assert_int_eq(measure.least, least);
  ck_assert_int_eq(measure.greatest, greatest);
}

START_TEST(measures_of_all_states) {
  const floe_engine engines[] = {FLOE_ENGINE_AUTO, FLOE_ENGINE_CPU, FLOE_ENGINE_INTERPRETER};
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    floe_model *model = model_with(NULL);
    floe_options options = plain();
    floe_result *result;
    options.engine = engines[i];
    options.measures = options.count_only = true;
    ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
    ck_assert_uint_eq(floe_result_measures(result), 3);
    assert_measure(result, 0, "tokens", 1, 6);
    assert_measure(result, 1, "p", 0, 5);
    assert_measure(result, 2, "q", 0, 1);
    ck_assert_uint_eq(floe_result_measure(result, 0).terms, 2);
    ck_assert_ptr_null(floe_result_measure(result, 3).id);
    floe_result_free(result);
    floe_model_free(model);
  }
}
END_TEST

/* Not asked for, and not known: the search ends before. */
START_TEST(measures_are_unknown) {
  floe_model *model = model_with(NULL);
  floe_options options = plain();
  floe_result *result;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_measures(result), 0);
  floe_result_free(result);
  options.measures = true;
  options.max_depth = 1;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert_uint_eq(floe_result_measures(result), 3);
  ck_assert(!floe_result_measure(result, 0).known);
  floe_result_free(result);
  options.max_depth = UINT32_MAX;
  options.max_states = options.expected_states = 4; /* p has 5 tokens later; inhibitor arcs prove 5, and 1 in q */
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert(!floe_result_measure(result, 0).known);
  ck_assert(!floe_result_measure(result, 1).known);
  ck_assert(floe_result_measure(result, 2).known);
  ck_assert_int_eq(floe_result_measure(result, 2).greatest, 1);
  floe_result_free(result);
  floe_model_free(model);
}
END_TEST

/* ---- verdicts ---------------------------------------------------------------------------------- */

struct heard {
  unsigned found, violated, other;
};

static void decided(const char *property, floe_verdict_value value, void *user) {
  struct heard *heard = user;
  if (strcmp(property, "reached") == 0 && value == FLOE_IS_REACHABLE)
    heard->found++;
  else if (strcmp(property, "broken") == 0 && value == FLOE_VIOLATED)
    heard->violated++;
  else
    heard->other++;
}

static const char properties[] =
    "<property-set>"
    "<property><id>broken</id><formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count>"
    "<integer-constant>1</integer-constant></integer-le></globally></all-paths></formula></property>"
    "<property><id>reached</id><formula><exists-path><finally><is-fireable><transition>two</transition></is-fireable>"
    "</finally></exists-path></formula></property>"
    "</property-set>";

/* The file of properties, for the time of the test. */
static const char *write_properties(void) {
  static char name[] = "test-measures-XXXXXX";
  const int file = mkstemp(name);
  FILE *stream = file < 0 ? NULL : fdopen(file, "w");
  ck_assert_ptr_nonnull(stream);
  fputs(properties, stream);
  ck_assert_int_eq(fclose(stream), 0);
  return name;
}

START_TEST(all_are_decided) {
  const char *file = write_properties(), *both[] = {"broken", "reached"};
  floe_model *model = model_with(file);
  struct heard heard = {0};
  floe_options options = plain();
  floe_result *result;
  options.decide_all = true;
  options.decided = decided;
  options.user = &heard;
  options.properties = both;
  options.property_count = 2;
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  ck_assert_int_eq(floe_result_summary(result)->end, FLOE_END_DECIDED);
  ck_assert_uint_eq(heard.found, 1);
  ck_assert_uint_eq(heard.violated, 1);
  ck_assert_uint_eq(heard.other, 0);
  floe_result_free(result);
  floe_model_free(model);
  remove(file);
}
END_TEST

START_TEST(nothing_leaks) { ck_assert_uint_eq(mem_live(), 0); }
END_TEST

int main(void) {
  return run_tests("measures", CK_NOFORK, measures_of_all_states, measures_are_unknown, all_are_decided, nothing_leaks);
}
