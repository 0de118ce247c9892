/* What each instance waits for in a deadlock: the conditions of the transitions that lead from where it is, as they
   are found for transitions that never fired (api/trace/unfired_conditions.c), looked at in one state. */
#include "api/trace/trace.h"

#include "api/trace/error_text.h"
#include "api/trace/unfired.h"
#include "model/successor_bound.h"

#include <string.h>

/* The way to fire a transition of which the fewest conditions are false. */
struct nearest {
  const struct unfired_candidate *candidate; /* NULL: there is none */
  uint32_t choice;
  uint64_t failed;
};

struct waiting {
  const struct model *model;
  const int64_t *values;
  struct arena *arena;
  struct arena *indexed;
  struct arena *scratch; /* for one transition of one instance: all ways to fire it may be many */
  const struct stop *stop;
  const struct unfired_index *index;
  struct floe_trace *trace;
  const struct process *process;
  uint32_t instance;
  uint32_t number; /* of the edge */
  const struct edge *edge;
  floe_obstacle *obstacles;
  size_t count, cap;
  const struct unfired_goal *goal; /* of `scratch`, as what is nearest */
  struct nearest nearest;
  uint64_t looked; /* ways to fire a transition */
  bool late;
};

/* ---- the nearest way ------------------------------------------------------------------------- */

/* `from` of an edge names its locations with blanks between. */
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

#define LOOK_EVERY 1024 /* ways, between two looks at the clock */

static bool is_late(struct waiting *w) {
  if (w->looked++ % LOOK_EVERY == 0)
    w->late |= stop_requested(w->stop);
  return w->late;
}

static uint64_t place_of(const struct unfired_goal *goal) {
  return goal->condition_count && goal->kinds[0] == UNFIRED_PLACE ? 1 : 0;
}

static void try_candidate(struct waiting *w, const struct unfired_goal *goal, const struct unfired_candidate *candidate,
                          struct nearest *best) {
  const struct transition *transition = candidate->transition;
  uint64_t tests = unfired_failed_tests(w->model, candidate, w->values);
  uint64_t choices = transition_choices(transition);
  if (tests & place_of(goal))
    return; /* from another location */
  int64_t *selects = arena_array(w->scratch, transition->select_count, sizeof *selects);
  for (uint64_t choice = 0; choice < choices && !is_late(w); choice++) {
    choice_values(transition, (uint32_t)choice, selects);
    uint64_t failed = unfired_failed_guards(w->model, candidate, w->values, selects, tests);
    if (!best->candidate || __builtin_popcountll(failed) < __builtin_popcountll(best->failed))
      *best = (struct nearest){candidate, (uint32_t)choice, failed};
  }
}

static void find_nearest(void *data) {
  struct waiting *w = data;
  w->nearest = (struct nearest){0};
  w->goal = unfired_goal_of(w->index, w->number, w->instance, w->scratch);
  for (size_t i = 0; i < w->goal->candidate_count && !is_late(w); i++)
    try_candidate(w, w->goal, &w->goal->candidates[i], &w->nearest);
}

/* ---- obstacles in words ---------------------------------------------------------------------- */

static floe_obstacle *add_obstacle(struct waiting *w, floe_obstacle_kind kind, const char *text) {
  floe_obstacle *obstacle = ARENA_PUSH(w->arena, w->obstacles, w->count, w->cap);
  *obstacle = (floe_obstacle){.kind = kind, .text = text};
  return obstacle;
}

/* What the parts of a guard read, but not what is the guard itself. */
static void tell_values(const struct waiting *w, const struct nearest *nearest, uint8_t condition,
                        floe_obstacle *obstacle) {
  const struct unfired_candidate *candidate = nearest->candidate;
  const struct transition *transition = candidate->transition;
  struct trace_parts parts = {0};
  int64_t *selects = arena_array(w->arena, transition->select_count, sizeof *selects);
  choice_values(transition, nearest->choice, selects);
  for (size_t i = 0; i < transition->guard_count; i++)
    if (candidate->guard_condition[i] == condition)
      trace_parts_add(w->model, transition->guards[i], w->values, selects, w->edge, w->arena, &parts);
  floe_change *list = arena_array(w->arena, parts.count, sizeof *list);
  for (size_t i = 0; i < parts.count; i++)
    if (strcmp(parts.list[i].text, obstacle->text) != 0)
      list[obstacle->values++] = (floe_change){parts.list[i].text, "", parts.list[i].value};
  obstacle->value_list = list;
}

