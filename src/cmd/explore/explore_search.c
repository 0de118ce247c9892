/* Searches by floe_explore, with all cores or a GPU, on a model of its own, because expansions read the explorer's at
   the same time. A condition becomes a property of that model. From a state other than the initial one, and if a model
   cannot get a property, a condition is searched breadth first by expansions. */
#include "cmd/explore/explore_search.h"

#include "cmd/clock.h"
#include "cmd/explore/answers.h"
#include "cmd/explore/explore_paths.h"
#include "cmd/explore/search_model.h"
#include "cmd/explore/state_set.h"
#include "cmd/report/report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explore_search {
  pthread_t thread;
  bool started;          /* the thread must be joined */
  pthread_mutex_t mutex; /* of the members from `running` to `path` */
  bool running;
  double begun, seconds;
  uint64_t states;
  uint32_t depth;
  char verdict[700], engine[200];
  json_t *path; /* NULL: none */
  atomic_bool cancelled;
  atomic_bool exploring; /* in floe_explore: floe_interrupt ends it */
  /* Of the thread: */
  const struct explorer *explorer;
  floe_expression *condition; /* NULL: a property */
  char *text;                 /* of the condition */
  floe_state *from;
  char *property;
};

struct explore_search *explore_search_create(void) {
  struct explore_search *search = calloc(1, sizeof *search);
  if (search)
    pthread_mutex_init(&search->mutex, NULL);
  return search;
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static void begin_report(struct explore_search *search) {
  pthread_mutex_lock(&search->mutex);
  search->running = true;
  search->begun = clock_now();
  search->states = search->depth = 0;
  search->verdict[0] = search->engine[0] = '\0';
  pthread_mutex_unlock(&search->mutex);
}

static void report(struct explore_search *search, uint64_t states, uint32_t depth) {
  pthread_mutex_lock(&search->mutex);
  search->states = states;
  search->depth = depth;
  pthread_mutex_unlock(&search->mutex);
}

/* Takes ownership of the path. */
static void finish(struct explore_search *search, const char *verdict, json_t *path) {
  pthread_mutex_lock(&search->mutex);
  snprintf(search->verdict, sizeof search->verdict, "%s", verdict);
  search->path = path;
  search->seconds = clock_now() - search->begun;
  search->running = false;
  pthread_mutex_unlock(&search->mutex);
}

static void finish_with_error(struct explore_search *search, const struct explore_error *error) {
  char verdict[sizeof error->text + 10];
  snprintf(verdict, sizeof verdict, "error: %s", error->text[0] ? error->text : "out of memory");
  finish(search, verdict, NULL);
}

static void finish_with_status(struct explore_search *search, const floe_log *log, floe_status status) {
  struct explore_error error;
  explore_fail_status(&error, log, status);
  finish_with_error(search, &error);
}

static void cancel(struct explore_search *search) {
  atomic_store(&search->cancelled, true);
  if (atomic_load(&search->exploring))
    floe_interrupt();
}

/* Waits for the thread, if there is one, and clears the search. */
static void end_search(struct explore_search *search) {
  if (search->started) {
    cancel(search);
    pthread_join(search->thread, NULL);
    search->started = false;
  }
  pthread_mutex_lock(&search->mutex);
  json_decref(search->path);
  search->path = NULL;
  pthread_mutex_unlock(&search->mutex);
  floe_expression_free(search->condition);
  floe_state_free(search->from);
  free(search->property);
  free(search->text);
  search->text = NULL;
  search->condition = NULL;
  search->from = NULL;
  search->property = NULL;
}

void explore_search_free(struct explore_search *search) {
  if (!search)
    return;
  end_search(search);
  pthread_mutex_destroy(&search->mutex);
  free(search);
}

/* ---- by expansions -------------------------------------------------------------------------------------- */

static bool add_found(const struct explore_search *search, json_t *path, const struct found_state *before, size_t step,
                      struct explore_error *error) {
  floe_expansion *expansion = explore_expand(search->explorer, before->state, error);
  const bool added = expansion && path_add(path, expansion, step);
  floe_expansion_free(expansion);
  return added;
}

static json_t *path_to(const struct explore_search *search, const struct state_set *set, size_t last,
                       struct explore_error *error) {
  const size_t length = set->states[last].depth;
  size_t *chain = calloc(length + 1, sizeof *chain);
  json_t *path = chain ? path_begin(set->states[0].state) : NULL;
  for (size_t i = length + 1; chain && i-- > 0; last = set->states[last].parent)
    chain[i] = last;
  for (size_t i = 0; path && i < length; i++)
    if (!add_found(search, path, &set->states[chain[i]], set->states[chain[i + 1]].step, error)) {
      json_decref(path);
      path = NULL;
    }
  free(chain);
  return path;
}

static bool add_successors(struct state_set *set, floe_expansion *expansion, size_t node) {
  for (size_t i = 0; i < floe_expansion_steps(expansion); i++) {
    const floe_state *to;
    size_t index;
    bool is_new;
    if (floe_expansion_step_fails(expansion, i))
      continue;
    if (floe_expansion_successor(expansion, i, &to) != FLOE_OK ||
        !state_set_add(set, to, (uint32_t)node, (uint32_t)i, &index, &is_new))
      return false;
  }
  return true;
}

enum node_result { NODE_EXPANDED, NODE_FOUND, NODE_FAILED };

static enum node_result visit(const struct explore_search *search, struct state_set *set, size_t node,
                              struct explore_error *error) {
  floe_expansion *expansion = explore_expand(search->explorer, set->states[node].state, error);
  if (!expansion)
    return NODE_FAILED;
  const enum node_result result = expression_holds(expansion, search->condition) ? NODE_FOUND
                                  : add_successors(set, expansion, node)         ? NODE_EXPANDED
                                                                                 : NODE_FAILED;
  floe_expansion_free(expansion);
  if (result == NODE_FAILED && !error->text[0])
    explore_fail(error, NULL, "more than %d states, or out of memory", STATE_SET_MOST);
  return result;
}

static void expand_all(struct explore_search *search) {
  struct explore_error error = {"", ""};
  struct state_set set = {0};
  enum node_result result = NODE_FAILED;
  json_t *path = NULL;
  size_t node = 0, index;
  bool is_new, begun = state_set_add(&set, search->from, 0, 0, &index, &is_new);
  for (; begun && node < set.count && !atomic_load(&search->cancelled); node++) {
    result = visit(search, &set, node, &error);
    if (result != NODE_EXPANDED)
      break;
    if (node % 256 == 0)
      report(search, set.count, set.states[node].depth);
  }
  if (set.count)
    report(search, set.count, set.states[node < set.count ? node : set.count - 1].depth);
  if (result == NODE_FOUND)
    path = path_to(search, &set, node, &error);
  state_set_free(&set);
  if (!begun || result == NODE_FAILED || (result == NODE_FOUND && !path))
    finish_with_error(search, &error);
  else
    finish(search, result == NODE_FOUND ? "found" : atomic_load(&search->cancelled) ? "cancelled" : "not found", path);
}

/* ---- by floe_explore ------------------------------------------------------------------------------------- */

static void note_progress(const floe_progress *progress, void *user) {
  if (!progress->activity)
    report(user, progress->states, progress->depth);
}

static json_t *path_of_trace(const struct explore_search *search, const floe_trace *trace,
                             struct explore_error *error) {
  const struct explorer *explorer = search->explorer;
  const floe_model *model = explorer_model(explorer);
  floe_state *state = NULL, *next = NULL;
  json_t *path = NULL;
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK)
    return NULL;
  if (floe_state_of_trace(model, trace, 0, log, &state) == FLOE_OK)
    path = path_begin(state);
  for (size_t i = 0; path && i < floe_trace_steps(trace); i++) {
    const floe_step step = floe_trace_step(trace, i);
    const bool fails = step.cause[0] != '\0';
    const bool known = fails || floe_state_of_trace(model, trace, i + 1, log, &next) == FLOE_OK;
    if (!known || !path_follow(explorer, path, state, step.action, fails ? NULL : next, error)) {
      json_decref(path);
      path = NULL;
    }
    floe_state_free(state);
    state = next;
    next = NULL;
  }
  if (path && floe_trace_loop(trace) != FLOE_NO_LOOP)
    json_object_set_new(path, "loop", json_integer((json_int_t)floe_trace_loop(trace)));
  floe_state_free(state);
  floe_log_free(log);
  return path;
}

