#include "cmd/simulate/trace_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 4 /* firings that are there instead of the one looked for */

struct follower {
  const floe_model *model;
  floe_simulator *simulator;
  const json_t *trace;
  bool same_text; /* of the model: then lines are compared */
  trace_replay_step *each;
  void *user;
  struct problem *problem;
};

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* ---- does it fit? -------------------------------------------------------------------------- */

static bool constant_of(const floe_model *model, const char *name, int64_t *value) {
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
  json_t *wanted;
  int64_t value;
  if (strcmp(text_of(trace, "model"), floe_model_name(model)) != 0) {
    problem_set(problem, "it is a trace of model '%s', not of '%s'", text_of(trace, "model"), floe_model_name(model));
    return false;
  }
  json_object_foreach(json_object_get(trace, "constants"), name, wanted) {
    if (constant_of(model, name, &value) && value == json_integer_value(wanted))
      continue;
    problem_set(problem, "it is a trace for %s=%" JSON_INTEGER_FORMAT, name, json_integer_value(wanted));
    return false;
  }
  return true;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* A value of the file or of a state; to be freed. Never NULL. */
static char *shown(const json_t *value) {
  char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
  return text ? text : calloc(1, 1);
}

static void differ(struct follower *follower, const char *where, const char *what, const json_t *expected,
                   const json_t *found) {
  char *wanted = shown(expected), *here = shown(found);
  problem_set(follower->problem, "%s: %s: expected %.180s, found %.180s", where, what,
              expected && wanted ? wanted : "nothing", found && here ? here : "nothing");
  free(wanted);
  free(here);
}

/* Compares by name in both directions; the first difference is told. */
static bool same_members(struct follower *follower, const char *where, json_t *expected, json_t *found) {
  const char *name;
  json_t *value;
  json_object_foreach(expected, name, value) {
    if (json_equal(value, json_object_get(found, name)))
      continue;
    differ(follower, where, name, value, json_object_get(found, name));
    return false;
  }
  json_object_foreach(found, name, value) {
    if (json_object_get(expected, name))
      continue;
    differ(follower, where, name, NULL, value);
    return false;
  }
  return true;
}

static void drop_lines(json_t *step) {
  size_t i;
  json_t *participant;
  json_object_del(step, "line");
  json_array_foreach(json_object_get(step, "participants"), i, participant) json_object_del(participant, "line");
}

/* Every member that `found` has; `changes`, the state, is compared last and name by name. */
static bool same_step(struct follower *follower, const char *where, json_t *expected, json_t *found) {
  const char *name;
  json_t *value;
  json_object_foreach(found, name, value) {
    json_t *wanted = json_object_get(expected, name);
    if (strcmp(name, "changes") == 0 || json_equal(wanted, value))
      continue;
    differ(follower, where, name, wanted, value);
    return false;
  }
  return same_members(follower, where, json_object_get(expected, "changes"), json_object_get(found, "changes"));
}

/* ---- the steps ----------------------------------------------------------------------------- */

enum match { MATCHES, NO_MATCH, NO_MEMORY };

static enum match compare_step(struct follower *follower, const char *where, const json_t *expected,
                               const floe_step *step) {
  json_t *wanted = json_deep_copy(expected), *found = step_record(step);
  enum match match = NO_MEMORY;
  if (wanted && found) {
    if (!follower->same_text) {
      drop_lines(wanted);
      drop_lines(found);
    }
    match = same_step(follower, where, wanted, found) ? MATCHES : NO_MATCH;
  }
  json_decref(wanted);
  json_decref(found);
  return match;
}

/* No firing is of the action looked for: which ones are there. */
static void tell_enabled(struct follower *follower, const char *where, const char *action, size_t count) {
  char list[360] = "";
  size_t used = 0;
  for (size_t i = 0; i < count && i < MOST_NAMED && used < sizeof list; i++) {
    floe_step step;
    if (floe_simulator_step(follower->simulator, i, &step) == FLOE_OK)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.70s'", i ? ", " : "", step.action);
  }
  if (count == 0)
    problem_set(follower->problem, "%s: '%.120s' is not enabled, nothing is", where, action);
  else
    problem_set(follower->problem, "%s: '%.120s' is not enabled, but %s%s", where, action, list,
                count > MOST_NAMED ? " and others" : "");
}

/* The firing that a step of the file describes. Several may have the same action: one that agrees
   in everything is looked for; where none does, the first is told. */
static enum match find_firing(struct follower *follower, const char *where, const json_t *expected, size_t *firing,
                              floe_step *step) {
  const char *action = text_of(expected, "action");
  struct problem first = {""};
  size_t count;
  if (floe_simulator_enabled(follower->simulator, &count) != FLOE_OK)
    return NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    if (floe_simulator_step(follower->simulator, i, step) != FLOE_OK)
      return NO_MEMORY;
    if (strcmp(step->action, action) != 0)
      continue;
    *firing = i;
    enum match match = compare_step(follower, where, expected, step);
    if (match != NO_MATCH)
      return match;
    if (!first.text[0])
      first = *follower->problem;
  }
  if (first.text[0])
    *follower->problem = first;
  else
    tell_enabled(follower, where, action, count);
  return NO_MATCH;
}

