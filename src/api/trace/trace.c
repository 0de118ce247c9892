#include "api/trace/trace.h"

#include "api/trace/error_text.h"
#include "api/trace/printed.h"
#include "api/trace/render.h"
#include "api/trace/step_firings.h"
#include "model/property_kind.h"
#include "model/transitions/successor_bound.h"
#include "step/state_properties.h"

#include <assert.h>
#include <string.h>

struct trace_builder {
  const struct trace_request *request;
  const struct model *model;
  struct arena *arena;
  struct renderer renderer;
  int64_t *before, *values, *temps;
  struct floe_trace *trace;
  size_t capacity; /* of its steps */
  size_t printed_count, printed_capacity;
  struct tool_step *tool_steps;
  size_t tool_count, tool_capacity;
  struct step_firings firings; /* of a step of the path */
};

static void add_first_state(struct trace_builder *builder) {
  struct floe_trace *trace = builder->trace;
  trace->initial = render_state(&builder->renderer, builder->values, builder->arena);
  trace->variable_count = builder->renderer.item_count;
}

/* The step as the tool of the language shows it. */
static void add_tool_step(struct trace_builder *builder, const struct tool_firing *firing) {
  struct floe_trace *trace = builder->trace;
  const struct tool_view *view = builder->model->tool;
  const struct tool_step *last = builder->tool_count ? &builder->tool_steps[builder->tool_count - 1] : NULL;
  struct tool_step step = {0};
  view->tool->describe_step(view, firing, last, builder->arena, &step);
  if (step.unplayable && !*trace->unplayable)
    trace->unplayable = step.unplayable;
  *ARENA_PUSH(builder->arena, builder->tool_steps, builder->tool_count, builder->tool_capacity) = step;
}

static void add_printed(struct trace_builder *builder, struct step_edge edge, const char *cause) {
  const struct model *model = builder->model;
  const struct transition *transition = &model->transitions[edge.transition];
  const char *text = printed_text(model, transition, builder->before, builder->arena);
  *ARENA_PUSH(builder->arena, builder->trace->printed, builder->printed_count, builder->printed_capacity) = text;
  if (model->tool)
    add_tool_step(builder, &(struct tool_firing){model, transition, builder->before, cause, text});
}

static void add_step(struct trace_builder *builder, struct step_edge edge, const char *cause) {
  struct floe_trace *trace = builder->trace;
  const struct firing firing = {edge, builder->before, builder->values, builder->temps, cause};
  *ARENA_PUSH(builder->arena, trace->steps, trace->step_count, builder->capacity) =
      render_step(&builder->renderer, &firing, builder->arena);
  add_printed(builder, edge, cause);
}

static void add_last_state(struct trace_builder *builder) {
  struct floe_trace *trace = builder->trace;
  const struct tool_view *view = builder->model->tool;
  trace->last = render_state(&builder->renderer, builder->values, builder->arena);
  if (view)
    view->tool->describe_end(view, builder->model, builder->values, builder->arena, &trace->tool_trace.end);
}

static void finish(struct trace_builder *builder) {
  struct floe_trace *trace = builder->trace;
  trace->tool_trace.steps = builder->tool_steps;
  trace->tool_trace.count = builder->tool_count;
  trace->tool_trace.loop = trace->repeats ? trace->loop : FLOE_NO_LOOP;
}

/* ---- replay ---------------------------------------------------------------------------------- */

/* Fires on builder->values, which were copied to `before`. */
static bool fire(struct trace_builder *builder, struct step_edge edge, uint32_t *site) {
  const struct model *model = builder->model;
  if (edge.transition >= model->transition_count)
    return false;
  memcpy(builder->before, builder->values, model->value_count * sizeof *builder->values);
  builder->temps = arena_array(builder->arena, model->transitions[edge.transition].temp_count, sizeof *builder->temps);
  return interpreter_fire(model, edge.transition, edge.choice, builder->values, builder->temps, site);
}

static bool is_at(struct trace_builder *builder, size_t i) {
  const struct trace_request *request = builder->request;
  uint32_t words = request->layout->key_words;
  uint64_t *key = arena_array(builder->arena, words, sizeof *key);
  return key_of_values(builder->model, request->layout, builder->values, key) &&
         memcmp(key, request->path->states + i * words, words * sizeof *key) == 0;
}

/* ---- symmetry reduction ------------------------------------------------------------------------

   The states of the path are canonical forms, and its edges are their firings. A run of the model has a permutation of
   each state, and a permuted firing leads from one to the next. */

/* Tries the firings of builder->values in order, up to one that `accept` accepts; its values are then the successor's,
   if it has no error. */