/* A verdict without a path. After an error of the model a property stays undecided, even if no state is left. */
static const char *verdict_word(const struct explore_search *search, const floe_summary *summary,
                                const floe_verdict *verdict) {
  if (verdict->value == FLOE_VIOLATED || verdict->value == FLOE_IS_REACHABLE)
    return "found, but the path to the state is missing: interrupted, or out of memory";
  if (verdict->value != FLOE_UNDECIDED || summary->end == FLOE_END_COMPLETE)
    return "not found";
  return atomic_load(&search->cancelled) ? "cancelled" : "undecided";
}

static void take_verdict(struct explore_search *search, const floe_result *result) {
  const floe_summary *summary = floe_result_summary(result);
  const floe_verdict verdict = floe_result_verdict(result, 0);
  struct explore_error error = {"", ""};
  json_t *path = verdict.trace ? path_of_trace(search, verdict.trace, &error) : NULL;
  report(search, summary->states, path ? (uint32_t)verdict.depth : summary->levels ? summary->levels - 1 : 0);
  if (verdict.trace && !path)
    finish_with_error(search, &error);
  else
    finish(search, path ? "found" : verdict_word(search, summary, &verdict), path);
}

static void note_engine(struct explore_search *search, const char *engine) {
  pthread_mutex_lock(&search->mutex);
  snprintf(search->engine, sizeof search->engine, "%s", engine);
  pthread_mutex_unlock(&search->mutex);
}

