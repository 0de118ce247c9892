/* Model, states, and what blocks transitions. */
#include "cmd/explore/answers.h"

#include "base/splitmix64.h"
#include "cmd/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds in which the obstacles of a state are examined. */
#define BLOCKED_SECONDS 2.0

json_t *explore_state_id(const floe_state *state) {
  const size_t length = floe_state_text(state, NULL, 0);
  char *text = malloc(length + 1);
  if (!text)
    return NULL;
  floe_state_text(state, text, length + 1);
  json_t *id = json_string(text);
  free(text);
  return id;
}

json_t *explore_values(floe_expansion *expansion) {
  const floe_change *values;
  size_t count;
  return floe_expansion_values(expansion, &values, &count) == FLOE_OK ? state_record(values, count) : NULL;
}

json_t *explore_step(floe_expansion *expansion, size_t i) {
  const floe_state *target = NULL;
  const char *printed;
  floe_step step;
  if (floe_expansion_step(expansion, i, &step) != FLOE_OK || floe_expansion_printed(expansion, i, &printed) != FLOE_OK)
    return NULL;
  if (!floe_expansion_step_fails(expansion, i) && floe_expansion_successor(expansion, i, &target) != FLOE_OK)
    return NULL;
  json_t *record = step_record(&step);
  add_printed(record, printed);
  json_object_set_new(record, "index", json_integer((json_int_t)i));
  json_object_set_new(record, "successor", target ? explore_state_id(target) : json_null());
  return record;
}

/* ---- the model -------------------------------------------------------------------------------------- */

/* Length of the instance's name at the start of a variable's: "P[0]" of "P[0].x", "P" of "P". */
static size_t instance_length(const char *name) {
  const size_t base = strcspn(name, "[.");
  const char *end = name[base] == '[' ? strchr(name + base, ']') : NULL;
  return end ? (size_t)(end - name) + 1 : base;
}

static bool has_text(const json_t *list, const char *text, size_t length) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    if (json_string_length(item) == length && memcmp(json_string_value(item), text, length) == 0)
      return true;
  }
  return false;
}

/* Adds the instances of a process that own a variable; a process without variables is one instance. */
static void add_instances(json_t *list, const char *process, const floe_change *values, size_t count) {
  const size_t base = strlen(process), before = json_array_size(list);
  for (size_t i = 0; i < count; i++) {
    const size_t length = instance_length(values[i].name);
    if (strcspn(values[i].name, "[.") == base && strncmp(values[i].name, process, base) == 0 &&
        !has_text(list, values[i].name, length))
      json_array_append_new(list, json_stringn(values[i].name, length));
  }
  if (json_array_size(list) == before)
    json_array_append_new(list, json_string(process));
}

/* Instances of processes that have a transition, in the model's order. */
static json_t *processes_json(const floe_model *model, floe_expansion *expansion) {
  const floe_change *values;
  size_t count;
  if (floe_expansion_values(expansion, &values, &count) != FLOE_OK)
    return NULL;
  json_t *list = json_array(), *seen = json_array();
  for (size_t i = 0; i < floe_model_transitions(model); i++) {
    const char *process = floe_model_transition(model, i).process;
    if (!*process || has_text(seen, process, strlen(process)))
      continue;
    json_array_append_new(seen, json_string(process));
    add_instances(list, process, values, count);
  }
  json_decref(seen);
  return list;
}

static json_t *properties_of(const floe_model *model) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "id", property.id, "kind",
                                          floe_property_kind_name(property.kind), "text", text_json(property.text),
                                          "description", text_json(property.description)));
  }
  return list;
}

static json_t *source_json(const floe_model *model) {
  size_t length;
  const char *text = floe_model_text(model, &length);
  json_t *whole = json_stringn(text, length);
  return whole ? whole : json_string("");
}

static json_t *constants_list(const floe_model *model) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    const floe_constant constant = floe_model_constant(model, i);
    json_array_append_new(list, json_pack("{s:s, s:I}", "name", constant.name, "value", (json_int_t)constant.value));
  }
  return list;
}

/* For links: of the texts and the values of the constants, which determine what the text of a state means. */
static json_t *digest_json(const floe_model *model) {
  char first[17], text[17];
  snprintf(first, sizeof first, "%s", digest_digits(model));
  uint64_t hash = strtoull(first, NULL, 16);
  for (size_t i = 0; i < floe_model_constants(model); i++)
    hash = splitmix64_mix(hash ^ (uint64_t)floe_model_constant(model, i).value);
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return json_string(text);
}

json_t *answer_model(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  const floe_model *model = explorer_model(explorer);
  const json_t *trace = explorer_trace(explorer);
  (void)request;
  floe_expansion *initial = explore_expand_named(explorer, NULL, "state", true, error);
  if (!initial)
    return NULL;
  json_t *answer =
      json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", floe_model_name(model),
                "digest", digest_json(model), "file", text_json(floe_model_file(model)), "description",
                text_json(floe_model_description(model)), "version", floe_version(), "constants", constants_list(model),
                "variables", explore_values(initial), "processes", processes_json(model, initial), "properties",
                properties_of(model), "initial", explore_state_id(floe_expansion_state(initial)), "source",
                source_json(model), "trace", trace ? json_deep_copy(trace) : json_null());
  floe_expansion_free(initial);
  return answer;
}

