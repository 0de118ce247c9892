/* Blocked transitions in a state: for each transition from the location of an instance, the conditions that are
   false (api/trace/conditions.h). */
#include "api/trace/conditions.h"
#include "api/trace/render.h"
#include "api/trace/trace.h"
#include "model/process.h"

#include <string.h>

/* The choice (selected values) that comes nearest to firing. */
struct nearest {
  bool any;
  uint64_t choice;
  struct condition_truth truth;
};

struct blocked_search {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
  struct arena *scratch; /* for one transition of one instance */
  const struct stop *stop;
  struct floe_trace *trace;
  uint32_t process;
  const struct edge *edge;
  floe_obstacle *obstacles;
  size_t count, cap;
  struct conditions conditions; /* of the edge, in `scratch` */
  struct attempt attempt;
  struct nearest nearest;
  uint64_t tried; /* choices */
  bool late;      /* the time limit was reached */
};

/* ---- nearest choice -------------------------------------------------------------------------- */

#define CLOCK_EVERY 1024 /* choices between two reads of the clock */

static bool is_late(struct blocked_search *w) {
  if (w->tried++ % CLOCK_EVERY == 0)
    w->late |= stop_requested(w->stop);
  return w->late;
}

static void find_nearest(void *data) {
  struct blocked_search *w = data;
  int64_t *selects = arena_array(w->scratch, w->edge->select_count, sizeof *selects);
  const uint64_t choices = edge_choices(w->model, w->attempt.edge, w->attempt.instance);
  w->attempt.selects = selects;
  w->attempt.scratch = arena_array(w->scratch, conditions_scratch(w->model), sizeof(int64_t));
  w->nearest = (struct nearest){0};
  conditions_list(w->model, w->attempt.edge, w->scratch, &w->conditions);
  for (uint64_t choice = 0; choice < choices && !is_late(w); choice++) {
    edge_choice_values(w->edge, w->attempt.instance, choice, selects);
    const struct condition_truth truth = conditions_evaluate(&w->conditions, &w->attempt);
    if (!w->nearest.any || conditions_nearer(truth.met, w->nearest.truth.met))
      w->nearest = (struct nearest){true, choice, truth};
  }
  if (w->nearest.any)
    edge_choice_values(w->edge, w->attempt.instance, w->nearest.choice, selects);
}

/* ---- obstacles ------------------------------------------------------------------------------- */

static floe_obstacle *add_obstacle(struct blocked_search *w, floe_obstacle_kind kind, const char *text) {
  floe_obstacle *obstacle = ARENA_PUSH(w->arena, w->obstacles, w->count, w->cap);
  *obstacle = (floe_obstacle){.kind = kind, .text = text};
  return obstacle;
}

/* Values of the subexpressions of a false guard, without the guard itself. */
static void set_values(const struct blocked_search *w, uint8_t condition, floe_obstacle *obstacle) {
  struct trace_subexpressions parts = {0};
  const struct subexpression_scope scope = {w->model, w->values, w->attempt.selects, attempt_message(&w->attempt),
                                            w->edge,  w->arena};
  for (size_t i = w->conditions.first[condition]; i < w->conditions.end[condition] && !w->edge->otherwise; i++)
    if (w->conditions.listed[i])
      trace_subexpressions_add(&scope, w->edge->instances[w->attempt.instance].guards[i], &parts);
  floe_change *list = arena_array(w->arena, parts.count, sizeof *list);
  for (size_t i = 0; i < parts.count; i++)
    if (strcmp(parts.list[i].text, obstacle->text) != 0)
      list[obstacle->values++] = (floe_change){parts.list[i].text, "", parts.list[i].value};
  obstacle->value_list = list;
}

static void add_guard(struct blocked_search *w, uint8_t condition) {
  const char *text = w->conditions.texts[condition];
  if (w->edge->is_statement) {
    set_values(w, condition, add_obstacle(w, FLOE_OBSTACLE_STATEMENT, "it is not executable"));
    return;
  }
  set_values(w, condition, add_obstacle(w, FLOE_OBSTACLE_GUARD, arena_copy(w->arena, text, strlen(text))));
}

