/* Paths: traces from files and to files, random walks. */
#include "cmd/explore/explore_paths.h"

#include "base/splitmix64.h"
#include "cmd/explore/answers.h"
#include "cmd/simulate/trace_file.h"
#include "cmd/simulate/trace_replay.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 10000 }; /* of a path */

/* ---- a path ----------------------------------------------------------------------------------------- */

json_t *path_begin(const floe_state *first) {
  return json_pack("{s:[o], s:[], s:n}", "states", explore_state_id(first), "steps", "loop");
}

bool path_add(json_t *path, floe_expansion *expansion, size_t i) {
  json_t *step = explore_step(expansion, i);
  const json_t *target = json_object_get(step, "successor");
  if (json_array_append_new(json_object_get(path, "steps"), step) != 0)
    return false;
  return !json_is_string(target) ||
         json_array_append_new(json_object_get(path, "states"), json_string(json_string_value(target))) == 0;
}

/* The step with that action to that state, or else another one to that state; `target` NULL: a failing step. */
static size_t find_step(floe_expansion *expansion, const char *action, const floe_state *target) {
  const size_t count = floe_expansion_steps(expansion);
  size_t found = count;
  for (size_t i = 0; i < count; i++) {
    const floe_state *successor;
    floe_step step;
    const bool fails = floe_expansion_step_fails(expansion, i);
    if (fails != !target || (target && (floe_expansion_successor(expansion, i, &successor) != FLOE_OK ||
                                        !floe_state_equal(successor, target))))
      continue;
    if (found == count)
      found = i;
    if (floe_expansion_step(expansion, i, &step) == FLOE_OK && strcmp(step.action, action) == 0)
      return i;
  }
  return found;
}

bool path_follow(const struct explorer *explorer, json_t *path, const floe_state *from, const char *action,
                 const floe_state *to, struct explore_error *error) {
  floe_expansion *expansion = explore_expand(explorer, from, error);
  if (!expansion)
    return false;
  const size_t i = find_step(expansion, action, to);
  const bool found = i < floe_expansion_steps(expansion);
  if (!found)
    explore_fail(error, NULL, "the model has no step \"%s\" there", action);
  const bool added = found && path_add(path, expansion, i);
  floe_expansion_free(expansion);
  return added;
}

/* ---- from a file --------------------------------------------------------------------------------------- */

struct replaying {
  const struct explorer *explorer;
  floe_simulator *simulator;
  json_t *actions;
};

static void note_action(void *user, const floe_step *step, const char *printed, size_t number) {
  (void)printed;
  struct replaying *replaying = user;
  (void)number;
  json_array_append_new(replaying->actions, json_string(step->action));
}

/* States on the simulator's path, the first one first; NULL: no memory. The simulator goes back to the first. */
static floe_state **take_states(floe_simulator *simulator, size_t count) {
  floe_state **states = calloc(count, sizeof *states);
  for (size_t i = count; states && i-- > 0;) {
    floe_expansion *expansion;
    if (floe_simulator_expansion(simulator, &expansion) != FLOE_OK ||
        floe_state_copy(floe_expansion_state(expansion), &states[i]) != FLOE_OK)
      break;
    if (i > 0)
      floe_simulator_undo(simulator);
  }
  return states;
}

static void free_states(floe_state **states, size_t count) {
  for (size_t i = 0; states && i < count; i++)
    floe_state_free(states[i]);
  free(states);
}

static json_t *path_of_states(const struct replaying *replaying, floe_state *const *states, size_t count,
                              struct explore_error *error) {
  json_t *path = states && states[0] ? path_begin(states[0]) : NULL;
  for (size_t i = 0; path && i < json_array_size(replaying->actions); i++) {
    const char *action = json_string_value(json_array_get(replaying->actions, i));
    const floe_state *to = i + 1 < count ? states[i + 1] : NULL;
    if (!path_follow(replaying->explorer, path, states[i], action, to, error)) {
      json_decref(path);
      path = NULL;
    }
  }
  return path;
}

