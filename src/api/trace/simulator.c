/* Simulator: executes a model step by step with the interpreter (floe_simulator). */
#include "api/api.h"
#include "api/trace/error_text.h"
#include "api/trace/render.h"
#include "api/trace/trace.h"
#include "core/mem.h"
#include "core/usage.h"
#include "engine/engine.h"
#include "model/property_kind.h"
#include "model/successor_bound.h"
#include "step/interpreter/interpreter.h"

#include <string.h>

#define FIRST_STATES 64

struct floe_simulator {
  const struct model *model;
  const struct layout *layout;
  struct arena permanent; /* names of items, value arrays */
  struct renderer renderer;
  uint64_t *states; /* [steps - forgotten + 1][words], packed: the first is the state before the first recorded step */
  struct step_edge *edges; /* [steps - forgotten] */
  size_t steps, forgotten; /* number of steps; the first `forgotten` ones are not recorded */
  size_t capacity;         /* of `states` and `edges` */
  int64_t *values;         /* current state */
  int64_t *before, *after, *temps;
  struct arena results; /* returned strings and lists: emptied when the current state changes */
  struct step_edge *firings;
  size_t firing_count, firing_cap;
  bool listed; /* `firings` is complete */
};

static uint64_t *state_at(const floe_simulator *simulator, size_t step) {
  return simulator->states + (step - simulator->forgotten) * simulator->layout->words;
}

static bool has_last_step(const floe_simulator *simulator) {
  return simulator && simulator->steps > simulator->forgotten;
}
static struct step_edge last_edge(const floe_simulator *simulator) {
  return simulator->edges[simulator->steps - simulator->forgotten - 1];
}

static void discard_results(floe_simulator *simulator) {
  arena_free(&simulator->results);
  simulator->firings = NULL;
  simulator->firing_count = simulator->firing_cap = 0;
  simulator->listed = false;
}

/* ---- steps --------------------------------------------------------------------------------- */

static void allocate(void *data) {
  floe_simulator *simulator = data;
  struct arena *arena = &simulator->permanent;
  const struct model *model = simulator->model;
  size_t temps = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    if (model->transitions[i].temp_count > temps)
      temps = model->transitions[i].temp_count;
  simulator->values = arena_array(arena, model->value_count, sizeof *simulator->values);
  simulator->before = arena_array(arena, model->value_count, sizeof *simulator->before);
  simulator->after = arena_array(arena, model->value_count, sizeof *simulator->after);
  simulator->temps = arena_array(arena, temps, sizeof *simulator->temps);
  renderer_init(&simulator->renderer, model, arena);
}

static bool reserve_step(floe_simulator *simulator) {
  if (simulator->steps - simulator->forgotten + 1 < simulator->capacity)
    return true;
  size_t capacity = simulator->capacity ? 2 * simulator->capacity : FIRST_STATES;
  size_t words = simulator->layout->words;
  uint64_t *states = mem_resize(simulator->states, capacity * words * sizeof *states);
  if (states)
    simulator->states = states;
  struct step_edge *edges = mem_resize(simulator->edges, capacity * sizeof *edges);
  if (edges)
    simulator->edges = edges;
  if (!states || !edges)
    return false;
  simulator->capacity = capacity;
  return true;
}

floe_status floe_simulator_create(floe_model *model, floe_log *log, floe_simulator **out) {
  uint32_t bound;
  REQUIRE(log, model);
  REQUIRE(log, out);
  FLOE_TRY(floe_model_check(model, log));
  FLOE_TRY(successor_bound(model->model, log, &bound));
  floe_simulator *simulator = mem_alloc(sizeof *simulator);
  if (!simulator)
    return no_memory(log);
  simulator->model = model->model;
  simulator->layout = model->layout;
  arena_init(&simulator->permanent);
  arena_init(&simulator->results);
  if (arena_guard(&simulator->permanent, allocate, simulator) != 0 || !reserve_step(simulator)) {
    floe_simulator_free(simulator);
    return no_memory(log);
  }
  floe_simulator_restart(simulator);
  *out = simulator;
  return FLOE_OK;
}

