#include "api/trace/trace.h"

#include "api/trace/error_text.h"
#include "api/trace/render.h"

#include <assert.h>
#include <string.h>

struct teller {
  const struct trace_request *request;
  const struct model *model;
  struct arena *arena;
  struct renderer renderer;
  int64_t *before, *values, *temps;
  struct floe_trace *trace;
};

static void tell_first_state(struct teller *teller) {
  struct floe_trace *trace = teller->trace;
  trace->initial = render_state(&teller->renderer, teller->values, teller->arena);
  trace->initial_count = teller->renderer.item_count;
}

static void tell_step(struct teller *teller, size_t i, struct step_edge edge, const char *cause) {
  const struct firing firing = {edge, teller->before, teller->values, teller->temps, cause};
  teller->trace->steps[i] = render_step(&teller->renderer, &firing, teller->arena);
}

/* ---- re-execution ---------------------------------------------------------------------------- */

/* Fires on teller->values, which were copied to `before`. */
static bool fire(struct teller *teller, struct step_edge edge, uint32_t *site) {
  const struct model *model = teller->model;
  if (edge.transition >= model->transition_count)
    return false;
  memcpy(teller->before, teller->values, model->value_count * sizeof *teller->values);
  teller->temps = arena_array(teller->arena, model->transitions[edge.transition].temp_count, sizeof *teller->temps);
  return interpreter_fire(model, edge.transition, edge.choice, teller->values, teller->temps, site);
}

static bool is_at(struct teller *teller, size_t i) {
  const struct trace_request *request = teller->request;
  uint32_t words = request->layout->key_words;
  uint64_t *key = arena_array(teller->arena, words, sizeof *key);
  return key_of_values(teller->model, request->layout, teller->values, key) &&
         memcmp(key, request->path->states + i * words, words * sizeof *key) == 0;
}

static floe_status replay(struct teller *teller) {
  const struct path *path = teller->request->path;
  uint32_t words = teller->request->layout->words;
  uint64_t *initial = arena_array(teller->arena, words, sizeof *initial);
  layout_initial(teller->model, teller->request->layout, initial);
  layout_unpack(teller->model, teller->request->layout, initial, teller->values); /* in fields */
  if (!is_at(teller, 0))
    return FLOE_ERROR_INTERNAL;
  tell_first_state(teller);
  for (size_t i = 0; i < path->steps; i++) {
    uint32_t site;
    if (!fire(teller, path->edges[i], &site) || site != NO_SITE || !is_at(teller, i + 1))
      return FLOE_ERROR_INTERNAL;
    tell_step(teller, i, path->edges[i], NULL);
  }
  teller->trace->last = render_state(&teller->renderer, teller->values, teller->arena);
  return FLOE_OK;
}

/* ---- the last state shows what it should ----------------------------------------------------- */

static bool shows_deadlock(struct teller *teller) {
  const struct stepper *interpreter = teller->request->interpreter;
  size_t most = interpreter->max_successors;
  uint64_t *successors = arena_array(teller->arena, most, interpreter->words * sizeof *successors);
  struct step_edge *edges = arena_array(teller->arena, most, sizeof *edges);
  return interpreter->expand_one(interpreter, teller->request->violation->state, successors, edges) == 0;
}

/* The error is one of a property (or of the `unless` of a deadlock, where that is asked for). Each
   is evaluated by itself: properties that the run had no more questions about may fail as well. */
static bool fails_in_property(struct teller *teller) {
  const struct model *model = teller->model;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    int64_t value;
    if (property->expr &&
        interpreter_eval(model, property->expr, teller->values, NULL, NULL, &value) == teller->request->failing.site)
      return property->kind != FLOE_DEADLOCK || shows_deadlock(teller);
  }
  return false;
}

static bool shows_failure(struct teller *teller) {
  const struct trace_request *request = teller->request;
  if (request->failing.transition == NO_TRANSITION)
    return fails_in_property(teller);
  uint32_t site;
  if (!fire(teller, request->failing, &site) || site != request->failing.site)
    return false;
  tell_step(teller, request->path->steps, request->failing,
            cause_text(teller->model, teller->before, request->failing, teller->arena));
  return true;
}

static bool shows_property(struct teller *teller) {
  const struct trace_request *request = teller->request;
  const struct property *property = &teller->model->properties[request->property];
  if (property->kind == FLOE_ERRORS)
    return shows_failure(teller);
  trace_parts_add(teller->model, property->expr, teller->values, NULL, NULL, teller->arena, &teller->trace->parts);
  if (property->kind == FLOE_DEADLOCK)
    return shows_deadlock(teller);
  struct step_error error;
  uint64_t triggered = request->interpreter->properties(request->interpreter, request->violation->state, &error);
  return triggered >> request->property & 1;
}

floe_status trace_make(const struct trace_request *request, struct arena *arena, const floe_trace **out) {
  const struct model *model = request->model;
  const struct property *property = &model->properties[request->property];
  bool failing = property->kind == FLOE_ERRORS && request->failing.transition != NO_TRANSITION;
  size_t steps = request->path->steps + (size_t)failing;
  assert(request->path->steps == request->violation->depth);
  struct floe_trace *trace = arena_alloc(arena, sizeof *trace);
  trace->steps = arena_array(arena, steps, sizeof *trace->steps);
  trace->step_count = steps;
  struct teller teller = {.request = request, .model = model, .arena = arena, .trace = trace};
  teller.before = arena_array(arena, model->value_count, sizeof *teller.before);
  teller.values = arena_array(arena, model->value_count, sizeof *teller.values);
  renderer_init(&teller.renderer, model, arena);
  FLOE_TRY(replay(&teller));
  if (!shows_property(&teller))
    return FLOE_ERROR_INTERNAL;
  if (property->kind == FLOE_DEADLOCK)
    FLOE_TRY(trace_waits(request, teller.values, arena, trace));
  *out = trace;
  return FLOE_OK;
}