static floe_status explore_once(struct explore_search *search, floe_model *model, const floe_options *options,
                                floe_log *log, floe_result **result) {
  atomic_store(&search->exploring, true);
  const floe_status status =
      atomic_load(&search->cancelled) ? FLOE_ERROR_INTERRUPTED : floe_explore(model, options, log, result);
  atomic_store(&search->exploring, false);
  return status;
}

/* An error of the model ends a search before the property is decided. */
static bool error_ended(const floe_result *result) {
  return floe_result_summary(result)->end == FLOE_END_DECIDED && floe_result_verdict(result, 0).value == FLOE_UNDECIDED;
}

static void explore(struct explore_search *search, floe_model *model, const char *property, floe_log *log) {
  floe_options options;
  floe_result *result;
  floe_options_init(&options);
  options.properties = &property;
  options.property_count = 1;
  options.progress = note_progress;
  options.progress_seconds = 0.1;
  options.user = search;
  floe_status status = explore_once(search, model, &options, log, &result);
  if (status == FLOE_OK && error_ended(result)) {
    floe_result_free(result);
    options.keep_going = true;
    status = explore_once(search, model, &options, log, &result);
  }
  if (status == FLOE_OK) {
    note_engine(search, floe_result_summary(result)->engine_detail);
    take_verdict(search, result);
    floe_result_free(result);
  } else if (atomic_load(&search->cancelled)) {
    finish(search, "cancelled", NULL);
  } else {
    finish_with_status(search, log, status);
  }
}

static bool is_initial(const struct explore_search *search, floe_log *log) {
  floe_state *initial;
  if (floe_state_initial(explorer_model(search->explorer), log, &initial) != FLOE_OK)
    return false;
  const bool same = floe_state_equal(initial, search->from);
  floe_state_free(initial);
  return same;
}

