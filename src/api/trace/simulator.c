/* Walks: the interpreter, one step at a time. */
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

struct floe_walk {
  const struct model *model;
  const struct layout *layout;
  struct arena lasting; /* names of items, value arrays */
  struct renderer renderer;
  uint64_t *states; /* [steps - forgotten + 1][words], packed: the state before the first step kept comes first */
  struct step_edge *edges; /* [steps - forgotten] */
  size_t steps, forgotten; /* of all steps the first ones, of which nothing is kept */
  size_t capacity;         /* of states; edges have room for as many */
  int64_t *values;         /* the present state */
  int64_t *before, *after, *temps;
  struct arena passing; /* what was told of the present state: emptied when the walk moves */
  struct step_edge *firings;
  size_t firing_count, firing_cap;
  bool listed; /* the firings are */
};

static uint64_t *state_at(const floe_walk *walk, size_t step) {
  return walk->states + (step - walk->forgotten) * walk->layout->words;
}

static bool knows_last(const floe_walk *walk) { return walk && walk->steps > walk->forgotten; }
static struct step_edge last_edge(const floe_walk *walk) { return walk->edges[walk->steps - walk->forgotten - 1]; }

/* What was told is of another state. */
static void forget(floe_walk *walk) {
  arena_free(&walk->passing);
  walk->firings = NULL;
  walk->firing_count = walk->firing_cap = 0;
  walk->listed = false;
}

/* ---- to and fro ---------------------------------------------------------------------------- */

static void prepare(void *data) {
  floe_walk *walk = data;
  struct arena *arena = &walk->lasting;
  const struct model *model = walk->model;
  size_t temps = 0;
  for (size_t i = 0; i < model->transition_count; i++)
    if (model->transitions[i].temp_count > temps)
      temps = model->transitions[i].temp_count;
  walk->values = arena_array(arena, model->value_count, sizeof *walk->values);
  walk->before = arena_array(arena, model->value_count, sizeof *walk->before);
  walk->after = arena_array(arena, model->value_count, sizeof *walk->after);
  walk->temps = arena_array(arena, temps, sizeof *walk->temps);
  renderer_init(&walk->renderer, model, arena);
}

static bool make_room(floe_walk *walk) {
  if (walk->steps - walk->forgotten + 1 < walk->capacity)
    return true;
  size_t capacity = walk->capacity ? 2 * walk->capacity : FIRST_STATES;
  size_t words = walk->layout->words;
  uint64_t *states = mem_resize(walk->states, capacity * words * sizeof *states);
  if (states)
    walk->states = states;
  struct step_edge *edges = mem_resize(walk->edges, capacity * sizeof *edges);
  if (edges)
    walk->edges = edges;
  if (!states || !edges)
    return false;
  walk->capacity = capacity;
  return true;
}

floe_status floe_walk_create(floe_model *model, floe_log *log, floe_walk **out) {
  uint32_t bound;
  WANT(log, model);
  WANT(log, out);
  FLOE_TRY(floe_model_check(model, log));
  FLOE_TRY(successor_bound(model->model, log, &bound));
  floe_walk *walk = mem_alloc(sizeof *walk);
  if (!walk)
    return no_memory(log);
  walk->model = model->model;
  walk->layout = model->layout;
  arena_init(&walk->lasting);
  arena_init(&walk->passing);
  if (arena_guard(&walk->lasting, prepare, walk) != 0 || !make_room(walk)) {
    floe_walk_free(walk);
    return no_memory(log);
  }
  floe_walk_restart(walk);
  *out = walk;
  return FLOE_OK;
}

void floe_walk_free(floe_walk *walk) {
  if (!walk)
    return;
  arena_free(&walk->passing);
  arena_free(&walk->lasting);
  mem_free(walk->states);
  mem_free(walk->edges);
  mem_free(walk);
}

size_t floe_walk_steps(const floe_walk *walk) { return walk ? walk->steps : 0; }

