/* Properties and blocked transitions in an expanded state. */
#include "api/states/expansion.h"

#include "api/trace/error_text.h"
#include "api/trace/trace.h"
#include "core/usage.h"
#include "model/property_kind.h"
#include "step/state_properties.h"

/* Whether it (DEADLOCK: its `unless`) is true in the state. Returns the site of an error, or NO_SITE. */
static uint32_t evaluate(const floe_expansion *expansion, const struct property *property, bool *truth) {
  int64_t value = 0;
  uint32_t site = NO_SITE;
  if (property->expr)
    site = interpreter_eval(expansion->model, property->expr, expansion->values, NULL, NULL, &value);
  *truth = site == NO_SITE && value != 0;
  return site;
}

static bool is_deadlock(const floe_expansion *expansion) {
  return state_is_deadlock(expansion->model, expansion->values, expansion->edges, expansion->count, expansion->after);
}

static bool error_in_property(const floe_expansion *expansion, bool deadlocks, struct step_edge *error) {
  for (size_t i = 0; i < expansion->model->property_count; i++) {
    const struct property *property = &expansion->model->properties[i];
    bool truth;
    if ((property->kind == FLOE_DEADLOCK) != deadlocks)
      continue;
    *error = (struct step_edge){NO_TRANSITION, 0, evaluate(expansion, property, &truth)};
    if (error->site != NO_SITE)
      return true;
  }
  return false;
}

/* The first error: in the properties, then the firings, then `unless`. */
static bool find_error(const floe_expansion *expansion, struct step_edge *error) {
  if (!floe_expansion_is_transient(expansion) && error_in_property(expansion, false, error))
    return true;
  for (size_t i = 0; i < expansion->count; i++) {
    *error = expansion->edges[i];
    if (error->site != NO_SITE)
      return true;
  }
  return is_deadlock(expansion) && error_in_property(expansion, true, error);
}

struct cause_query {
  floe_expansion *expansion;
  struct step_edge edge;
  const char *cause;
};

static void find_cause(void *data) {
  struct cause_query *query = data;
  floe_expansion *expansion = query->expansion;
  query->cause = cause_text(expansion->model, expansion->values, query->edge, &expansion->arena);
}

static floe_status property_of_errors(floe_expansion *expansion, floe_property_value *out) {
  struct cause_query query = {.expansion = expansion};
  *out = (floe_property_value){false, ""};
  if (!find_error(expansion, &query.edge))
    return FLOE_OK;
  if (arena_guard(&expansion->arena, find_cause, &query) != 0)
    return FLOE_ERROR_MEMORY;
  *out = (floe_property_value){true, query.cause};
  return FLOE_OK;
}

floe_status floe_expansion_property(floe_expansion *expansion, size_t i, floe_property_value *out) {
  bool truth;
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, out);
  if (i >= expansion->model->property_count)
    return FLOE_ERROR_USAGE;
  const struct property *property = &expansion->model->properties[i];
  if (property->kind == FLOE_ERRORS)
    return property_of_errors(expansion, out);
  const bool sound = evaluate(expansion, property, &truth) == NO_SITE;
  const bool trigger = property_kinds[property->kind].triggers_on;
  const bool applies = property_kind_is_local(property->kind) && !floe_expansion_is_transient(expansion) &&
                       (property->kind != FLOE_DEADLOCK || is_deadlock(expansion));
  *out = (floe_property_value){sound && applies && truth == trigger, ""};
  return FLOE_OK;
}

struct blocked_query {
  floe_expansion *expansion;
  struct trace_request request;
  struct floe_trace *trace;
  floe_status status;
};

static void find_blocked(void *data) {
  struct blocked_query *query = data;
  floe_expansion *expansion = query->expansion;
  query->trace = arena_alloc(&expansion->arena, sizeof *query->trace);
  query->status = trace_blocked_find(&query->request, expansion->values, &expansion->arena, query->trace);
}

floe_status floe_expansion_blocked(floe_expansion *expansion, double seconds, const floe_trace **out) {
  struct arena scratch;
  REQUIRE(NULL, expansion);
  REQUIRE(NULL, out);
  struct blocked_query query = {.expansion = expansion,
                                .request = {.model = expansion->model,
                                            .layout = expansion->layout,
                                            .scratch = &scratch,
                                            .stop = {.deadline = seconds > 0 ? clock_seconds() + seconds : 0}}};
  arena_init(&scratch);
  const bool enough = arena_guard(&expansion->arena, find_blocked, &query) == 0;
  arena_free(&scratch);
  if (!enough || query.status != FLOE_OK)
    return enough ? query.status : FLOE_ERROR_MEMORY;
  *out = query.trace;
  return FLOE_OK;
}
