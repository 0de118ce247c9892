#include "cmd/explore/explorer.h"

#include "cmd/explore/explore_search.h"
#include "cmd/explore/page.h"
#include "cmd/simulate/trace_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explorer {
  const floe_model *model;
  json_t *trace;
  struct explore_search *search;
};

struct explorer *explorer_create(const floe_model *model) {
  struct explorer *explorer = malloc(sizeof *explorer);
  if (!explorer)
    return NULL;
  *explorer = (struct explorer){.model = model, .search = explore_search_create()};
  if (explorer->search)
    return explorer;
  free(explorer);
  return NULL;
}

void explorer_free(struct explorer *explorer) {
  if (!explorer)
    return;
  explore_search_free(explorer->search);
  json_decref(explorer->trace);
  free(explorer);
}

const floe_model *explorer_model(const struct explorer *explorer) { return explorer->model; }
const json_t *explorer_trace(const struct explorer *explorer) { return explorer->trace; }
struct explore_search *explorer_search(struct explorer *explorer) {
  return explorer->search;
}

bool explorer_load_trace(struct explorer *explorer, const char *file, struct explore_error *error) {
  struct problem problem = {""};
  json_t *traces = trace_file_load(file, &problem);
  if (traces)
    explorer->trace = explore_replay(explorer, traces, error);
  else
    explore_fail(error, "a file of floe check --trace is needed", "%s", problem.text);
  json_decref(traces);
  return explorer->trace != NULL;
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

/* ---- requests ---------------------------------------------------------------------------------------- */

static const struct {
  const char *path;
  bool posts;
  explore_answer *answer;
} answers[] = {{"/api/model", false, answer_model},         {"/api/state", true, answer_state},
               {"/api/blocked", true, answer_blocked},      {"/api/replay", true, answer_replay},
               {"/api/trace", true, answer_trace},          {"/api/random", true, answer_random},
               {"/api/graph", true, answer_graph},          {"/api/search", true, answer_search_start},
               {"/api/search", false, answer_search_state}, {"/api/cancel", true, answer_search_cancel}};

static void send_json(json_t *object, unsigned status, struct http_answer *answer) {
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  *answer = (struct http_answer){.status = text ? status : 500,
                                 .type = "application/json",
                                 .body = text ? text : "{\"error\":\"out of memory\"}",
                                 .length = text ? strlen(text) : 25,
                                 .owned = text != NULL};
}

static void send_error(const struct explore_error *error, struct http_answer *answer) {
  send_json(json_pack("{s:s, s:s}", "error", error->text, "hint", error->hint), 400, answer);
}

/* The depth of nesting that jansson accepts is bounded, and the server bounds the length. */
static json_t *parse(const struct http_request *request, struct explore_error *error) {
  json_error_t why;
  json_t *object =
      request->posts ? json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, &why) : json_object();
  if (!object)
    explore_fail(error, NULL, "the request is no JSON: line %d: %s", why.line, why.text);
  else if (!json_is_object(object))
    explore_fail(error, NULL, "the request is no JSON object");
  else
    return object;
  json_decref(object);
  return NULL;
}

static void answer_json(struct explorer *explorer, explore_answer *make, const struct http_request *request,
                        struct http_answer *answer) {
  struct explore_error error = {"", ""};
  json_t *object = parse(request, &error);
  json_t *made = object ? make(explorer, object, &error) : NULL;
  json_decref(object);
  if (made || !error.text[0])
    send_json(made, 200, answer);
  else
    send_error(&error, answer);
}

void explorer_handle(void *user, const struct http_request *request, struct http_answer *answer) {
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (answers[i].posts == request->posts && strcmp(answers[i].path, request->path) == 0) {
      answer_json(user, answers[i].answer, request, answer);
      return;
    }
  const struct page_file *file = request->posts ? NULL : page_find(request->path);
  if (file)
    *answer = (struct http_answer){.status = 200, .type = file->type, .body = file->bytes, .length = *file->size};
}