void floe_simulator_free(floe_simulator *simulator) {
  if (!simulator)
    return;
  arena_free(&simulator->results);
  arena_free(&simulator->permanent);
  mem_free(simulator->states);
  mem_free(simulator->edges);
  mem_free(simulator);
}

size_t floe_simulator_depth(const floe_simulator *simulator) { return simulator ? simulator->steps : 0; }

floe_status floe_simulator_fire(floe_simulator *simulator, size_t i) {
  size_t count;
  FLOE_TRY(floe_simulator_enabled(simulator, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  struct step_edge edge = simulator->firings[i];
  if (edge.site != NO_SITE)
    return FLOE_ERROR_MODEL;
  if (!reserve_step(simulator))
    return FLOE_ERROR_MEMORY;
  uint32_t site;
  interpreter_fire(simulator->model, edge.transition, edge.choice, simulator->values, NULL, &site);
  simulator->edges[simulator->steps++ - simulator->forgotten] = edge;
  layout_pack(simulator->model, simulator->layout, simulator->values, state_at(simulator, simulator->steps));
  discard_results(simulator);
  return FLOE_OK;
}

floe_status floe_simulator_undo(floe_simulator *simulator) {
  if (!has_last_step(simulator))
    return FLOE_ERROR_USAGE;
  simulator->steps--;
  layout_unpack(simulator->model, simulator->layout, state_at(simulator, simulator->steps), simulator->values);
  discard_results(simulator);
  return FLOE_OK;
}

void floe_simulator_restart(floe_simulator *simulator) {
  if (!simulator)
    return;
  simulator->steps = simulator->forgotten = 0;
  layout_initial(simulator->model, simulator->layout, simulator->states);
  layout_unpack(simulator->model, simulator->layout, simulator->states, simulator->values);
  discard_results(simulator);
}

void floe_simulator_forget(floe_simulator *simulator) {
  if (!simulator)
    return;
  memmove(simulator->states, state_at(simulator, simulator->steps),
          simulator->layout->words * sizeof *simulator->states);
  simulator->forgotten = simulator->steps;
}

/* ---- current state ------------------------------------------------------------------------- */

/* A query about the current state, and its result. */
struct query {
  floe_simulator *simulator;
  size_t i;
  const floe_change *state;
  struct step_edge edge;
  floe_step step;
  const char *cause;
};

static floe_status run_query(struct query *query, void (*body)(void *)) {
  return arena_guard(&query->simulator->results, body, query) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void query_state(void *data) {
  struct query *query = data;
  floe_simulator *simulator = query->simulator;
  query->state = render_state(&simulator->renderer, simulator->values, &simulator->results);
}

floe_status floe_simulator_state(floe_simulator *simulator, const floe_change **values, size_t *count) {
  struct query query = {.simulator = simulator};
  REQUIRE(NULL, simulator);
  REQUIRE(NULL, values);
  REQUIRE(NULL, count);
  FLOE_TRY(run_query(&query, query_state));
  *values = query.state;
  *count = simulator->renderer.item_count;
  return FLOE_OK;
}

static void list_choices(floe_simulator *simulator, uint32_t number) {
  const struct transition *transition = &simulator->model->transitions[number];
  uint32_t choices = (uint32_t)transition_choices(transition);
  for (uint32_t choice = 0; choice < choices; choice++) {
    uint32_t site;
    if (interpreter_fire_choice(simulator->model, (struct interpreter_choice){transition, choice}, simulator->values,
                                simulator->after, NULL, &site))
      *ARENA_PUSH(&simulator->results, simulator->firings, simulator->firing_count, simulator->firing_cap) =
          (struct step_edge){number, choice, site};
  }
}

static void list_firings(void *data) {
  floe_simulator *simulator = ((struct query *)data)->simulator;
  for (uint32_t i = 0; i < simulator->model->transition_count; i++)
    if (interpreter_tests_hold(simulator->model, &simulator->model->transitions[i], simulator->values))
      list_choices(simulator, i);
  simulator->listed = true;
}

floe_status floe_simulator_enabled(floe_simulator *simulator, size_t *count) {
  struct query query = {.simulator = simulator};
  REQUIRE(NULL, simulator);
  REQUIRE(NULL, count);
  if (!simulator->listed) {
    simulator->firing_count = 0; /* of a listing that ran out of memory */
    FLOE_TRY(run_query(&query, list_firings));
  }
  *count = simulator->firing_count;
  return FLOE_OK;
}

floe_status floe_simulator_step_fails(floe_simulator *simulator, size_t i, bool *fails) {
  size_t count;
  REQUIRE(NULL, fails);
  FLOE_TRY(floe_simulator_enabled(simulator, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  *fails = simulator->firings[i].site != NO_SITE;
  return FLOE_OK;
}

/* ---- descriptions of steps ----------------------------------------------------------------- */

/* From `before` to `after`. */
static void query_step(void *data) {
  struct query *query = data;
  floe_simulator *simulator = query->simulator;
  struct firing firing = {query->edge, simulator->before, simulator->after, simulator->temps, NULL};
  uint32_t site;
  memcpy(simulator->after, simulator->before, simulator->model->value_count * sizeof *simulator->after);
  interpreter_fire(simulator->model, firing.edge.transition, firing.edge.choice, simulator->after, simulator->temps,
                   &site);
  if (site != NO_SITE)
    firing.cause = cause_text(simulator->model, simulator->before, firing.edge, &simulator->results);
  query->step = render_step(&simulator->renderer, &firing, &simulator->results);
}

static floe_status describe_step(floe_simulator *simulator, size_t from, struct step_edge edge, floe_step *step) {
  struct query query = {.simulator = simulator, .edge = edge};
  layout_unpack(simulator->model, simulator->layout, state_at(simulator, from), simulator->before);
  FLOE_TRY(run_query(&query, query_step));
  *step = query.step;
  return FLOE_OK;
}

floe_status floe_simulator_step(floe_simulator *simulator, size_t i, floe_step *step) {
  size_t count;
  REQUIRE(NULL, step);
  FLOE_TRY(floe_simulator_enabled(simulator, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  return describe_step(simulator, simulator->steps, simulator->firings[i], step);
}

floe_status floe_simulator_last_step(floe_simulator *simulator, floe_step *step) {
  REQUIRE(NULL, step);
  if (!has_last_step(simulator))
    return FLOE_ERROR_USAGE;
  return describe_step(simulator, simulator->steps - 1, last_edge(simulator), step);
}

uint64_t floe_simulator_hash(const floe_simulator *simulator) {
  return simulator ? engine_state_mix(state_at(simulator, simulator->steps), simulator->layout->words) : 0;
}

/* Several instances of a process may participate with the same transition, which counts once. */
static bool transition_counted(const struct transition *transition, size_t i) {
  for (size_t j = 0; j < i; j++)
    if (transition->participants[j].edge == transition->participants[i].edge)
      return true;
  return false;
}

floe_status floe_simulator_count_fired(const floe_simulator *simulator, uint64_t *fired) {
  if (!fired || !has_last_step(simulator))
    return FLOE_ERROR_USAGE;
  const struct transition *transition = &simulator->model->transitions[last_edge(simulator).transition];
  for (size_t i = 0; i < transition->participant_count; i++)
    if (!transition_counted(transition, i))
      fired[transition->participants[i].edge]++;
  return FLOE_OK;
}

/* ---- properties ---------------------------------------------------------------------------- */

/* Whether it (DEADLOCK: its `unless`) is true in the current state. Returns the site of an error, or NO_SITE. */
static uint32_t evaluate(const floe_simulator *simulator, const struct property *property, bool *truth) {
  int64_t value = 0;
  uint32_t site = NO_SITE;
  if (property->expr)
    site = interpreter_eval(simulator->model, property->expr, simulator->values, NULL, NULL, &value);
  *truth = site == NO_SITE && value != 0;
  return site;
}

static bool error_in_property(const floe_simulator *simulator, bool deadlocks, struct step_edge *error) {
  for (size_t i = 0; i < simulator->model->property_count; i++) {
    const struct property *property = &simulator->model->properties[i];
    bool truth;
    if ((property->kind == FLOE_DEADLOCK) != deadlocks)
      continue;
    *error = (struct step_edge){NO_TRANSITION, 0, evaluate(simulator, property, &truth)};
    if (error->site != NO_SITE)
      return true;
  }
  return false;
}

/* The first error: in the properties, then the firings, then `unless`. Requires simulator->listed. */
static bool find_error(const floe_simulator *simulator, struct step_edge *error) {
  if (error_in_property(simulator, false, error))
    return true;
  for (size_t i = 0; i < simulator->firing_count; i++) {
    *error = simulator->firings[i];
    if (error->site != NO_SITE)
      return true;
  }
  return simulator->firing_count == 0 && error_in_property(simulator, true, error);
}

static void query_cause(void *data) {
  struct query *query = data;
  floe_simulator *simulator = query->simulator;
  query->cause = cause_text(simulator->model, simulator->values, query->edge, &simulator->results);
}

static floe_status property_of_errors(floe_simulator *simulator, floe_property_value *out) {
  struct query query = {.simulator = simulator};
  *out = (floe_property_value){false, ""};
  if (!find_error(simulator, &query.edge))
    return FLOE_OK;
  FLOE_TRY(run_query(&query, query_cause));
  *out = (floe_property_value){true, query.cause};
  return FLOE_OK;
}

struct blocked_query {
  floe_simulator *simulator;
  struct trace_request request;
  struct floe_trace *trace;
  floe_status status;
};

static void find_blocked(void *data) {
  struct blocked_query *query = data;
  floe_simulator *simulator = query->simulator;
  query->trace = arena_alloc(&simulator->results, sizeof *query->trace);
  *query->trace = (struct floe_trace){0};
  query->status = trace_blocked_find(&query->request, simulator->values, &simulator->results, query->trace);
}

floe_status floe_simulator_blocked(floe_simulator *simulator, double seconds, const floe_trace **out) {
  size_t firings;
  struct arena scratch;
  REQUIRE(NULL, simulator);
  REQUIRE(NULL, out);
  FLOE_TRY(floe_simulator_enabled(simulator, &firings));
  if (firings > 0)
    return FLOE_ERROR_USAGE;
  struct blocked_query query = {.simulator = simulator,
                                .request = {.model = simulator->model,
                                            .layout = simulator->layout,
                                            .scratch = &scratch,
                                            .stop = {.deadline = seconds > 0 ? clock_seconds() + seconds : 0}}};
  arena_init(&scratch);
  floe_status status = arena_guard(&simulator->results, find_blocked, &query) == 0 ? query.status : FLOE_ERROR_MEMORY;
  arena_free(&scratch);
  if (status == FLOE_OK)
    *out = query.trace;
  return status;
}

floe_status floe_simulator_property(floe_simulator *simulator, size_t i, floe_property_value *out) {
  size_t firings;
  bool truth;
  REQUIRE(NULL, simulator);
  REQUIRE(NULL, out);
  if (i >= simulator->model->property_count)
    return FLOE_ERROR_USAGE;
  const struct property *property = &simulator->model->properties[i];
  FLOE_TRY(floe_simulator_enabled(simulator, &firings));
  if (property->kind == FLOE_ERRORS)
    return property_of_errors(simulator, out);
  bool sound = evaluate(simulator, property, &truth) == NO_SITE;
  bool trigger = property_kinds[property->kind].triggers_on;
  bool applies = property->kind != FLOE_DEADLOCK || firings == 0;
  *out = (floe_property_value){sound && applies && truth == trigger, ""};
  return FLOE_OK;
}