static void search_logged(struct explore_search *search, floe_log *log) {
  struct explore_error error = {"", ""};
  floe_model *model = NULL;
  if (search->condition && !is_initial(search, log)) {
    expand_all(search);
    return;
  }
  const floe_status status = search_model_create(explorer_model(search->explorer), search->text, log, &model);
  if (status == FLOE_OK) {
    explore(search, model, search->text ? SEARCH_PROPERTY : search->property, log);
    floe_model_free(model);
  } else if (status == FLOE_ERROR_USAGE) {
    explore_fail(&error, "start floe explore again", "a file that the model includes has changed");
    finish_with_error(search, &error);
  } else if (search->condition && status != FLOE_ERROR_MEMORY) {
    expand_all(search); /* too many properties, or another language */
  } else {
    finish_with_status(search, log, status);
  }
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

static void *thread_main(void *data) {
  struct explore_search *search = data;
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK) {
    finish_with_error(search, &(struct explore_error){"", ""});
    return NULL;
  }
  search_logged(search, log);
  floe_log_free(log);
  return NULL;
}

static bool take_condition(struct explore_search *search, const json_t *request, struct explore_error *error) {
  json_t *texts = json_pack("[O]", json_object_get(request, "condition"));
  size_t count = 0;
  floe_expansion *from = explore_expand_named(search->explorer, request, "from", true, error);
  const bool taken = from &&
                     explore_expressions(explorer_model(search->explorer), texts, &search->condition, &count, error) &&
                     floe_state_copy(floe_expansion_state(from), &search->from) == FLOE_OK &&
                     (search->text = strdup(json_string_value(json_object_get(request, "condition"))));
  floe_expansion_free(from);
  json_decref(texts);
  return taken;
}

static bool take_property(struct explore_search *search, const json_t *request, struct explore_error *error) {
  const char *id = json_string_value(json_object_get(request, "property"));
  if (id && model_has_property(explorer_model(search->explorer), id))
    return (search->property = strdup(id)) != NULL;
  explore_fail(error, NULL, "the model has no property \"%s\"", id ? id : "");
  return false;
}

static bool start(struct explore_search *search, const json_t *request, struct explore_error *error) {
  const bool taken = json_is_string(json_object_get(request, "condition")) ? take_condition(search, request, error)
                                                                           : take_property(search, request, error);
  if (!taken)
    return false;
  begin_report(search);
  atomic_store(&search->cancelled, false);
  search->started = pthread_create(&search->thread, NULL, thread_main, search) == 0;
  if (!search->started) {
    explore_fail(error, NULL, "no thread can be started");
    finish_with_error(search, error);
  }
  return search->started;
}

json_t *answer_search_start(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* of two requests to start */
  struct explore_search *search = explorer_search(explorer);
  pthread_mutex_lock(&one);
  end_search(search);
  search->explorer = explorer;
  const bool started = start(search, request, error);
  pthread_mutex_unlock(&one);
  return started ? json_pack("{s:b}", "started", true) : NULL;
}

json_t *answer_search_state(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  struct explore_search *search = explorer_search(explorer);
  (void)request, (void)error;
  pthread_mutex_lock(&search->mutex);
  json_t *answer = json_pack("{s:b, s:f, s:I, s:I, s:s, s:o, s:O?}", "running", search->running, "seconds",
                             search->running ? clock_now() - search->begun : search->seconds, "states",
                             (json_int_t)search->states, "depth", (json_int_t)search->depth, "verdict", search->verdict,
                             "engine", text_json(search->engine), "path", search->path);
  pthread_mutex_unlock(&search->mutex);
  return answer;
}

json_t *answer_search_cancel(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  struct explore_search *search = explorer_search(explorer);
  (void)request, (void)error;
  cancel(search);
  return json_object();
}