static void add_partner(struct blocked_search *w) {
  const char *verb = w->edge->sends ? "receive" : "send";
  add_obstacle(w, FLOE_OBSTACLE_PARTNER,
               attempt_has_opposite(&w->attempt)
                   ? arena_printf(w->arena, "no other instance can %s %s", verb, w->edge->channel)
                   : arena_printf(w->arena, "no other instance %ss %s", verb, w->edge->channel));
}

static bool receivers_test_messages(const struct blocked_search *w) {
  for (size_t i = 0; i < w->model->edge_count; i++) {
    const struct edge *edge = &w->model->edges[i];
    if (edge->channel && edge->channel_number == w->edge->channel_number && !edge->sends && edge_tests_message(edge))
      return true;
  }
  return false;
}

static void add_match(struct blocked_search *w) {
  const char *channel = w->edge->channel;
  const char *format = edge_is_buffered(w->model, w->edge) ? "the message on %s does not match"
                       : w->edge->sends ? receivers_test_messages(w) ? "no other instance accepts the message on %s"
                                                                     : "the values sent and received on %s differ"
                       : edge_tests_message(w->edge) ? "no message of another instance on %s is accepted"
                                                     : "the values sent and received on %s differ";
  add_obstacle(w, FLOE_OBSTACLE_MESSAGE, arena_printf(w->arena, format, channel));
}

/* Without a partner or message the condition on its values is implied. */
static bool is_implied(const struct blocked_search *w, uint8_t condition) {
  const struct conditions *all = &w->conditions;
  for (uint8_t i = 0; all->kinds[condition] == CONDITION_MATCH && i < all->count; i++)
    if (w->nearest.truth.unmet >> i & 1 && (all->kinds[i] == CONDITION_PARTNER || all->kinds[i] == CONDITION_READY))
      return true;
  return false;
}

static void add_condition(struct blocked_search *w, uint8_t condition) {
  struct arena *arena = w->arena;
  switch (w->conditions.kinds[condition]) {
  case CONDITION_PLACE: /* true: the instance is there */
    break;
  case CONDITION_PRIORITY:
    add_obstacle(w, FLOE_OBSTACLE_COMMITTED, "an instance is at a committed location, whose steps have priority");
    break;
  case CONDITION_GUARD:
    add_guard(w, condition);
    break;
  case CONDITION_PARTNER:
    add_partner(w);
    break;
  case CONDITION_READY:
    add_obstacle(w, w->edge->sends ? FLOE_OBSTACLE_FULL : FLOE_OBSTACLE_EMPTY,
                 arena_printf(arena, "%s is %s", w->edge->channel, w->edge->sends ? "full" : "empty"));
    break;
  case CONDITION_MATCH:
    add_match(w);
    break;
  }
}

static bool has_empty_select(const struct blocked_search *w) {
  const struct select *selects = w->edge->instances[w->attempt.instance].selects;
  for (size_t i = 0; i < w->edge->select_count; i++)
    if (selects[i].lo > selects[i].hi)
      return true;
  return false;
}

/* No condition is false: the transition fires, or fails because a condition cannot be evaluated. */
static bool is_enabled(const struct blocked_search *w) { return w->nearest.any && !w->nearest.truth.unmet; }

static void add_obstacles(struct blocked_search *w) {
  if (is_enabled(w))
    add_obstacle(w, FLOE_OBSTACLE_NO_CHANGE, "it changes nothing");
  if (!w->nearest.any)
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS,
                 has_empty_select(w) ? "a select has no values" : "its selects have too many values to examine");
  for (uint8_t i = 0; i < w->conditions.count; i++)
    if (w->nearest.truth.unmet >> i & 1 && !is_implied(w, i))
      add_condition(w, i);
}

/* ---- blocked transitions --------------------------------------------------------------------- */