static bool fire_some(struct trace_builder *builder, size_t i, struct step_edge *edge,
                      bool (*accept)(struct trace_builder *builder, size_t i, uint32_t site)) {
  const struct model *model = builder->model;
  const size_t bytes = model->value_count * sizeof *builder->values;
  int64_t *values = arena_array(builder->arena, model->value_count, sizeof *values);
  memcpy(values, builder->values, bytes);
  for (uint32_t t = 0; t < model->transition_count; t++)
    for (uint32_t choice = 0; choice < transition_choices(&model->transitions[t]); choice++) {
      *edge = (struct step_edge){.transition = t, .choice = choice};
      memcpy(builder->values, values, bytes);
      if (fire(builder, *edge, &edge->site) && accept(builder, i, edge->site))
        return true;
    }
  return false;
}

static bool leads_to(struct trace_builder *builder, size_t i, uint32_t site) {
  return site == NO_SITE && is_at(builder, i);
}

static bool fails(struct trace_builder *builder, size_t i, uint32_t site) {
  (void)builder, (void)i;
  return site != NO_SITE;
}

/* ---- steps of the path ------------------------------------------------------------------------- */

/* The firings of a step, with transient states between them. `i`: of its end; the last firing may fail. */
static floe_status find_firings(struct trace_builder *builder, struct step_edge edge, size_t i) {
  const struct trace_request *request = builder->request;
  const struct step_request step = {.model = builder->model,
                                    .layout = request->layout,
                                    .values = builder->values,
                                    .single = request->single,
                                    .edge = edge,
                                    .end = request->path->states + i * request->layout->key_words};
  return step_firings_find(&step, builder->arena, &builder->firings);
}

/* Fires all but the last `left` firings. */
static bool fire_sequence(struct trace_builder *builder, size_t left) {
  for (size_t i = 0; i + left < builder->firings.count; i++) {
    const struct sequence_firing firing = builder->firings.firings[i];
    const struct step_edge edge = {firing.transition, firing.choice, NO_SITE};
    uint32_t site;
    if (!fire(builder, edge, &site) || site != NO_SITE)
      return false;
    add_step(builder, edge, NULL);
  }
  return true;
}

