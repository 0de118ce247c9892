/* doc/result.schema.json is written by hand: its words and figures must equal those of the library's tables. */
#include "floe.h"
#include "tests/suite.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *schema;

static void begin(void) {
  const char *folder = getenv("top_srcdir");
  char path[4096];
  json_error_t error;
  snprintf(path, sizeof path, "%s/doc/result.schema.json", folder ? folder : ".");
  schema = json_load_file(path, 0, &error);
  ck_assert_msg(schema != NULL, "%s: %s", path, error.text);
}

static void end(void) { json_decref(schema); }

static json_t *member(json_t *object, const char *name) {
  json_t *found = json_object_get(object, name);
  ck_assert_msg(found != NULL, "the schema has no member %s", name);
  return found;
}

static json_t *definition(const char *name) { return member(member(schema, "definitions"), name); }

/* The property `name` ("states", "seconds.explore") of an object's schema; it is one of those required. */
static json_t *property(json_t *object, const char *name) {
  const char *dot = strchr(name, '.');
  char first[64];
  bool required = false;
  size_t i;
  json_t *item;
  snprintf(first, sizeof first, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
  json_array_foreach(member(object, "required"), i, item) required =
      required || strcmp(json_string_value(item), first) == 0;
  ck_assert_msg(required, "%s is not required", name);
  json_t *found = member(member(object, "properties"), first);
  return dot ? property(found, dot + 1) : found;
}

/* ---- figures ------------------------------------------------------------------------------------- */

static floe_result *any_result(void) {
  static const char text[] = "<model name=\"m\"><variable name=\"x\" range=\"0..1\"/><process name=\"P\">"
                             "<location name=\"a\" initial=\"true\"/></process></model>";
  floe_model *model;
  floe_result *result;
  floe_options options;
  floe_options_init(&options);
  options.engine = FLOE_ENGINE_INTERPRETER;
  options.memory = 64 << 20;
  ck_assert_int_eq(floe_model_parse("m.xml", text, strlen(text), NULL, &model), FLOE_OK);
  ck_assert_int_eq(floe_explore(model, &options, NULL, &result), FLOE_OK);
  floe_model_free(model);
  return result;
}

static bool is_whole(json_t *figure) {
  json_t *type = json_object_get(figure, "type"), *reference = json_object_get(figure, "$ref");
  if (reference)
    return strcmp(json_string_value(reference), "#/definitions/count") == 0;
  return strcmp(json_string_value(type), "integer") == 0;
}

static size_t members_of(json_t *object, const char *name) {
  return json_object_size(member(property(object, name), "properties"));
}

START_TEST(figures) {
  floe_result *result = any_result();
  json_t *exploration = definition("exploration");
  size_t grouped[2] = {0, 0};
  ck_assert_uint_ge(floe_result_statistics(result), 20);
  for (size_t i = 0; i < floe_result_statistics(result); i++) {
    floe_statistic figure = floe_result_statistic(result, i);
    json_t *found = property(exploration, figure.name), *said = json_object_get(found, "description");
    ck_assert_msg(is_whole(found) == figure.is_integer, "%s", figure.name);
    ck_assert_str_eq(said ? json_string_value(said) : "", figure.description);
    grouped[0] += strncmp(figure.name, "seconds.", 8) == 0;
    grouped[1] += strncmp(figure.name, "phases.", 7) == 0;
  }
  ck_assert_uint_eq(grouped[0], members_of(exploration, "seconds"));
  ck_assert_uint_eq(grouped[1], members_of(exploration, "phases"));
  floe_result_free(result);
}
END_TEST

/* The figures equal those of the summary. */
START_TEST(values) {
  floe_result *result = any_result();
  const floe_summary *summary = floe_result_summary(result);
  unsigned seen = 0;
  for (size_t i = 0; i < floe_result_statistics(result); i++) {
    floe_statistic figure = floe_result_statistic(result, i);
    if (strcmp(figure.name, "states") == 0 && ++seen)
      ck_assert(figure.exact && figure.is_integer && figure.count == 1 && figure.real == 1);
    if (strcmp(figure.name, "levels") == 0 && ++seen)
      ck_assert(figure.exact && figure.count == summary->levels);
    if (strcmp(figure.name, "seconds.total") == 0 && ++seen)
      ck_assert(!figure.exact && !figure.is_integer && figure.real == summary->total_seconds && figure.real > 0);
    if (strcmp(figure.name, "phases.between") == 0 && ++seen)
      ck_assert(figure.real == summary->phases.between);
    if (strcmp(figure.name, "table_bytes") == 0 && ++seen)
      ck_assert(figure.count == summary->table_bytes && strcmp(figure.unit, "bytes") == 0);
  }
  ck_assert_uint_eq(seen, 5);
  ck_assert_uint_eq(floe_result_statistics(NULL), 0);
  ck_assert_ptr_null(floe_result_statistic(result, floe_result_statistics(result)).name);
  floe_result_free(result);
}
END_TEST

/* ---- words --------------------------------------------------------------------------------------- */

/* `words` has exactly the words of the values from `first` on, and possibly null. */
static void compare(json_t *words, const char *(*name)(int), int first) {
  size_t i, strings = 0;
  json_t *word;
  json_array_foreach(words, i, word) {
    if (json_is_null(word))
      continue;
    ck_assert_str_eq(json_string_value(word), name(first + (int)strings));
    strings++;
  }
  ck_assert_uint_ge(strings, 2);
  ck_assert_str_eq(name(first + (int)strings), "unknown");
}

static const char *kind_name(int i) { return floe_property_kind_name((floe_property_kind)i); }
static const char *verdict_name(int i) { return floe_verdict_name((floe_verdict_value)i); }
static const char *undecided_name(int i) { return floe_undecided_name((floe_undecided)i); }
static const char *part_name(int i) { return floe_vacuous_part_name((floe_vacuous_part)i); }
static const char *end_name(int i) { return floe_end_name((floe_end)i); }

START_TEST(words) {
  json_t *verdict = definition("property");
  compare(member(property(verdict, "kind"), "enum"), kind_name, 0);
  compare(member(property(verdict, "verdict"), "enum"), verdict_name, 0);
  compare(member(property(verdict, "undecided"), "enum"), undecided_name, 1);
  compare(member(property(member(member(member(verdict, "properties"), "vacuous"), "items"), "part"), "enum"),
          part_name, 0);
  compare(member(property(definition("exploration"), "end"), "enum"), end_name, 0);
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("schema");
  tcase_add_checked_fixture(tests, begin, end);
  add_tests(tests, figures, values, words);
  return run_suite("schema", CK_FORK_GETENV, tests);
}
