/* Blocked transitions in a deadlock: for each transition from the location of an instance, the conditions that are
   false. The conditions are those of transitions that never fired (api/trace/unfired_conditions.c), evaluated in one
   state. */
#include "api/trace/trace.h"

#include "api/trace/error_text.h"
#include "api/trace/unfired.h"
#include "model/successor_bound.h"

#include <string.h>

/* The candidate and choice (selected values) with the fewest false conditions. */
struct nearest {
  const struct unfired_candidate *candidate; /* NULL: none */
  uint32_t choice;
  uint64_t failed;
};

struct blocked_search {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
  struct arena *indexed;
  struct arena *scratch; /* for one transition of one instance, which may have many candidates */
  const struct stop *stop;
  const struct unfired_index *index;
  struct floe_trace *trace;
  const struct process *process;
  uint32_t instance;
  uint32_t number; /* of the edge */
  const struct edge *edge;
  floe_obstacle *obstacles;
  size_t count, cap;
  const struct unfired_goal *goal; /* in `scratch`, as `nearest` is */
  struct nearest nearest;
  uint64_t tried; /* pairs of candidate and choice */
  bool late;      /* the time limit was reached */
};

/* ---- nearest candidate ----------------------------------------------------------------------- */

/* `from` of an edge is a list of locations separated by blanks, or "*". */
static bool leads_from(const struct edge *edge, const char *location) {
  size_t length = strlen(location);
  if (strcmp(edge->from, "*") == 0)
    return true;
  for (const char *name = edge->from; *name; name += strspn(name, " ")) {
    size_t n = strcspn(name, " ");
    if (n == length && memcmp(name, location, n) == 0)
      return true;
    name += n;
  }
  return false;
}

#define CLOCK_EVERY 1024 /* choices between two reads of the clock */

static bool is_late(struct blocked_search *w) {
  if (w->tried++ % CLOCK_EVERY == 0)
    w->late |= stop_requested(w->stop);
  return w->late;
}

static uint64_t place_of(const struct unfired_goal *goal) {
  return goal->condition_count && goal->kinds[0] == UNFIRED_PLACE ? 1 : 0;
}

static void try_candidate(struct blocked_search *w, const struct unfired_goal *goal,
                          const struct unfired_candidate *candidate, struct nearest *best) {
  const struct transition *transition = candidate->transition;
  uint64_t tests = unfired_failed_tests(w->model, candidate, w->values);
  uint64_t choices = transition_choices(transition);
  if (tests & place_of(goal))
    return; /* leaves another location */
  int64_t *selects = arena_array(w->scratch, transition->select_count, sizeof *selects);
  for (uint64_t choice = 0; choice < choices && !is_late(w); choice++) {
    choice_values(transition, (uint32_t)choice, selects);
    uint64_t failed = unfired_failed_guards(w->model, candidate, w->values, selects, tests);
    if (!best->candidate || __builtin_popcountll(failed) < __builtin_popcountll(best->failed))
      *best = (struct nearest){candidate, (uint32_t)choice, failed};
  }
}

static void find_nearest(void *data) {
  struct blocked_search *w = data;
  w->nearest = (struct nearest){0};
  w->goal = unfired_goal_of(w->index, w->number, w->instance, w->scratch);
  for (size_t i = 0; i < w->goal->candidate_count && !is_late(w); i++)
    try_candidate(w, w->goal, &w->goal->candidates[i], &w->nearest);
}

/* ---- obstacles ------------------------------------------------------------------------------- */

static floe_obstacle *add_obstacle(struct blocked_search *w, floe_obstacle_kind kind, const char *text) {
  floe_obstacle *obstacle = ARENA_PUSH(w->arena, w->obstacles, w->count, w->cap);
  *obstacle = (floe_obstacle){.kind = kind, .text = text};
  return obstacle;
}

/* Values of the subexpressions of a false guard, without the guard itself. */
static void set_values(const struct blocked_search *w, const struct nearest *nearest, uint8_t condition,
                       floe_obstacle *obstacle) {
  const struct unfired_candidate *candidate = nearest->candidate;
  const struct transition *transition = candidate->transition;
  struct trace_subexpressions parts = {0};
  int64_t *selects = arena_array(w->arena, transition->select_count, sizeof *selects);
  choice_values(transition, nearest->choice, selects);
  const struct subexpression_scope scope = {w->model, w->values, selects, w->edge, w->arena};
  for (size_t i = 0; i < transition->guard_count; i++)
    if (candidate->guard_condition[i] == condition)
      trace_subexpressions_add(&scope, transition->guards[i], &parts);
  floe_change *list = arena_array(w->arena, parts.count, sizeof *list);
  for (size_t i = 0; i < parts.count; i++)
    if (strcmp(parts.list[i].text, obstacle->text) != 0)
      list[obstacle->values++] = (floe_change){parts.list[i].text, "", parts.list[i].value};
  obstacle->value_list = list;
}