static json_t *replay(struct replaying *replaying, const json_t *trace, struct explore_error *error) {
  const floe_model *model = explorer_model(replaying->explorer);
  struct problem problem = {""};
  if (!trace_replay_fits(model, trace, &problem) ||
      trace_replay_run(model, replaying->simulator, trace, note_action, replaying, &problem) != REPLAY_CONFIRMED) {
    explore_fail(error, "the file may be of another model, or of other constants", "%s",
                 problem.text[0] ? problem.text : "out of memory");
    return NULL;
  }
  const size_t count = floe_simulator_depth(replaying->simulator) + 1;
  floe_state **states = take_states(replaying->simulator, count);
  json_t *path = path_of_states(replaying, states, count, error);
  if (path && is_temporal_trace(trace)) /* the replay has compared the loop */
    json_object_set(path, "loop", json_object_get(trace, "loop"));
  free_states(states, count);
  return path;
}

static json_t *replay_first(const struct explorer *explorer, const json_t *traces, struct explore_error *error) {
  struct replaying replaying = {.explorer = explorer, .actions = json_array()};
  floe_model *model = (floe_model *)(size_t)explorer_model(explorer); /* checked: it is only read */
  json_t *path = NULL;
  floe_log *log;
  if (floe_log_create(&log) != FLOE_OK)
    return NULL;
  const floe_status status = floe_simulator_create(model, log, &replaying.simulator);
  if (status != FLOE_OK) {
    explore_fail_status(error, log, status);
  } else {
    path = replay(&replaying, json_array_get(traces, 0), error);
    floe_simulator_free(replaying.simulator);
  }
  floe_log_free(log);
  json_decref(replaying.actions);
  return path;
}

bool explorer_load_trace(struct explorer *explorer, const char *file, struct explore_error *error) {
  struct problem problem = {""};
  json_t *traces = trace_file_load(file, &problem);
  json_t *path = traces ? replay_first(explorer, traces, error) : NULL;
  if (!traces)
    explore_fail(error, "a file of floe check --trace is needed", "%s", problem.text);
  json_decref(traces);
  explorer_set_trace(explorer, path);
  return path != NULL;
}

json_t *answer_replay(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  struct problem problem = {""};
  char *text = json_dumps(json_object_get(request, "trace"), JSON_COMPACT);
  json_t *traces = text ? trace_file_parse(text, strlen(text), &problem) : NULL;
  free(text);
  if (!traces) {
    explore_fail(error, "a file of floe check --trace is needed", "%s",
                 problem.text[0] ? problem.text : "the request has no \"trace\"");
    return NULL;
  }
  json_t *path = replay_first(explorer, traces, error);
  json_decref(traces);
  return path;
}

/* ---- to a file ------------------------------------------------------------------------------------------ */

struct recorded {
  json_t *initial, *steps;
};

/* Adds the record of step `index` of the state. */
static bool record_step(const struct explorer *explorer, json_t *state, const json_t *index, struct recorded *recorded,
                        struct explore_error *error) {
  json_t *named = json_pack("{s:O}", "state", state);
  floe_expansion *expansion = explore_expand_named(explorer, named, "state", false, error);
  floe_step step;
  const char *printed;
  json_decref(named);
  if (!expansion)
    return false;
  if (!recorded->initial)
    recorded->initial = explore_values(expansion);
  const bool known = json_is_integer(index) && json_integer_value(index) >= 0 &&
                     floe_expansion_step(expansion, (size_t)json_integer_value(index), &step) == FLOE_OK &&
                     floe_expansion_printed(expansion, (size_t)json_integer_value(index), &printed) == FLOE_OK;
  if (known) {
    json_t *record = step_record(&step);
    add_printed(record, printed);
    json_array_append_new(recorded->steps, record);
  } else
    explore_fail(error, NULL, "the state has no such step");
  floe_expansion_free(expansion);
  return known;
}

json_t *answer_trace(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  const json_t *states = json_object_get(request, "states"), *indices = json_object_get(request, "indices");
  const floe_model *model = explorer_model(explorer);
  const size_t count = json_array_size(indices);
  if (!json_is_array(indices) || count == 0 || json_array_size(states) < count) {
    explore_fail(error, NULL, "a trace file needs at least one step");
    return NULL;
  }
  struct recorded recorded = {.steps = json_array()};
  bool done = true;
  for (size_t i = 0; done && i < count; i++)
    done = record_step(explorer, json_array_get(states, i), json_array_get(indices, i), &recorded, error);
  json_t *file = done ? traces_file(json_pack("[o]", walk_record(model, recorded.initial, recorded.steps))) : NULL;
  json_decref(recorded.initial);
  json_decref(recorded.steps);
  return file;
}

/* ---- a random walk ------------------------------------------------------------------------------------- */

