#include "cmd/explore/explorer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explorer {
  const floe_model *model;
  json_t *trace;
  struct explore_search *search;
};

struct explorer *explorer_create(const floe_model *model, struct explore_search *search) {
  struct explorer *explorer = malloc(sizeof *explorer);
  if (explorer)
    *explorer = (struct explorer){.model = model, .search = search};
  return explorer;
}

void explorer_free(struct explorer *explorer) {
  if (!explorer)
    return;
  json_decref(explorer->trace);
  free(explorer);
}

void explorer_set_trace(struct explorer *explorer, json_t *path) { explorer->trace = path; }

const floe_model *explorer_model(const struct explorer *explorer) { return explorer->model; }
const json_t *explorer_trace(const struct explorer *explorer) { return explorer->trace; }
struct explore_search *explorer_search(struct explorer *explorer) {
  return explorer->search;
}

/* ---- errors --------------------------------------------------------------------------------------- */

void explore_fail(struct explore_error *error, const char *hint, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  snprintf(error->hint, sizeof error->hint, "%s", hint ? hint : "");
}

void explore_fail_status(struct explore_error *error, const floe_log *log, floe_status status) {
  for (size_t i = 0; i < floe_log_count(log); i++) {
    const floe_message *message = floe_log_at(log, i);
    if (message->severity == FLOE_ERROR) {
      explore_fail(error, message->hint, "%s", message->message);
      return;
    }
  }
  explore_fail(error, NULL, "%s", floe_status_name(status));
}

/* ---- states ---------------------------------------------------------------------------------------- */

static floe_status state_named(const struct explorer *explorer, const json_t *value, floe_log *log, floe_state **out) {
  return value ? floe_state_parse(explorer->model, json_string_value(value), log, out)
               : floe_state_initial(explorer->model, log, out);
}

static floe_expansion *expand_logged(const struct explorer *explorer, const floe_state *state, floe_log *log,
                                     struct explore_error *error) {
  floe_expansion *expansion = NULL;
  const floe_status status = floe_expand(explorer->model, state, log, &expansion);
  if (status != FLOE_OK)
    explore_fail_status(error, log, status);
  return status == FLOE_OK ? expansion : NULL;
}

floe_expansion *explore_expand(const struct explorer *explorer, const floe_state *state, struct explore_error *error) {
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK) {
    explore_fail(error, NULL, "out of memory");
    return NULL;
  }
  floe_expansion *expansion = expand_logged(explorer, state, log, error);
  floe_log_free(log);
  return expansion;
}

floe_expansion *explore_expand_named(const struct explorer *explorer, const json_t *request, const char *name,
                                     bool may_miss, struct explore_error *error) {
  const json_t *value = json_object_get(request, name);
  floe_expansion *expansion = NULL;
  floe_state *state;
  floe_log *log;
  if (value ? !json_is_string(value) : !may_miss) {
    explore_fail(error, NULL, "the request has no text \"%s\"", name);
    return NULL;
  }
  if (floe_log_create(&log) != FLOE_OK) {
    explore_fail(error, NULL, "out of memory");
    return NULL;
  }
  const floe_status status = state_named(explorer, value, log, &state);
  if (status == FLOE_OK) {
    expansion = expand_logged(explorer, state, log, error);
    floe_state_free(state);
  } else {
    explore_fail_status(error, log, status);
  }
  floe_log_free(log);
  return expansion;
}

/* ---- expressions ------------------------------------------------------------------------------------ */

enum { MOST_EXPRESSION = 4096 };

floe_status explore_expression(const floe_model *model, const char *text, floe_log *log, floe_expression **out) {
  return strlen(text) > MOST_EXPRESSION ? FLOE_ERROR_UNSUPPORTED : floe_expression_create(model, text, log, out);
}