static bool is_buffered(const struct model *model, const struct edge *edge) {
  return edge->channel && model->channels[edge->channel_number].capacity > 0;
}

/* Some transition of another instance uses the other end of the channel. */
static bool has_other_end(const struct blocked_search *w) {
  for (size_t i = 0; i < w->model->edge_count; i++) {
    const struct edge *other = &w->model->edges[i];
    const bool itself = other->process == w->edge->process && w->process->instances == 1;
    if (other->channel && other->channel_number == w->edge->channel_number && other->sends != w->edge->sends && !itself)
      return true;
  }
  return false;
}

static void add_channel_obstacle(struct blocked_search *w, enum unfired_kind kind) {
  const struct edge *edge = w->edge;
  struct arena *arena = w->arena;
  if (kind == UNFIRED_PARTNER)
    add_obstacle(w, FLOE_OBSTACLE_PARTNER,
                 arena_printf(arena, "no other instance can %s %s", edge->sends ? "receive" : "send", edge->channel));
  else if (kind == UNFIRED_READY)
    add_obstacle(w, edge->sends ? FLOE_OBSTACLE_FULL : FLOE_OBSTACLE_EMPTY,
                 arena_printf(arena, "%s is %s", edge->channel, edge->sends ? "full" : "empty"));
  else if (is_buffered(w->model, edge))
    add_obstacle(w, FLOE_OBSTACLE_MESSAGE, arena_printf(arena, "the message on %s does not match", edge->channel));
  else
    add_obstacle(w, FLOE_OBSTACLE_MESSAGE,
                 arena_printf(arena, "the values sent and received on %s differ", edge->channel));
}

/* Without a partner or message the condition on its values is implied. */
static bool is_implied(const struct unfired_goal *goal, uint64_t failed, uint8_t condition) {
  for (uint8_t i = 0; goal->kinds[condition] == UNFIRED_MATCH && i < goal->condition_count; i++)
    if (failed >> i & 1 && (goal->kinds[i] == UNFIRED_PARTNER || goal->kinds[i] == UNFIRED_READY))
      return true;
  return false;
}

static bool reads_fields(const struct blocked_search *w, const struct expr *e) {
  if (!e)
    return false;
  const struct variable *v = e->op == EXPR_READ ? &w->model->variables[e->id] : NULL;
  return (v && v->kind == VARIABLE_FIELD && v->owner == w->edge->channel_number) || reads_fields(w, e->a) ||
         reads_fields(w, e->b) || reads_fields(w, e->c);
}

/* Part of a guard that reads the fields of a message while the channel is empty. */
static bool reads_missing_message(const struct blocked_search *w, const struct unfired_goal *goal, uint8_t condition) {
  const struct nearest *nearest = &w->nearest;
  bool empty = false;
  for (uint8_t i = 0; w->edge->bound && i < goal->condition_count; i++)
    empty |= nearest->failed >> i & 1 && goal->kinds[i] == UNFIRED_READY;
  for (size_t i = 0; empty && i < nearest->candidate->transition->guard_count; i++)
    if (nearest->candidate->guard_condition[i] == condition &&
        reads_fields(w, nearest->candidate->transition->guards[i]))
      return goal->kinds[condition] == UNFIRED_GUARD;
  return false;
}

/* No ground transition: the guard is constantly false, or no instance uses the other end of the channel. */
static void add_impossible(struct blocked_search *w) {
  const struct edge *edge = w->edge;
  const char *guard = "";
  for (size_t i = 0; i < edge->guard_count; i++)
    guard = arena_printf(w->arena, "%s%s%s", guard, i ? " and " : "", edge->guards[i].text);
  const bool alone = !edge->channel || is_buffered(w->model, edge);
  if (alone && !edge->guard_count)
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS, "impossible for these constants");
  else if (!edge->channel)
    add_obstacle(w, FLOE_OBSTACLE_GUARD, guard);
  else if (alone)
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS, arena_printf(w->arena, "for these constants %s is false", guard));
  else if (!edge->guard_count && has_other_end(w))
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS,
                 arena_printf(w->arena, "for these constants no other instance %s a matching message on %s",
                              edge->sends ? "receives" : "sends", edge->channel));
  else if (!edge->guard_count)
    add_channel_obstacle(w, UNFIRED_PARTNER);
  else
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS,
                 arena_printf(w->arena, "for these constants %s is false, or no instance is at the other end of %s",
                              guard, edge->channel));
}