floe_status floe_walk_fire(floe_walk *walk, size_t i) {
  size_t count;
  FLOE_TRY(floe_walk_firings(walk, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  struct step_edge edge = walk->firings[i];
  if (edge.site != NO_SITE)
    return FLOE_ERROR_MODEL;
  if (!make_room(walk))
    return FLOE_ERROR_MEMORY;
  uint32_t site;
  interpreter_fire(walk->model, edge.transition, edge.choice, walk->values, NULL, &site);
  walk->edges[walk->steps++ - walk->forgotten] = edge;
  layout_pack(walk->model, walk->layout, walk->values, state_at(walk, walk->steps));
  forget(walk);
  return FLOE_OK;
}

floe_status floe_walk_undo(floe_walk *walk) {
  if (!knows_last(walk))
    return FLOE_ERROR_USAGE;
  walk->steps--;
  layout_unpack(walk->model, walk->layout, state_at(walk, walk->steps), walk->values);
  forget(walk);
  return FLOE_OK;
}

void floe_walk_restart(floe_walk *walk) {
  if (!walk)
    return;
  walk->steps = walk->forgotten = 0;
  layout_initial(walk->model, walk->layout, walk->states);
  layout_unpack(walk->model, walk->layout, walk->states, walk->values);
  forget(walk);
}

void floe_walk_forget(floe_walk *walk) {
  if (!walk)
    return;
  memmove(walk->states, state_at(walk, walk->steps), walk->layout->words * sizeof *walk->states);
  walk->forgotten = walk->steps;
}

/* ---- the present state --------------------------------------------------------------------- */

/* A question about the present state, and what it wants to know. */
struct question {
  floe_walk *walk;
  size_t i;
  const floe_change *state;
  struct step_edge edge;
  floe_step step;
  const char *cause;
};

static floe_status ask(struct question *question, void (*body)(void *)) {
  return arena_guard(&question->walk->passing, body, question) == 0 ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static void tell_state(void *data) {
  struct question *question = data;
  floe_walk *walk = question->walk;
  question->state = render_state(&walk->renderer, walk->values, &walk->passing);
}

floe_status floe_walk_state(floe_walk *walk, const floe_change **values, size_t *count) {
  struct question question = {.walk = walk};
  WANT(NULL, walk);
  WANT(NULL, values);
  WANT(NULL, count);
  FLOE_TRY(ask(&question, tell_state));
  *values = question.state;
  *count = walk->renderer.item_count;
  return FLOE_OK;
}

static void list_choices(floe_walk *walk, uint32_t number) {
  const struct transition *transition = &walk->model->transitions[number];
  uint32_t choices = (uint32_t)transition_choices(transition);
  for (uint32_t choice = 0; choice < choices; choice++) {
    uint32_t site;
    if (interpreter_try(walk->model, transition, choice, walk->values, walk->after, NULL, &site))
      *ARENA_PUSH(&walk->passing, walk->firings, walk->firing_count, walk->firing_cap) =
          (struct step_edge){number, choice, site};
  }
}

static void list_firings(void *data) {
  floe_walk *walk = ((struct question *)data)->walk;
  for (uint32_t i = 0; i < walk->model->transition_count; i++)
    if (interpreter_tests_hold(walk->model, &walk->model->transitions[i], walk->values))
      list_choices(walk, i);
  walk->listed = true;
}

floe_status floe_walk_firings(floe_walk *walk, size_t *count) {
  struct question question = {.walk = walk};
  WANT(NULL, walk);
  WANT(NULL, count);
  if (!walk->listed) {
    walk->firing_count = 0; /* of a listing that ran out of memory */
    FLOE_TRY(ask(&question, list_firings));
  }
  *count = walk->firing_count;
  return FLOE_OK;
}

floe_status floe_walk_fails(floe_walk *walk, size_t i, bool *fails) {
  size_t count;
  WANT(NULL, fails);
  FLOE_TRY(floe_walk_firings(walk, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  *fails = walk->firings[i].site != NO_SITE;
  return FLOE_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* From walk->before, to walk->after. */
static void tell_step(void *data) {
  struct question *question = data;
  floe_walk *walk = question->walk;
  struct firing firing = {question->edge, walk->before, walk->after, walk->temps, NULL};
  uint32_t site;
  memcpy(walk->after, walk->before, walk->model->value_count * sizeof *walk->after);
  interpreter_fire(walk->model, firing.edge.transition, firing.edge.choice, walk->after, walk->temps, &site);
  if (site != NO_SITE)
    firing.cause = cause_text(walk->model, walk->before, firing.edge, &walk->passing);
  question->step = render_step(&walk->renderer, &firing, &walk->passing);
}

static floe_status describe(floe_walk *walk, size_t from, struct step_edge edge, floe_step *step) {
  struct question question = {.walk = walk, .edge = edge};
  layout_unpack(walk->model, walk->layout, state_at(walk, from), walk->before);
  FLOE_TRY(ask(&question, tell_step));
  *step = question.step;
  return FLOE_OK;
}

floe_status floe_walk_firing(floe_walk *walk, size_t i, floe_step *step) {
  size_t count;
  WANT(NULL, step);
  FLOE_TRY(floe_walk_firings(walk, &count));
  if (i >= count)
    return FLOE_ERROR_USAGE;
  return describe(walk, walk->steps, walk->firings[i], step);
}

floe_status floe_walk_last(floe_walk *walk, floe_step *step) {
  WANT(NULL, step);
  if (!knows_last(walk))
    return FLOE_ERROR_USAGE;
  return describe(walk, walk->steps - 1, last_edge(walk), step);
}

uint64_t floe_walk_hash(const floe_walk *walk) {
  return walk ? engine_state_mix(state_at(walk, walk->steps), walk->layout->words) : 0;
}

/* Several instances of one process may take part by the same transition. */
static bool transition_counted(const struct transition *transition, size_t i) {
  for (size_t j = 0; j < i; j++)
    if (transition->participants[j].edge == transition->participants[i].edge)
      return true;
  return false;
}

floe_status floe_walk_count(const floe_walk *walk, uint64_t *fired) {
  if (!fired || !knows_last(walk))
    return FLOE_ERROR_USAGE;
  const struct transition *transition = &walk->model->transitions[last_edge(walk).transition];
  for (size_t i = 0; i < transition->participant_count; i++)
    if (!transition_counted(transition, i))
      fired[transition->participants[i].edge]++;
  return FLOE_OK;
}

/* ---- properties ---------------------------------------------------------------------------- */

/* Is it true (DEADLOCK: `unless` is) in the present state? An error in it is found elsewhere. */
static uint32_t evaluate(const floe_walk *walk, const struct property *property, bool *truth) {
  int64_t value = 0;
  uint32_t site = NO_SITE;
  if (property->expr)
    site = interpreter_eval(walk->model, property->expr, walk->values, NULL, NULL, &value);
  *truth = site == NO_SITE && value != 0;
  return site;
}

static bool error_in_property(const floe_walk *walk, bool deadlocks, struct step_edge *error) {
  for (size_t i = 0; i < walk->model->property_count; i++) {
    const struct property *property = &walk->model->properties[i];
    bool truth;
    if ((property->kind == FLOE_DEADLOCK) != deadlocks)
      continue;
    *error = (struct step_edge){NO_TRANSITION, 0, evaluate(walk, property, &truth)};
    if (error->site != NO_SITE)
      return true;
  }
  return false;
}

/* The first: of the properties, then of the firings, then of `unless`. The firings are listed. */
static bool find_error(const floe_walk *walk, struct step_edge *error) {
  if (error_in_property(walk, false, error))
    return true;
  for (size_t i = 0; i < walk->firing_count; i++) {
    *error = walk->firings[i];
    if (error->site != NO_SITE)
      return true;
  }
  return walk->firing_count == 0 && error_in_property(walk, true, error);
}

static void tell_cause(void *data) {
  struct question *question = data;
  floe_walk *walk = question->walk;
  question->cause = cause_text(walk->model, walk->values, question->edge, &walk->passing);
}

static floe_status observe_errors(floe_walk *walk, floe_observation *out) {
  struct question question = {.walk = walk};
  *out = (floe_observation){false, ""};
  if (!find_error(walk, &question.edge))
    return FLOE_OK;
  FLOE_TRY(ask(&question, tell_cause));
  *out = (floe_observation){true, question.cause};
  return FLOE_OK;
}

struct wait_question {
  floe_walk *walk;
  struct trace_request request;
  struct floe_trace *trace;
  floe_status status;
};

static void find_waits(void *data) {
  struct wait_question *question = data;
  floe_walk *walk = question->walk;
  question->trace = arena_alloc(&walk->passing, sizeof *question->trace);
  *question->trace = (struct floe_trace){0};
  question->status = trace_waits(&question->request, walk->values, &walk->passing, question->trace);
}

floe_status floe_walk_waits(floe_walk *walk, double seconds, const floe_trace **out) {
  size_t firings;
  struct arena scratch, indexed;
  WANT(NULL, walk);
  WANT(NULL, out);
  FLOE_TRY(floe_walk_firings(walk, &firings));
  if (firings > 0)
    return FLOE_ERROR_USAGE;
  struct wait_question question = {.walk = walk,
                                   .request = {.model = walk->model,
                                               .layout = walk->layout,
                                               .scratch = &scratch,
                                               .indexed = &indexed,
                                               .stop = {.deadline = seconds > 0 ? clock_seconds() + seconds : 0}}};
  arena_init(&scratch);
  arena_init(&indexed);
  floe_status status = arena_guard(&walk->passing, find_waits, &question) == 0 ? question.status : FLOE_ERROR_MEMORY;
  arena_free(&scratch);
  arena_free(&indexed);
  if (status == FLOE_OK)
    *out = question.trace;
  return status;
}

floe_status floe_walk_property(floe_walk *walk, size_t i, floe_observation *out) {
  size_t firings;
  bool truth;
  WANT(NULL, walk);
  WANT(NULL, out);
  if (i >= walk->model->property_count)
    return FLOE_ERROR_USAGE;
  const struct property *property = &walk->model->properties[i];
  FLOE_TRY(floe_walk_firings(walk, &firings));
  if (property->kind == FLOE_ERRORS)
    return observe_errors(walk, out);
  bool sound = evaluate(walk, property, &truth) == NO_SITE;
  bool wanted = property_kinds[property->kind].triggers_on;
  bool applies = property->kind != FLOE_DEADLOCK || firings == 0;
  *out = (floe_observation){sound && applies && truth == wanted, ""};
  return FLOE_OK;
}