/* ---- a state ---------------------------------------------------------------------------------------- */

/* Of the property's condition: an invariant is triggered where it is false. NULL: states do not decide it. */
static const char *property_value(const floe_property *property, const floe_property_value *value) {
  if (property->kind == FLOE_LTL || property->kind == FLOE_RECOVERABLE)
    return NULL;
  if (value->cause[0])
    return "error";
  return value->triggered == (property->kind != FLOE_INVARIANT) ? "true" : "false";
}

static json_t *properties_json(const floe_model *model, floe_expansion *expansion) {
  json_t *list = json_array();
  for (size_t i = 0; i < floe_model_properties(model); i++) {
    const floe_property property = floe_model_property(model, i);
    floe_property_value value;
    if (floe_expansion_property(expansion, i, &value) != FLOE_OK) {
      json_decref(list);
      return NULL;
    }
    json_array_append_new(list, json_pack("{s:s, s:s?, s:o}", "id", property.id, "value",
                                          property_value(&property, &value), "cause", text_json(value.cause)));
  }
  return list;
}

static json_t *watch_json(const floe_model *model, floe_expansion *expansion, const char *text) {
  struct explore_error error = {"", ""};
  floe_log *log;
  floe_expression *expression = NULL;
  floe_evaluation value = {.text = "", .cause = ""};
  if (floe_log_create(&log) != FLOE_OK)
    return NULL;
  floe_status status = explore_expression(model, text, log, &expression);
  if (status == FLOE_OK)
    status = floe_expansion_evaluate(expansion, expression, &value);
  if (status != FLOE_OK)
    explore_fail_status(&error, log, status);
  const bool known = status == FLOE_OK && !value.cause[0];
  json_t *watch =
      json_pack("{s:o, s:o, s:o}", "expr", text_json(text), "value", known ? text_json(value.text) : json_null(),
                "error", text_json(value.cause[0] ? value.cause : error.text));
  floe_expression_free(expression);
  floe_log_free(log);
  return watch;
}

static json_t *watches_json(const floe_model *model, floe_expansion *expansion, const json_t *texts) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(texts); i++)
    if (json_is_string(json_array_get(texts, i)))
      json_array_append_new(list, watch_json(model, expansion, json_string_value(json_array_get(texts, i))));
  return list;
}

/* The initial state, changed by the values of the request. */
static floe_expansion *expand_values(const struct explorer *explorer, const json_t *values,
                                     struct explore_error *error) {
  const size_t count = json_object_size(values);
  floe_change *changes = calloc(count + 1, sizeof *changes);
  floe_expansion *expansion = NULL;
  floe_state *state;
  floe_log *log;
  size_t n = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(size_t)values, name, value) {
    if (changes && json_is_string(value))
      changes[n++] = (floe_change){.name = name, .before = "", .after = json_string_value(value)};
  }
  if (!changes || floe_log_create(&log) != FLOE_OK) {
    free(changes);
    explore_fail(error, NULL, "out of memory");
    return NULL;
  }
  const floe_status status = floe_state_from_values(explorer_model(explorer), changes, n, log, &state);
  if (status == FLOE_OK) {
    expansion = explore_expand(explorer, state, error);
    floe_state_free(state);
  } else {
    explore_fail_status(error, log, status);
  }
  floe_log_free(log);
  free(changes);
  return expansion;
}

json_t *answer_state(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  const json_t *values = json_object_get(request, "values");
  floe_expansion *expansion = json_is_object(values) ? expand_values(explorer, values, error)
                                                     : explore_expand_named(explorer, request, "state", true, error);
  if (!expansion)
    return NULL;
  const floe_model *model = explorer_model(explorer);
  json_t *answer = expansion_record(expansion);
  if (answer) {
    json_object_set_new(answer, "properties", properties_json(model, expansion));
    json_object_set_new(answer, "deadlock", json_boolean(floe_expansion_steps(expansion) == 0));
    json_object_set_new(answer, "watches", watches_json(model, expansion, json_object_get(request, "watch")));
  }
  floe_expansion_free(expansion);
  return answer;
}

/* ---- what blocks ------------------------------------------------------------------------------------ */

json_t *answer_blocked(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  floe_expansion *expansion = explore_expand_named(explorer, request, "state", false, error);
  const floe_trace *trace;
  json_t *answer = NULL;
  if (!expansion)
    return NULL;
  if (floe_expansion_blocked(expansion, BLOCKED_SECONDS, &trace) == FLOE_OK)
    answer =
        json_pack("{s:o, s:b}", "blocked", blocked_json(trace), "incomplete", floe_trace_blocked_incomplete(trace));
  floe_expansion_free(expansion);
  return answer;
}
