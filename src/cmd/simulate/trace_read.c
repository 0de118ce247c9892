#include "cmd/simulate/trace_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)1 << 30)
#define FIRST_BUFFER ((size_t)64 << 10)
#define MOST_DEPTH 1000000000 /* above the steps of any file */

/* Replaces control characters, which come from the file, by '?'. */
void problem_set(struct problem *problem, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(problem->text, sizeof problem->text, format, args);
  va_end(args);
  for (char *at = problem->text; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f)
      *at = '?';
}

/* ---- types of members ---------------------------------------------------------------------- */

#define IS(type) (1u << (type))
#define VALUE (IS(JSON_INTEGER) | IS(JSON_STRING) | IS(JSON_TRUE) | IS(JSON_FALSE))

struct member {
  const char *name;
  unsigned types; /* mask of IS() */
  const char *expected;
};

static const struct member document_members[] = {
    {"format", IS(JSON_STRING), "a string"},
    {"version", IS(JSON_INTEGER), "a whole number"},
    {"traces", IS(JSON_ARRAY), "an array"},
    {NULL, 0, NULL},
};
static const struct member trace_members[] = {
    {"property", IS(JSON_STRING), "a string"},   {"kind", IS(JSON_STRING), "a string"},
    {"verdict", IS(JSON_STRING), "a string"},    {"depth", IS(JSON_INTEGER), "a whole number"},
    {"model", IS(JSON_STRING), "a string"},      {"digest", IS(JSON_STRING), "a string"},
    {"constants", IS(JSON_OBJECT), "an object"}, {"initial", IS(JSON_OBJECT), "an object"},
    {"steps", IS(JSON_ARRAY), "an array"},       {NULL, 0, NULL},
};
static const struct member step_members[] = {
    {"action", IS(JSON_STRING), "a string"},
    {"process", IS(JSON_STRING), "a string"},
    {"instance", IS(JSON_INTEGER), "a whole number"},
    {"label", IS(JSON_STRING), "a string"},
    {"parameters", IS(JSON_ARRAY), "an array"},
    {"line", IS(JSON_INTEGER), "a whole number"},
    {"participants", IS(JSON_ARRAY), "an array"},
    {"changes", IS(JSON_OBJECT), "an object"},
    {"fails", IS(JSON_STRING) | IS(JSON_NULL), "a string or null"},
    {NULL, 0, NULL},
};

static bool has_type(const json_t *value, unsigned types) { return value && (IS(json_typeof(value)) & types); }

static bool has_members(const json_t *object, const struct member *members, const char *where,
                        struct problem *problem) {
  if (!json_is_object(object)) {
    problem_set(problem, "%s is not an object", where);
    return false;
  }
  for (; members->name; members++) {
    const json_t *value = json_object_get(object, members->name);
    if (has_type(value, members->types))
      continue;
    problem_set(problem, "%s: '%s' is %s%s", where, members->name, value ? "not " : "missing",
                value ? members->expected : "");
    return false;
  }
  return true;
}

/* True if every member of the object has one of these types. */
static bool all_are(json_t *object, unsigned types, const char *expected, const char *where, struct problem *problem) {
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    if (!has_type(value, types)) {
      problem_set(problem, "%s: '%s' is not %s", where, name, expected);
      return false;
    }
  }
  return true;
}

static bool is_pair(const json_t *change) {
  return json_array_size(change) == 2 && has_type(json_array_get(change, 0), VALUE) &&
         has_type(json_array_get(change, 1), VALUE);
}

static bool step_fits(json_t *step, const char *where, struct problem *problem) {
  const char *name;
  json_t *change;
  if (!has_members(step, step_members, where, problem))
    return false;
  json_object_foreach(json_object_get(step, "changes"), name, change) {
    if (!is_pair(change)) {
      problem_set(problem, "%s: the change of '%s' is not an array of two values", where, name);
      return false;
    }
  }
  return true;
}

static bool trace_fits(json_t *trace, const char *where, struct problem *problem) {
  if (!has_members(trace, trace_members, where, problem) ||
      !all_are(json_object_get(trace, "constants"), IS(JSON_INTEGER), "a whole number", where, problem) ||
      !all_are(json_object_get(trace, "initial"), VALUE, "a value", where, problem))
    return false;
  json_int_t depth = json_integer_value(json_object_get(trace, "depth"));
  if (depth < 0 || depth > MOST_DEPTH) {
    problem_set(problem, "%s: 'depth' is out of range", where);
    return false;
  }
  size_t i;
  json_t *step;
  json_array_foreach(json_object_get(trace, "steps"), i, step) {
    char place[80];
    snprintf(place, sizeof place, "%s, step %zu", where, i + 1);
    if (!step_fits(step, place, problem))
      return false;
  }
  return true;
}

static bool document_fits(json_t *document, struct problem *problem) {
  if (!has_members(document, document_members, "the document", problem))
    return false;
  json_t *traces = json_object_get(document, "traces"), *trace;
  if (strcmp(json_string_value(json_object_get(document, "format")), "floe-traces") != 0) {
    problem_set(problem, "its format is not floe-traces");
    return false;
  }
  if (json_integer_value(json_object_get(document, "version")) != 1) {
    problem_set(problem, "its version is not 1, the only version that this floe reads");
    return false;
  }
  if (json_array_size(traces) == 0) {
    problem_set(problem, "it contains no trace");
    return false;
  }
  size_t i;
  json_array_foreach(traces, i, trace) {
    char where[40];
    snprintf(where, sizeof where, "trace %zu", i + 1);
    if (!trace_fits(trace, where, problem))
      return false;
  }
  return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

json_t *trace_file_parse(const char *text, size_t length, struct problem *problem) {
  json_error_t error;
  json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error), *traces = NULL;
  if (!document)
    problem_set(problem, "line %d, column %d: %s", error.line, error.column, error.text);
  else if (document_fits(document, problem))
    traces = json_incref(json_object_get(document, "traces"));
  json_decref(document);
  return traces;
}

/* Reads the stream to its end into memory of malloc; NULL after setting the problem. */
static char *read_all(FILE *stream, size_t *length, struct problem *problem) {
  size_t used = 0, size = FIRST_BUFFER;
  char *text = malloc(size), *wider;
  while (text && (used += fread(text + used, 1, size - used, stream)) == size && size < LARGEST_FILE) {
    wider = realloc(text, size *= 2);
    if (!wider)
      free(text);
    text = wider;
  }
  *length = used;
  if (!text)
    problem_set(problem, "out of memory");
  else if (ferror(stream))
    problem_set(problem, "%s", strerror(errno));
  else if (used < size)
    return text;
  else
    problem_set(problem, "it is larger than %zu MiB", LARGEST_FILE >> 20);
  free(text);
  return NULL;
}

json_t *trace_file_load(const char *path, struct problem *problem) {
  bool standard_input = strcmp(path, "-") == 0;
  FILE *stream = standard_input ? stdin : fopen(path, "rb");
  size_t length;
  if (!stream) {
    problem_set(problem, "%s", strerror(errno));
    return NULL;
  }
  char *text = read_all(stream, &length, problem);
  if (!standard_input)
    fclose(stream);
  json_t *traces = text ? trace_file_parse(text, length, problem) : NULL;
  free(text);
  return traces;
}
