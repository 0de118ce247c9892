/* Cases of a language through the public interface: the same results on the interpreter and another engine. */
#ifndef FLOE_TESTS_API_CASES_H
#define FLOE_TESTS_API_CASES_H

#include "core/mem.h"
#include "floe.h"
#include "tests/suite.h"

#include <dirent.h>
#include <string.h>

static floe_log *messages;

static void begin(void) { ck_assert_int_eq(floe_log_create(&messages), FLOE_OK); }

static void end(void) {
  floe_log_free(messages);
  ck_assert_uint_eq(mem_live(), 0);
}

static floe_symmetry case_symmetry; /* of all cases */

#define MOST_PROPERTIES 100

/* Copies of the ids of the properties that every engine can decide, for free(). */
static size_t common_properties(floe_model *model, char *ids[MOST_PROPERTIES]) {
  size_t count = 0;
  ck_assert_int_eq(floe_model_check(model, messages), FLOE_OK);
  ck_assert_uint_le(floe_model_properties(model), MOST_PROPERTIES);
  for (size_t i = 0; i < floe_model_properties(model); i++)
    if (floe_model_property(model, i).kind != FLOE_RECOVERABLE)
      ids[count++] = strdup(floe_model_property(model, i).id);
  return count;
}

static floe_result *explore(floe_model *model, floe_engine engine) {
  char *ids[MOST_PROPERTIES];
  floe_options options;
  floe_result *result;
  floe_options_init(&options);
  options.engine = engine;
  options.keep_going = true;
  options.threads = 1;
  options.symmetry = case_symmetry;
  options.properties = (const char *const *)ids;
  options.property_count = common_properties(model, ids);
  const floe_status status = floe_explore(model, &options, messages, &result);
  ck_assert_msg(status == FLOE_OK, "%s: status %d, %s", floe_model_name(model), status,
                floe_log_count(messages) ? floe_log_at(messages, 0)->message : "");
  for (size_t i = 0; i < options.property_count; i++)
    free(ids[i]);
  return result;
}

static void compare(const floe_result *a, const floe_result *b, const char *name) {
  const floe_summary *x = floe_result_summary(a), *y = floe_result_summary(b);
  ck_assert_msg(x->states == y->states && x->transitions == y->transitions && x->levels == y->levels &&
                    x->deadlocks == y->deadlocks && strcmp(x->certificate, y->certificate) == 0,
                "%s: %llu and %llu states, %s, %s", name, (unsigned long long)x->states, (unsigned long long)y->states,
                x->certificate, y->certificate);
  ck_assert_uint_eq(floe_result_verdicts(a), floe_result_verdicts(b));
  for (size_t i = 0; i < floe_result_verdicts(a); i++)
    ck_assert_msg(floe_result_verdict(a, i).value == floe_result_verdict(b, i).value, "%s: property %s", name,
                  floe_result_verdict(a, i).property.id);
}

static void compare_case(const char *path, floe_engine engine) {
  floe_model *model;
  begin();
  ck_assert_msg(floe_model_load(path, messages, &model) == FLOE_OK, "%s", path);
  floe_result *first = explore(model, FLOE_ENGINE_INTERPRETER), *second = explore(model, engine);
  compare(first, second, path);
  floe_result_free(first);
  floe_result_free(second);
  floe_model_free(model);
  end();
}

static const char *case_ending;

static int has_ending(const struct dirent *entry) {
  const char *ending = strrchr(entry->d_name, '.');
  return ending && strcmp(ending, case_ending) == 0;
}

/* Each `part`-th file with that ending in tests/`language`/cases, of at least `least`. */
static void compare_cases(const char *language, const char *ending, int least, floe_engine engine, int part) {
  char folder[2048], path[4096];
  struct dirent **all;
  case_ending = ending;
  snprintf(folder, sizeof folder, "%s/tests/%s/cases", getenv("top_srcdir"), language);
  const int count = scandir(folder, &all, has_ending, alphasort);
  ck_assert_int_ge(count, least);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, all[i]->d_name);
    if (i % part == 0)
      compare_case(path, engine);
    free(all[i]);
  }
  free(all);
}

#endif