static void add_obstacles(struct blocked_search *w, const struct unfired_goal *goal, const struct nearest *nearest) {
  if (!nearest->candidate)
    add_impossible(w);
  for (uint8_t i = 0; i < goal->condition_count; i++) {
    enum unfired_kind kind = goal->kinds[i];
    if (!(nearest->failed >> i & 1) || is_implied(goal, nearest->failed, i) || reads_missing_message(w, goal, i))
      continue;
    if (kind == UNFIRED_GUARD)
      set_values(w, nearest, i,
                 add_obstacle(w, FLOE_OBSTACLE_GUARD, arena_copy(w->arena, goal->texts[i], strlen(goal->texts[i]))));
    else if (kind == UNFIRED_PRIORITY)
      add_obstacle(w, FLOE_OBSTACLE_COMMITTED, "an instance is at a committed location, whose steps have priority");
    else if (kind != UNFIRED_PLACE)
      add_channel_obstacle(w, kind);
  }
}

/* ---- blocked transitions --------------------------------------------------------------------- */

/* A copy that outlives the model. */
static const char *own(const struct blocked_search *w, const char *text) {
  return arena_copy(w->arena, text, strlen(text));
}

static floe_blocked_transition *add_blocked(struct blocked_search *w, const char *location) {
  struct floe_trace *trace = w->trace;
  const char *name = element_name(w->model, w->process->location_variable, w->instance, w->arena);
  floe_blocked_transition *blocked = ARENA_PUSH(w->arena, trace->blocked, trace->blocked_count, trace->blocked_cap);
  *blocked = (floe_blocked_transition){.process = own(w, name), .location = own(w, location), .label = "", .to = ""};
  return blocked;
}

static void set_selects(const struct blocked_search *w, const struct nearest *nearest,
                        floe_blocked_transition *blocked) {
  if (!nearest->candidate)
    return;
  const struct transition *transition = nearest->candidate->transition;
  int64_t *selects = arena_array(w->arena, transition->select_count, sizeof *selects);
  floe_select *list = arena_array(w->arena, transition->select_count, sizeof *list);
  choice_values(transition, nearest->choice, selects);
  for (size_t i = 0; i < transition->select_count; i++)
    if (transition->selects[i].name[0])
      list[blocked->selects++] = (floe_select){own(w, transition->selects[i].name), selects[i],
                                               own(w, named_value(transition->selects[i].type, selects[i], w->arena))};
  blocked->select_list = list;
}

static void describe_edge(struct blocked_search *w, const char *location) {
  unsigned column;
  w->obstacles = NULL;
  w->count = w->cap = 0;
  add_obstacles(w, w->goal, &w->nearest);
  floe_blocked_transition *blocked = add_blocked(w, location);
  blocked->label = own(w, w->edge->label);
  blocked->to = own(w, strcmp(w->edge->to, w->edge->from) == 0 ? location : w->edge->to);
  source_position(w->model->source, w->edge->at, &blocked->line, &column);
  set_selects(w, &w->nearest, blocked);
  blocked->obstacles = w->count;
  blocked->obstacle_list = w->obstacles;
}

static floe_status add_edge(struct blocked_search *w, uint32_t number, const char *location) {
  w->number = number;
  w->edge = &w->model->edges[number];
  if (arena_guard(w->scratch, find_nearest, w) != 0)
    return FLOE_ERROR_MEMORY;
  if (!w->late)
    describe_edge(w, location);
  arena_free(w->scratch);
  return FLOE_OK;
}

static floe_status add_instance(struct blocked_search *w, uint32_t process) {
  const struct variable *place = &w->model->variables[w->process->location_variable];
  const char *location = w->process->locations[w->values[place->first + w->instance]].name;
  bool any = false;
  for (uint32_t i = 0; i < w->model->edge_count && !w->late; i++) {
    const struct edge *edge = &w->model->edges[i];
    if (edge->process != process || !leads_from(edge, location))
      continue;
    any = true;
    FLOE_TRY(add_edge(w, i, location));
  }
  if (!any && !w->late)
    add_blocked(w, location);
  return FLOE_OK;
}

static void make_index(void *data) {
  struct blocked_search *w = data;
  w->index = unfired_index_of(w->model, w->indexed);
}

floe_status trace_blocked_find(const struct trace_request *request, const int64_t *values, struct arena *arena,
                               struct floe_trace *trace) {
  const struct model *model = request->model;
  struct blocked_search w = {.model = model,
                             .values = values,
                             .arena = arena,
                             .scratch = request->scratch,
                             .indexed = request->indexed,
                             .stop = &request->stop,
                             .trace = trace};
  if (arena_guard(w.indexed, make_index, &w) != 0)
    return FLOE_ERROR_MEMORY;
  for (uint32_t i = 0; i < model->process_count && !w.late; i++) {
    w.process = &model->processes[i];
    for (w.instance = 0; w.instance < w.process->instances && !w.late; w.instance++)
      FLOE_TRY(add_instance(&w, i));
  }
  trace->blocked_incomplete = w.late;
  return FLOE_OK;
}