/* Takes a step. A failing one leads nowhere: only the last may fail. */
static enum match take_step(struct follower *follower, size_t number, const json_t *expected) {
  char where[32];
  size_t firing, steps = json_array_size(json_object_get(follower->trace, "steps"));
  floe_step step;
  snprintf(where, sizeof where, "step %zu", number);
  enum match match = find_firing(follower, where, expected, &firing, &step);
  if (match != MATCHES)
    return match;
  if (step.cause[0] && (number < steps || strcmp(text_of(follower->trace, "kind"), "errors") != 0)) {
    problem_set(follower->problem, "%s fails: %s", where, step.cause);
    return NO_MATCH;
  }
  if (follower->each)
    follower->each(follower->user, &step, number);
  if (step.cause[0])
    return MATCHES;
  return floe_simulator_fire(follower->simulator, firing) == FLOE_OK ? MATCHES : NO_MEMORY;
}

static enum match compare_start(struct follower *follower) {
  const floe_change *values;
  size_t count;
  if (floe_simulator_state(follower->simulator, &values, &count) != FLOE_OK)
    return NO_MEMORY;
  json_t *found = state_record(values, count);
  if (!found)
    return NO_MEMORY;
  bool same = same_members(follower, "the first state", json_object_get(follower->trace, "initial"), found);
  json_decref(found);
  return same ? MATCHES : NO_MATCH;
}

/* ---- the claim ----------------------------------------------------------------------------- */

static const char *claim_of(floe_property_kind kind) { return floe_verdict_name(floe_property_kind_found(kind)); }

static enum match compare_claim(struct follower *follower, size_t property) {
  floe_property_kind kind = floe_model_property(follower->model, property).kind;
  const char *verdict = text_of(follower->trace, "verdict");
  floe_property_value observation;
  if (floe_simulator_property(follower->simulator, property, &observation) != FLOE_OK)
    return NO_MEMORY;
  json_int_t depth = json_integer_value(json_object_get(follower->trace, "depth"));
  size_t steps = floe_simulator_depth(follower->simulator);
  if (strcmp(verdict, claim_of(kind)) != 0)
    problem_set(follower->problem, "the end: '%s' is what a trace shows of this property, not '%s'", claim_of(kind),
                verdict);
  else if (depth != (json_int_t)steps)
    problem_set(follower->problem, "the end: expected at depth %" JSON_INTEGER_FORMAT ", found at depth %zu", depth,
                steps);
  else if (!observation.triggered)
    problem_set(follower->problem, "the end: the property is not %s in the last state", verdict);
  else
    return MATCHES;
  return NO_MATCH;
}

/* A way that floe simulate took is one, and claims nothing of a property. */
static bool is_walk(const json_t *trace) { return strcmp(text_of(trace, "kind"), "walk") == 0; }

static enum match find_property(struct follower *follower, size_t *property) {
  const char *id = text_of(follower->trace, "property"), *kind = text_of(follower->trace, "kind");
  for (size_t i = 0; i < floe_model_properties(follower->model); i++) {
    floe_property found = floe_model_property(follower->model, i);
    if (strcmp(found.id, id) != 0)
      continue;
    *property = i;
    if (strcmp(floe_property_kind_name(found.kind), kind) == 0)
      return MATCHES;
    problem_set(follower->problem, "the property is of kind '%s', not '%s'", floe_property_kind_name(found.kind), kind);
    return NO_MATCH;
  }
  problem_set(follower->problem, "the model has no property '%s'", id);
  return NO_MATCH;
}

enum trace_replay_result follow(const floe_model *model, floe_simulator *simulator, const json_t *trace,
                                trace_replay_step *each, void *user, struct problem *problem) {
  static const enum trace_replay_result ends[] = {
      [MATCHES] = REPLAY_AS_CLAIMED, [NO_MATCH] = REPLAY_DIFFERS, [NO_MEMORY] = REPLAY_NO_MEMORY};
  bool same_text = strcmp(text_of(trace, "digest"), floe_model_digest(model)) == 0;
  struct follower follower = {model, simulator, trace, same_text, each, user, problem};
  size_t i, property = 0;
  json_t *step;
  enum match match = is_walk(trace) ? MATCHES : find_property(&follower, &property);
  if (match == MATCHES)
    match = compare_start(&follower);
  json_array_foreach(json_object_get(trace, "steps"), i, step) {
    if (match != MATCHES)
      break;
    match = take_step(&follower, i + 1, step);
  }
  if (match == MATCHES && !is_walk(trace))
    match = compare_claim(&follower, property);
  if (match == MATCHES)
    problem->text[0] = 0; /* of firings that were not the one */
  return ends[match];
}