static bool is_buffered(const struct model *model, const struct edge *edge) {
  return edge->channel && model->channels[edge->channel_number].capacity > 0;
}

/* Some transition has the other end of its channel. */
static bool has_other_end(const struct waiting *w) {
  for (size_t i = 0; i < w->model->edge_count; i++) {
    const struct edge *other = &w->model->edges[i];
    const bool itself = other->process == w->edge->process && w->process->instances == 1;
    if (other->channel && other->channel_number == w->edge->channel_number && other->sends != w->edge->sends && !itself)
      return true;
  }
  return false;
}

static void tell_channel(struct waiting *w, enum unfired_kind kind) {
  const struct edge *edge = w->edge;
  struct arena *arena = w->arena;
  if (kind == UNFIRED_PARTNER)
    add_obstacle(w, FLOE_OBSTACLE_PARTNER,
                 arena_printf(arena, "no other instance can %s %s", edge->sends ? "receive" : "send", edge->channel));
  else if (kind == UNFIRED_READY)
    add_obstacle(w, edge->sends ? FLOE_OBSTACLE_FULL : FLOE_OBSTACLE_EMPTY,
                 arena_printf(arena, "%s is %s", edge->channel, edge->sends ? "full" : "empty"));
  else if (is_buffered(w->model, edge))
    add_obstacle(w, FLOE_OBSTACLE_MESSAGE,
                 arena_printf(arena, "the message on %s is not one that is taken", edge->channel));
  else
    add_obstacle(w, FLOE_OBSTACLE_MESSAGE,
                 arena_printf(arena, "what is sent and what is taken on %s differ", edge->channel));
}

/* Where there is nobody, or nothing, on the channel, it cannot be the wrong thing as well. */
static bool is_idle(const struct unfired_goal *goal, uint64_t failed, uint8_t condition) {
  for (uint8_t i = 0; goal->kinds[condition] == UNFIRED_MATCH && i < goal->condition_count; i++)
    if (failed >> i & 1 && (goal->kinds[i] == UNFIRED_PARTNER || goal->kinds[i] == UNFIRED_READY))
      return true;
  return false;
}

static bool reads_fields(const struct waiting *w, const struct expr *e) {
  if (!e)
    return false;
  const struct variable *v = e->op == EXPR_READ ? &w->model->variables[e->id] : NULL;
  return (v && v->kind == VARIABLE_FIELD && v->owner == w->edge->channel_number) || reads_fields(w, e->a) ||
         reads_fields(w, e->b) || reads_fields(w, e->c);
}

/* A part of a guard about the fields of a message where there is none. */
static bool is_about_nothing(const struct waiting *w, const struct unfired_goal *goal, uint8_t condition) {
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

/* There is no such ground transition: the guard is false whatever the state, or the channel has nobody else. */
static void tell_impossible(struct waiting *w) {
  const struct edge *edge = w->edge;
  const char *guard = "";
  for (size_t i = 0; i < edge->guard_count; i++)
    guard = arena_printf(w->arena, "%s%s%s", guard, i ? " and " : "", edge->guards[i].text);
  const bool alone = !edge->channel || is_buffered(w->model, edge);
  if (alone && !edge->guard_count)
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS, "for these constants it can never be taken");
  else if (!edge->channel)
    add_obstacle(w, FLOE_OBSTACLE_GUARD, guard);
  else if (alone)
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS, arena_printf(w->arena, "for these constants %s is false", guard));
  else if (!edge->guard_count && has_other_end(w))
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS,
                 arena_printf(w->arena, "others %s %s, but for these constants never what is %s here",
                              edge->sends ? "receive" : "send", edge->channel, edge->sends ? "sent" : "taken"));
  else if (!edge->guard_count)
    tell_channel(w, UNFIRED_PARTNER);
  else
    add_obstacle(w, FLOE_OBSTACLE_CONSTANTS,
                 arena_printf(w->arena, "for these constants %s is false, or nobody is at the other end of %s", guard,
                              edge->channel));
}