/* A copy that outlives the model. */
static const char *own(const struct blocked_search *w, const char *text) {
  return arena_copy(w->arena, text, strlen(text));
}

static floe_blocked_transition *add_blocked(struct blocked_search *w, const char *location) {
  struct floe_trace *trace = w->trace;
  const char *name = instance_name(w->model, w->process, w->attempt.instance, w->arena);
  floe_blocked_transition *blocked = ARENA_PUSH(w->arena, trace->blocked, trace->blocked_count, trace->blocked_cap);
  *blocked = (floe_blocked_transition){
      .process = own(w, name), .location = own(w, location), .label = "", .to = "", .file = ""};
  return blocked;
}

static void set_selects(const struct blocked_search *w, floe_blocked_transition *blocked) {
  if (!w->nearest.any)
    return;
  floe_select *list = arena_array(w->arena, w->edge->select_count, sizeof *list);
  for (size_t i = 0; i < w->edge->select_count; i++) {
    const struct select *select = &w->edge->instances[w->attempt.instance].selects[i];
    const int64_t value = w->attempt.selects[i];
    list[i] = (floe_select){own(w, select->name), value, own(w, named_value(select->type, value, w->arena))};
  }
  blocked->selects = w->edge->select_count;
  blocked->select_list = list;
}

static void describe_edge(struct blocked_search *w, const char *location) {
  w->obstacles = NULL;
  w->count = w->cap = 0;
  add_obstacles(w);
  floe_blocked_transition *blocked = add_blocked(w, location);
  blocked->label = own(w, w->edge->label);
  blocked->to = own(w, strcmp(w->edge->to, w->edge->from) == 0 ? location : w->edge->to);
  blocked->line = line_at(w->model, w->edge->at);
  blocked->file = own(w, source_included_file(w->model->source, w->edge->at));
  set_selects(w, blocked);
  blocked->obstacles = w->count;
  blocked->obstacle_list = w->obstacles;
}

static floe_status add_edge(struct blocked_search *w, uint32_t number, const char *location) {
  w->attempt.edge = number;
  w->edge = &w->model->edges[number];
  if (arena_guard(w->scratch, find_nearest, w) != 0)
    return FLOE_ERROR_MEMORY;
  if (!w->late && (w->model->stuttering || !is_enabled(w)))
    describe_edge(w, location);
  arena_free(w->scratch);
  return FLOE_OK;
}

static floe_status add_instance(struct blocked_search *w) {
  w->attempt.location = instance_location(w->model, w->process, w->attempt.instance, w->values);
  const char *location = location_name(w->model, w->process, w->attempt.location, w->arena);
  if (process_of(w->model, w->process)->locations[w->attempt.location].absent)
    return FLOE_OK;
  bool any = false;
  for (uint32_t i = 0; i < w->model->edge_count && !w->late; i++) {
    const struct edge *edge = &w->model->edges[i];
    if (edge->process != w->process || !edge_leaves(edge, w->attempt.location))
      continue;
    any = true;
    FLOE_TRY(add_edge(w, i, location));
  }
  if (!any && !w->late && w->process != NO_PROCESS)
    add_blocked(w, location);
  return FLOE_OK;
}

floe_status trace_blocked_find(const struct trace_request *request, const int64_t *values, struct arena *arena,
                               struct floe_trace *trace) {
  const struct model *model = request->model;
  struct blocked_search w = {.model = model,
                             .values = values,
                             .arena = arena,
                             .scratch = request->scratch,
                             .stop = &request->stop,
                             .trace = trace,
                             .attempt = {.model = model, .values = values}};
  for (uint32_t i = 0; i <= model->process_count && !w.late; i++) {
    w.process = i < model->process_count ? i : NO_PROCESS;
    const uint32_t instances = process_of(model, w.process)->instances;
    for (w.attempt.instance = 0; w.attempt.instance < instances && !w.late; w.attempt.instance++)
      FLOE_TRY(add_instance(&w));
  }
  trace->blocked_incomplete = w.late;
  return FLOE_OK;
}