/* Fires edge i of the path, or the one that stands for it. */
static floe_status fire_step(struct trace_builder *builder, size_t i) {
  struct step_edge edge = builder->request->path->edges[i];
  if (builder->request->layout->canonical) {
    if (!fire_some(builder, i + 1, &edge, leads_to))
      return FLOE_ERROR_INTERNAL;
    add_step(builder, edge, NULL);
    return FLOE_OK;
  }
  FLOE_TRY(find_firings(builder, edge, i + 1));
  return fire_sequence(builder, 0) && is_at(builder, i + 1) ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

/* Fires the failing edge, or one that stands for it. *edge: the firing that fails. */
static floe_status fire_failing(struct trace_builder *builder, struct step_edge *edge) {
  uint32_t site;
  *edge = builder->request->failing;
  if (builder->request->layout->canonical)
    return fire_some(builder, 0, edge, fails) ? FLOE_OK : FLOE_ERROR_INTERNAL;
  FLOE_TRY(find_firings(builder, *edge, 0));
  if (!fire_sequence(builder, 1) || !fire(builder, *edge, &site))
    return FLOE_ERROR_INTERNAL;
  const bool whole = builder->model->transient && edge->site == builder->model->transient->exceeded;
  return whole || site == edge->site ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

static floe_status replay(struct trace_builder *builder) {
  const struct path *path = builder->request->path;
  uint32_t words = builder->request->layout->words;
  uint64_t *initial = arena_array(builder->arena, words, sizeof *initial);
  layout_initial(builder->model, builder->request->layout, initial);
  layout_unpack(builder->model, builder->request->layout, initial, builder->values); /* in fields */
  if (!is_at(builder, 0))
    return FLOE_ERROR_INTERNAL;
  add_first_state(builder);
  for (size_t i = 0; i < path->steps; i++)
    FLOE_TRY(fire_step(builder, i));
  add_last_state(builder);
  return FLOE_OK;
}

/* ---- the last state shows the violation ------------------------------------------------------ */

static bool shows_deadlock(struct trace_builder *builder) {
  const struct trace_request *request = builder->request;
  const struct stepper *interpreter = request->interpreter;
  size_t most = interpreter->max_successors;
  uint64_t *successors = arena_array(builder->arena, most, interpreter->words * sizeof *successors);
  struct step_edge *edges = arena_array(builder->arena, most, sizeof *edges);
  int64_t *values = arena_array(builder->arena, builder->model->value_count, sizeof *values);
  const size_t n = interpreter->expand_one(interpreter, request->violation->state, successors, edges);
  key_values(builder->model, request->layout, request->violation->state, values);
  return state_is_deadlock(builder->model, values, edges, n, builder->before);
}

/* The error is in a property, or in the `unless` of the deadlock check. Each is evaluated by itself: properties that
   the run had already decided may fail as well. */
static bool fails_in_property(struct trace_builder *builder) {
  const struct model *model = builder->model;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    int64_t value;
    const uint32_t site =
        property->expr ? interpreter_eval(model, property->expr, builder->values, NULL, NULL, &value) : NO_SITE;
    if (site == builder->request->failing.site || (builder->request->layout->canonical && site != NO_SITE))
      return property->kind != FLOE_DEADLOCK || shows_deadlock(builder);
  }
  return false;
}

static floe_status shows_failure(struct trace_builder *builder) {
  const struct trace_request *request = builder->request;
  if (request->failing.transition == NO_TRANSITION)
    return fails_in_property(builder) ? FLOE_OK : FLOE_ERROR_INTERNAL;
  struct step_edge failing;
  FLOE_TRY(fire_failing(builder, &failing));
  add_step(builder, failing, cause_text(builder->model, builder->before, failing, builder->arena));
  return FLOE_OK;
}

static bool is_false(const struct trace_builder *builder, const struct expr *expr) {
  int64_t value;
  return interpreter_eval(builder->model, expr, builder->values, NULL, NULL, &value) == NO_SITE && value == 0;
}

static floe_status shows_property(struct trace_builder *builder) {
  const struct trace_request *request = builder->request;
  const struct property *property = &builder->model->properties[request->property];
  if (property->kind == FLOE_ERRORS)
    return shows_failure(builder);
  const struct subexpression_scope scope = {
      .model = builder->model, .values = builder->values, .arena = builder->arena};
  if (property->at != NOWHERE) /* it is written in the model */
    trace_subexpressions_add(&scope, property->expr, &builder->trace->subexpressions);
  if (property->kind == FLOE_DEADLOCK)
    return shows_deadlock(builder) ? FLOE_OK : FLOE_ERROR_INTERNAL;
  if (property_kinds[property->kind].passes)
    return is_false(builder, property->expr) ? FLOE_OK : FLOE_ERROR_INTERNAL;
  struct step_error error;
  uint64_t triggered = request->interpreter->properties(request->interpreter, request->violation->state, &error);
  return triggered >> request->property & 1 ? FLOE_OK : FLOE_ERROR_INTERNAL;
}

static struct floe_trace *begin(struct trace_builder *builder, size_t steps) {
  struct arena *arena = builder->arena;
  const size_t values = builder->model->value_count;
  struct floe_trace *trace = builder->trace = arena_alloc(arena, sizeof *trace);
  trace->steps = arena_array(arena, steps, sizeof *trace->steps);
  builder->capacity = steps;
  builder->before = arena_array(arena, values, sizeof *builder->before);
  builder->values = arena_array(arena, values, sizeof *builder->values);
  const struct tool_view *view = builder->model->tool;
  trace->tool = view ? view->tool : NULL;
  trace->unplayable = view ? arena_copy(arena, view->unplayable, strlen(view->unplayable)) : "";
  renderer_init(&builder->renderer, builder->model, arena);
  renderer_add_names(&builder->renderer, arena);
  return trace;
}

floe_status trace_make_loop(const struct trace_request *request, uint32_t loop, struct arena *arena,
                            struct floe_trace **out) {
  const struct path *path = request->path;
  const uint32_t words = request->layout->key_words;
  struct trace_builder builder = {.request = request, .model = request->model, .arena = arena};
  struct floe_trace *trace = begin(&builder, path->steps);
  assert(loop <= path->steps);
  FLOE_TRY(replay(&builder));
  if (memcmp(path->states + loop * words, path->states + path->steps * words, words * sizeof *path->states) != 0)
    return FLOE_ERROR_INTERNAL;
  trace->repeats = true;
  trace->loop = loop;
  finish(&builder);
  *out = trace;
  return FLOE_OK;
}

floe_status trace_make(const struct trace_request *request, struct arena *arena, const floe_trace **out) {
  const struct model *model = request->model;
  const struct property *property = &model->properties[request->property];
  bool failing = property->kind == FLOE_ERRORS && request->failing.transition != NO_TRANSITION;
  size_t steps = request->path->steps + (size_t)failing;
  assert(request->path->steps == request->violation->depth);
  struct trace_builder builder = {.request = request, .model = model, .arena = arena};
  struct floe_trace *trace = begin(&builder, steps);
  FLOE_TRY(replay(&builder));
  FLOE_TRY(shows_property(&builder));
  if (property->kind == FLOE_DEADLOCK)
    FLOE_TRY(trace_blocked_find(request, builder.values, arena, trace));
  finish(&builder);
  *out = trace;
  return FLOE_OK;
}