static void tell_obstacles(struct waiting *w, const struct unfired_goal *goal, const struct nearest *nearest) {
  if (!nearest->candidate)
    tell_impossible(w);
  for (uint8_t i = 0; i < goal->condition_count; i++) {
    enum unfired_kind kind = goal->kinds[i];
    if (!(nearest->failed >> i & 1) || is_idle(goal, nearest->failed, i) || is_about_nothing(w, goal, i))
      continue;
    if (kind == UNFIRED_GUARD)
      tell_values(w, nearest, i,
                  add_obstacle(w, FLOE_OBSTACLE_GUARD, arena_copy(w->arena, goal->texts[i], strlen(goal->texts[i]))));
    else if (kind == UNFIRED_PRIORITY)
      add_obstacle(w, FLOE_OBSTACLE_COMMITTED, "an instance is at a committed location, whose steps come first");
    else if (kind != UNFIRED_PLACE)
      tell_channel(w, kind);
  }
}

/* ---- who waits ------------------------------------------------------------------------------- */

/* The text outlives the model. */
static const char *own(const struct waiting *w, const char *text) { return arena_copy(w->arena, text, strlen(text)); }

static floe_blocked_transition *add_wait(struct waiting *w, const char *location) {
  struct floe_trace *trace = w->trace;
  const char *name = element_name(w->model, w->process->location_variable, w->instance, w->arena);
  floe_blocked_transition *wait = ARENA_PUSH(w->arena, trace->waits, trace->wait_count, trace->wait_cap);
  *wait = (floe_blocked_transition){.process = own(w, name), .location = own(w, location), .label = "", .to = ""};
  return wait;
}

static void tell_selects(const struct waiting *w, const struct nearest *nearest, floe_blocked_transition *wait) {
  if (!nearest->candidate)
    return;
  const struct transition *transition = nearest->candidate->transition;
  int64_t *selects = arena_array(w->arena, transition->select_count, sizeof *selects);
  floe_select *list = arena_array(w->arena, transition->select_count, sizeof *list);
  choice_values(transition, nearest->choice, selects);
  for (size_t i = 0; i < transition->select_count; i++)
    if (transition->selects[i].name[0])
      list[wait->selects++] = (floe_select){own(w, transition->selects[i].name), selects[i],
                                            own(w, named_value(transition->selects[i].type, selects[i], w->arena))};
  wait->select_list = list;
}

static void tell_edge(struct waiting *w, const char *location) {
  unsigned column;
  w->obstacles = NULL;
  w->count = w->cap = 0;
  tell_obstacles(w, w->goal, &w->nearest);
  floe_blocked_transition *wait = add_wait(w, location);
  wait->label = own(w, w->edge->label);
  wait->to = own(w, strcmp(w->edge->to, w->edge->from) == 0 ? location : w->edge->to);
  source_position(w->model->source, w->edge->at, &wait->line, &column);
  tell_selects(w, &w->nearest, wait);
  wait->obstacles = w->count;
  wait->obstacle_list = w->obstacles;
}

static floe_status add_edge(struct waiting *w, uint32_t number, const char *location) {
  w->number = number;
  w->edge = &w->model->edges[number];
  if (arena_guard(w->scratch, find_nearest, w) != 0)
    return FLOE_ERROR_MEMORY;
  if (!w->late)
    tell_edge(w, location);
  arena_free(w->scratch);
  return FLOE_OK;
}

static floe_status tell_instance(struct waiting *w, uint32_t process) {
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
    add_wait(w, location);
  return FLOE_OK;
}

static void make_index(void *data) {
  struct waiting *w = data;
  w->index = unfired_index_of(w->model, w->indexed);
}

floe_status trace_waits(const struct trace_request *request, const int64_t *values, struct arena *arena,
                        struct floe_trace *trace) {
  const struct model *model = request->model;
  struct waiting w = {.model = model,
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
      FLOE_TRY(tell_instance(&w, i));
  }
  trace->waits_cut = w.late;
  return FLOE_OK;
}
