#include "cmd/simulate/trace_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED 4 /* enabled firings in a message */

struct replayer {
  const floe_model *model;
  floe_simulator *simulator;
  const json_t *trace;
  bool same_text; /* the model's text is unchanged: compare lines */
  trace_replay_callback *on_step;
  void *user;
  struct problem *problem;
  floe_state **run; /* [steps + 1] the states, of a temporal property; else NULL */
  size_t *firings;  /* [steps + 1] the numbers of the steps after them; likewise */
  size_t depth;     /* of the state: several steps may be one of the model (floe_expansion_is_transient) */
};

static const char *string_member(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* ---- model and constants ------------------------------------------------------------------- */

static bool find_constant(const floe_model *model, const char *name, int64_t *value) {
  for (size_t i = 0; i < floe_model_constants(model); i++) {
    floe_constant constant = floe_model_constant(model, i);
    if (strcmp(constant.name, name) != 0)
      continue;
    *value = constant.value;
    return true;
  }
  return false;
}

bool trace_replay_fits(const floe_model *model, const json_t *trace, struct problem *problem) {
  const char *name;
  json_t *expected_value;
  int64_t value;
  if (strcmp(string_member(trace, "model"), floe_model_name(model)) != 0) {
    problem_set(problem, "the trace is of model '%s', not of '%s'", string_member(trace, "model"),
                floe_model_name(model));
    return false;
  }
  json_object_foreach(json_object_get(trace, "constants"), name, expected_value) {
    if (find_constant(model, name, &value) && value == json_integer_value(expected_value))
      continue;
    problem_set(problem, "the trace is for %s=%" JSON_INTEGER_FORMAT, name, json_integer_value(expected_value));
    return false;
  }
  return true;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The text of a JSON value; the caller frees it. NULL: out of memory. */
static char *value_text(const json_t *value) {
  char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
  return text ? text : calloc(1, 1);
}

static void report_difference(struct replayer *replayer, const char *where, const char *what, const json_t *expected,
                              const json_t *found) {
  char *expected_value = value_text(expected), *here = value_text(found);
  problem_set(replayer->problem, "%s: %s: expected %.180s, found %.180s", where, what,
              expected && expected_value ? expected_value : "nothing", found && here ? here : "nothing");
  free(expected_value);
  free(here);
}

/* Compares members by name in both directions; reports the first difference. */
static bool same_members(struct replayer *replayer, const char *where, json_t *expected, json_t *found) {
  const char *name;
  json_t *value;
  json_object_foreach(expected, name, value) {
    if (json_equal(value, json_object_get(found, name)))
      continue;
    report_difference(replayer, where, name, value, json_object_get(found, name));
    return false;
  }
  json_object_foreach(found, name, value) {
    if (json_object_get(expected, name))
      continue;
    report_difference(replayer, where, name, NULL, value);
    return false;
  }
  return true;
}

static void drop_member(json_t *step, const char *name) {
  size_t i;
  json_t *participant;
  json_object_del(step, name);
  json_array_foreach(json_object_get(step, "participants"), i, participant) json_object_del(participant, name);
}

/* Files may be moved. If the text has changed, so have the lines. */
static void drop_places(const struct replayer *replayer, json_t *step) {
  drop_member(step, "file");
  if (!replayer->same_text)
    drop_member(step, "line");
}

/* Compares every member of `found`; `changes` last, name by name. */
static bool same_step(struct replayer *replayer, const char *where, json_t *expected, json_t *found) {
  const char *name;
  json_t *value;
  json_object_foreach(found, name, value) {
    json_t *expected_value = json_object_get(expected, name);
    if (strcmp(name, "changes") == 0 || json_equal(expected_value, value))
      continue;
    report_difference(replayer, where, name, expected_value, value);
    return false;
  }
  return same_members(replayer, where, json_object_get(expected, "changes"), json_object_get(found, "changes"));
}

/* ---- the steps ----------------------------------------------------------------------------- */

enum match { MATCHES, NO_MATCH, NO_MEMORY };

static enum match compare_step(struct replayer *replayer, const char *where, const json_t *expected,
                               const floe_step *step, const char *printed) {
  json_t *expected_value = json_deep_copy(expected), *found = step_record(step);
  enum match match = NO_MEMORY;
  if (expected_value && found) {
    if (json_object_get(expected, "prints")) /* older files have none */
      json_object_set_new(found, "prints", text_json(printed));
    drop_places(replayer, expected_value);
    drop_places(replayer, found);
    match = same_step(replayer, where, expected_value, found) ? MATCHES : NO_MATCH;
  }
  json_decref(expected_value);
  json_decref(found);
  return match;
}

/* Reports that no enabled firing has the action, and lists those that are enabled. */
static void report_enabled(struct replayer *replayer, floe_expansion *state, const char *where, const char *action) {
  char list[360] = "";
  size_t used = 0, count = floe_expansion_steps(state);
  for (size_t i = 0; i < count && i < MAX_NAMED && used < sizeof list; i++) {
    floe_step step;
    if (floe_expansion_step(state, i, &step) == FLOE_OK)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.70s'", i ? ", " : "", step.action);
  }
  if (count == 0)
    problem_set(replayer->problem, "%s: '%.120s' is not enabled; no step is", where, action);
  else
    problem_set(replayer->problem, "%s: '%.120s' is not enabled; enabled: %s%s", where, action, list,
                count > MAX_NAMED ? " and others" : "");
}

/* A step of the model, and what it prints. */
struct found_step {
  size_t firing;
  floe_step step;
  const char *printed;
};

/* Finds the firing that a step of the file describes. Several may have the same action: one that agrees completely is
   selected; if none does, the difference to the first is reported. */
static enum match find_firing(struct replayer *replayer, const char *where, const json_t *expected,
                              struct found_step *out) {
  const char *action = string_member(expected, "action");
  struct problem first = {""};
  floe_expansion *state;
  if (floe_simulator_expansion(replayer->simulator, &state) != FLOE_OK)
    return NO_MEMORY;
  for (size_t i = 0; i < floe_expansion_steps(state); i++) {
    if (floe_expansion_step(state, i, &out->step) != FLOE_OK ||
        floe_expansion_printed(state, i, &out->printed) != FLOE_OK)
      return NO_MEMORY;
    if (strcmp(out->step.action, action) != 0)
      continue;
    out->firing = i;
    enum match match = compare_step(replayer, where, expected, &out->step, out->printed);
    if (match != NO_MATCH)
      return match;
    if (!first.text[0])
      first = *replayer->problem;
  }
  if (first.text[0])
    *replayer->problem = first;
  else
    report_enabled(replayer, state, where, action);
  return NO_MATCH;
}

static bool count_depth(struct replayer *replayer) {
  floe_expansion *state;
  if (floe_simulator_expansion(replayer->simulator, &state) != FLOE_OK)
    return false;
  replayer->depth += !floe_expansion_is_transient(state);
  return true;
}

/* Executes a step. Only the last one may fail, because a failing step has no successor. */
static enum match take_step(struct replayer *replayer, size_t number, const json_t *expected) {
  char where[32];
  const size_t steps = json_array_size(json_object_get(replayer->trace, "steps"));
  struct found_step found;
  const floe_step *step = &found.step;
  snprintf(where, sizeof where, "step %zu", number);
  enum match match = find_firing(replayer, where, expected, &found);
  if (match != MATCHES)
    return match;
  if (step->cause[0] && (number < steps || strcmp(string_member(replayer->trace, "kind"), "errors") != 0)) {
    problem_set(replayer->problem, "%s fails: %s", where, step->cause);
    return NO_MATCH;
  }
  if (replayer->on_step)
    replayer->on_step(replayer->user, step, found.printed, number);
  if (replayer->firings)
    replayer->firings[number - 1] = found.firing;
  if (step->cause[0])
    return MATCHES;
  return floe_simulator_fire(replayer->simulator, found.firing) == FLOE_OK && count_depth(replayer) ? MATCHES
                                                                                                    : NO_MEMORY;
}

static enum match compare_start(struct replayer *replayer) {
  floe_expansion *state;
  const floe_change *values;
  size_t count;
  if (floe_simulator_expansion(replayer->simulator, &state) != FLOE_OK ||
      floe_expansion_values(state, &values, &count) != FLOE_OK)
    return NO_MEMORY;
  json_t *found = state_record(values, count);
  if (!found)
    return NO_MEMORY;
  bool same = same_members(replayer, "the first state", json_object_get(replayer->trace, "initial"), found);
  json_decref(found);
  return same ? MATCHES : NO_MATCH;
}

/* ---- the claim ----------------------------------------------------------------------------- */

static bool keep_state(struct replayer *replayer, size_t number) {
  floe_expansion *state;
  return !replayer->run || (floe_simulator_expansion(replayer->simulator, &state) == FLOE_OK &&
                            floe_state_copy(floe_expansion_state(state), &replayer->run[number]) == FLOE_OK);
}

/* Compares the constraints with those of the file, if it has some. */
static enum match same_fairness(struct replayer *replayer, json_t *found) {
  json_t *const expected = json_object_get(replayer->trace, "fairness");
  size_t i;
  json_t *constraint;
  if (!found)
    return NO_MEMORY;
  json_array_foreach(found, i, constraint) {
    if (!expected || json_equal(json_array_get(expected, i), constraint))
      continue;
    report_difference(replayer, "the end", "fairness", json_array_get(expected, i), constraint);
    return NO_MATCH;
  }
  if (!expected || json_array_size(expected) == json_array_size(found))
    return MATCHES;
  report_difference(replayer, "the end", "fairness", json_array_get(expected, json_array_size(found)), NULL);
  return NO_MATCH;
}

static json_t *constraints_json(const floe_fairness *fairness) {
  json_t *list = json_array();
  for (size_t i = 0; list && i < floe_fairness_constraints(fairness); i++) {
    const floe_fair fair = floe_fairness_constraint(fairness, i);
    json_array_append_new(list, constraint_json(&fair));
  }
  return list;
}

static enum match compare_constraints(struct replayer *replayer, const floe_fairness *fairness) {
  for (size_t i = 0; i < floe_fairness_constraints(fairness); i++) {
    const floe_fair fair = floe_fairness_constraint(fairness, i);
    if (!fair.required || fair.reason != FLOE_FAIR_VIOLATED)
      continue;
    problem_set(replayer->problem, "the end: the run is not fair: it violates '%s %.120s'",
                fair.strong ? "strong" : "weak", fair.name);
    return NO_MATCH;
  }
  json_t *found = constraints_json(fairness);
  const enum match match = same_fairness(replayer, found);
  json_decref(found);
  return match;
}

/* The run satisfies the constraints of the option --fair, which the file names, or else of the property. */
static enum match compare_fairness(struct replayer *replayer, size_t property, size_t count, size_t loop) {
  const char *list = string_member(replayer->trace, "fair");
  floe_fairness *fairness;
  const floe_status status =
      floe_run_fairness(replayer->model, property, list, (const floe_state *const *)replayer->run, count, loop,
                        replayer->firings, NULL, &fairness);
  if (status == FLOE_ERROR_MEMORY)
    return NO_MEMORY;
  if (status != FLOE_OK) {
    problem_set(replayer->problem, "the end: the fairness '%.200s' does not fit the model", list ? list : "");
    return NO_MATCH;
  }
  const enum match match = compare_constraints(replayer, fairness);
  floe_fairness_free(fairness);
  return match;
}

/* The run closes, or stays in a deadlock, is fair, and violates the property. */
static enum match compare_run(struct replayer *replayer, size_t property, size_t steps) {
  const json_int_t loop = json_integer_value(json_object_get(replayer->trace, "loop"));
  floe_expansion *state;
  bool satisfied;
  if (floe_simulator_expansion(replayer->simulator, &state) != FLOE_OK)
    return NO_MEMORY;
  if (!json_object_get(replayer->trace, "loop") || loop < 0 || (uint64_t)loop > steps) {
    problem_set(replayer->problem, "the end: 'loop' is missing or out of range");
    return NO_MATCH;
  }
  const bool stays = (size_t)loop == steps;
  if (stays ? floe_expansion_steps(state) > 0 : !floe_state_equal(replayer->run[loop], replayer->run[steps])) {
    problem_set(replayer->problem,
                stays ? "the end: a transition is enabled in the last state"
                      : "the end: the last state is not state %" JSON_INTEGER_FORMAT,
                loop);
    return NO_MATCH;
  }
  const floe_status status = floe_run_satisfies(replayer->model, property, (const floe_state *const *)replayer->run,
                                                steps + stays, (size_t)loop, replayer->firings, NULL, &satisfied);
  if (status == FLOE_ERROR_MEMORY)
    return NO_MEMORY;
  if (status != FLOE_OK) {
    problem_set(replayer->problem, "the end: a condition of the property cannot be evaluated");
    return NO_MATCH;
  }
  if (!satisfied)
    return compare_fairness(replayer, property, steps + stays, (size_t)loop);
  problem_set(replayer->problem, "the end: the run satisfies the property");
  return NO_MATCH;
}

static const char *claimed_verdict(floe_property_kind kind) { return floe_verdict_name(floe_verdict_when_found(kind)); }

static enum match compare_claim(struct replayer *replayer, size_t property) {
  floe_property_kind kind = floe_model_property(replayer->model, property).kind;
  const char *verdict = string_member(replayer->trace, "verdict");
  floe_property_value observation;
  floe_expansion *state;
  if (floe_simulator_expansion(replayer->simulator, &state) != FLOE_OK ||
      floe_expansion_property(state, property, &observation) != FLOE_OK)
    return NO_MEMORY;
  json_int_t depth = json_integer_value(json_object_get(replayer->trace, "depth"));
  const size_t start = floe_model_start_steps(replayer->model);
  const size_t steps = kind == FLOE_LTL ? floe_simulator_depth(replayer->simulator) : replayer->depth;
  if (strcmp(verdict, claimed_verdict(kind)) != 0)
    problem_set(replayer->problem, "the end: a trace of this property shows '%s', not '%s'", claimed_verdict(kind),
                verdict);
  else if (depth + (json_int_t)start != (json_int_t)steps)
    problem_set(replayer->problem, "the end: expected at depth %" JSON_INTEGER_FORMAT ", found at depth %zu", depth,
                steps < start ? 0 : steps - start);
  else if (kind == FLOE_LTL)
    return compare_run(replayer, property, steps);
  else if (kind == FLOE_RECOVERABLE) /* what can be reached from the last state is not confirmed */
    return MATCHES;
  else if (!observation.triggered)
    problem_set(replayer->problem, "the end: the property is not %s in the last state", verdict);
  else
    return MATCHES;
  return NO_MATCH;
}

/* True for the run of floe simulate, which makes no claim about a property. */
static bool is_random_walk(const json_t *trace) { return strcmp(string_member(trace, "kind"), "walk") == 0; }

static enum match find_property(struct replayer *replayer, size_t *property) {
  const char *id = string_member(replayer->trace, "property"), *kind = string_member(replayer->trace, "kind");
  for (size_t i = 0; i < floe_model_properties(replayer->model); i++) {
    floe_property found = floe_model_property(replayer->model, i);
    if (strcmp(found.id, id) != 0)
      continue;
    *property = i;
    if (strcmp(floe_property_kind_name(found.kind), kind) == 0)
      return MATCHES;
    problem_set(replayer->problem, "the property is of kind '%s', not '%s'", floe_property_kind_name(found.kind), kind);
    return NO_MATCH;
  }
  problem_set(replayer->problem, "the model has no property '%s'", id);
  return NO_MATCH;
}

bool is_temporal_trace(const json_t *trace) {
  return strcmp(string_member(trace, "kind"), floe_property_kind_name(FLOE_LTL)) == 0;
}

/* Space for the states of the run; false: no memory. */
static bool open_run(struct replayer *replayer) {
  if (!is_temporal_trace(replayer->trace))
    return true;
  const size_t states = json_array_size(json_object_get(replayer->trace, "steps")) + 1;
  replayer->run = calloc(states, sizeof *replayer->run);
  replayer->firings = calloc(states, sizeof *replayer->firings);
  if (!replayer->run || !replayer->firings)
    return false;
  replayer->firings[states - 1] = FLOE_NO_FIRING;
  return keep_state(replayer, 0);
}

static void close_run(struct replayer *replayer) {
  for (size_t i = 0; replayer->run && i <= json_array_size(json_object_get(replayer->trace, "steps")); i++)
    floe_state_free(replayer->run[i]);
  free(replayer->run);
  free(replayer->firings);
}

enum trace_replay_result trace_replay_run(const floe_model *model, floe_simulator *simulator, const json_t *trace,
                                          trace_replay_callback *on_step, void *user, struct problem *problem) {
  static const enum trace_replay_result ends[] = {
      [MATCHES] = REPLAY_CONFIRMED, [NO_MATCH] = REPLAY_DIFFERS, [NO_MEMORY] = REPLAY_NO_MEMORY};
  bool same_text = strcmp(string_member(trace, "digest"), floe_model_digest(model)) == 0;
  struct replayer replayer = {model, simulator, trace, same_text, on_step, user, problem, NULL, NULL, 0};
  size_t i, property = 0;
  json_t *step;
  enum match match = is_random_walk(trace) ? MATCHES : find_property(&replayer, &property);
  if (match == MATCHES)
    match = compare_start(&replayer);
  if (match == MATCHES && !open_run(&replayer))
    match = NO_MEMORY;
  json_array_foreach(json_object_get(trace, "steps"), i, step) {
    if (match != MATCHES)
      break;
    match = take_step(&replayer, i + 1, step);
    if (match == MATCHES && !keep_state(&replayer, i + 1))
      match = NO_MEMORY;
  }
  if (match == MATCHES && !is_random_walk(trace))
    match = compare_claim(&replayer, property);
  if (match == MATCHES)
    problem->text[0] = 0; /* may be set by firings that did not match */
  close_run(&replayer);
  return ends[match];
}