struct walk {
  const struct explorer *explorer;
  floe_expression **until;
  size_t until_count;
  uint64_t random;
  const char *stopped;
};

bool expression_holds(floe_expansion *expansion, const floe_expression *expression) {
  floe_evaluation value;
  return floe_expansion_evaluate(expansion, expression, &value) == FLOE_OK && !value.cause[0] && value.value != 0;
}

/* The index of the first expression that is true in the state, or their number. */
static size_t find_true(const struct walk *walk, floe_expansion *expansion) {
  size_t i = 0;
  for (; i < walk->until_count; i++) {
    if (expression_holds(expansion, walk->until[i]))
      break;
  }
  return i;
}

/* Adds a random step. False: the walk ends, or (`error` set) it cannot be continued. The expansion is of the last
   state. */
static bool walk_on(struct walk *walk, json_t *path, floe_expansion *expansion, size_t *step) {
  const size_t steps = floe_expansion_steps(expansion);
  if (steps == 0) {
    walk->stopped = "deadlock";
    return false;
  }
  *step = splitmix64_next(&walk->random) % steps;
  if (!path_add(path, expansion, *step))
    return false;
  if (floe_expansion_step_fails(expansion, *step))
    walk->stopped = "failure";
  return !floe_expansion_step_fails(expansion, *step);
}

static floe_expansion *expand_successor(const struct walk *walk, floe_expansion *expansion, size_t step,
                                        struct explore_error *error) {
  const floe_state *state;
  floe_expansion *next = NULL;
  if (floe_expansion_successor(expansion, step, &state) == FLOE_OK)
    next = explore_expand(walk->explorer, state, error);
  floe_expansion_free(expansion);
  return next;
}

/* Frees the expansion. NULL: *error has the reason, or no memory. */
static json_t *walk_from(struct walk *walk, floe_expansion *expansion, size_t most, const json_t *texts,
                         struct explore_error *error) {
  json_t *path = path_begin(floe_expansion_state(expansion));
  size_t step;
  walk->stopped = "steps";
  for (size_t i = 0; i < most && expansion && walk_on(walk, path, expansion, &step); i++) {
    expansion = expand_successor(walk, expansion, step, error);
    const size_t true_one = expansion ? find_true(walk, expansion) : walk->until_count;
    if (true_one < walk->until_count) {
      walk->stopped = "breakpoint";
      json_object_set(path, "expr", json_array_get(texts, true_one));
      break;
    }
  }
  if (!expansion) {
    json_decref(path);
    return NULL;
  }
  floe_expansion_free(expansion);
  json_object_set_new(path, "stopped", json_string(walk->stopped));
  return path;
}

bool explore_expressions(const floe_model *model, const json_t *texts, floe_expression **out, size_t *count,
                         struct explore_error *error) {
  floe_log *log;
  floe_status status = floe_log_create(&log);
  *count = 0;
  if (status != FLOE_OK)
    return false;
  for (size_t i = 0; status == FLOE_OK && i < json_array_size(texts); i++) {
    const char *text = json_string_value(json_array_get(texts, i));
    status = explore_expression(model, text ? text : "", log, &out[*count]);
    *count += status == FLOE_OK;
  }
  if (status != FLOE_OK)
    explore_fail_status(error, log, status);
  floe_log_free(log);
  return status == FLOE_OK;
}

json_t *answer_random(struct explorer *explorer, const json_t *request, struct explore_error *error) {
  const json_t *texts = json_object_get(request, "until");
  const json_int_t steps = json_integer_value(json_object_get(request, "steps"));
  struct walk walk = {.explorer = explorer,
                      .until = calloc(json_array_size(texts) + 1, sizeof *walk.until),
                      .random = (uint64_t)json_integer_value(json_object_get(request, "seed"))};
  floe_expansion *expansion = NULL;
  json_t *path = NULL;
  if (steps < 1 || steps > MOST_STEPS)
    explore_fail(error, NULL, "a walk has 1 to %d steps", MOST_STEPS);
  else if (walk.until && explore_expressions(explorer_model(explorer), texts, walk.until, &walk.until_count, error))
    expansion = explore_expand_named(explorer, request, "state", true, error);
  if (expansion)
    path = walk_from(&walk, expansion, (size_t)steps, texts, error);
  for (size_t i = 0; i < walk.until_count; i++)
    floe_expression_free(walk.until[i]);
  free(walk.until);
  return path;
}
