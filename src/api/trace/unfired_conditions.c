/* The conditions of transitions that never fired, as people wrote them: guards of ground
   transitions know the place in the file that they come from. */
#include "api/trace/unfired.h"

#include <string.h>

/* What is known of a goal while it is made. */
struct maker {
  const struct model *model;
  struct arena *arena;
  const struct unfired_index *index; /* NULL: any instance takes the transition */
  uint32_t instance;               /* that takes it */
  const struct edge *edges;        /* of the model */
  struct unfired_goal *goal;
  /* guard conjuncts of the goal's transition are conditions first..first + conjunct_count */
  uint8_t first, conjunct_count;
  uint8_t place, priority, partner, ready, match; /* numbers of these conditions */
};

/* ---- conditions ------------------------------------------------------------------------------ */

static uint8_t add_condition(struct maker *maker, enum unfired_kind kind, const char *text) {
  struct unfired_goal *goal = maker->goal;
  goal->kinds[goal->condition_count] = kind;
  goal->texts[goal->condition_count] = text;
  return goal->condition_count++;
}

static const char *place_text(const struct maker *maker, const struct edge *edge) {
  if (strcmp(edge->from, "*") == 0)
    return "at any location";
  return arena_printf(maker->arena, edge->several ? "at one of %s" : "at %s", edge->from);
}

static const char *joined(const struct written *parts, size_t count, struct arena *arena) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += strlen(parts[i].text) + strlen(" and ");
  char *text = arena_alloc(arena, length + 1), *end = text;
  for (size_t i = 0; i < count; i++)
    end = stpcpy(stpcpy(end, i ? " and " : ""), parts[i].text);
  return text;
}

/* Room is left for the conditions that follow; a longer guard has its last conjuncts as one. */
static void add_conjuncts(struct maker *maker, const struct edge *edge) {
  const size_t most = UNFIRED_MOST_CONDITIONS - 7 - maker->first;
  const size_t count = edge->guard_count < most ? edge->guard_count : most;
  for (size_t i = 0; i + 1 < count; i++)
    add_condition(maker, UNFIRED_GUARD, edge->guards[i].text);
  if (count)
    add_condition(maker, UNFIRED_GUARD, joined(&edge->guards[count - 1], edge->guard_count - count + 1, maker->arena));
  maker->conjunct_count = (uint8_t)count;
}

static void add_sync(struct maker *maker, const struct edge *edge) {
  const char *channel = edge->channel;
  struct arena *arena = maker->arena;
  maker->partner =
      add_condition(maker, UNFIRED_PARTNER,
                    arena_printf(arena, "another instance can %s %s", edge->sends ? "receive" : "send", channel));
  maker->ready =
      add_condition(maker, UNFIRED_READY, arena_printf(arena, "%s is not %s", channel, edge->sends ? "full" : "empty"));
  maker->match =
      add_condition(maker, UNFIRED_MATCH, arena_printf(arena, "the message on %s is one that is taken", channel));
}

static void add_conditions(struct maker *maker) {
  const struct edge *edge = &maker->edges[maker->goal->edge];
  maker->partner = maker->ready = maker->match = UNFIRED_NO_CONDITION;
  maker->place = add_condition(maker, UNFIRED_PLACE, place_text(maker, edge));
  maker->priority = add_condition(maker, UNFIRED_PRIORITY, "no instance is at a committed location");
  maker->first = maker->goal->condition_count;
  add_conjuncts(maker, edge);
  if (edge->channel)
    add_sync(maker, edge);
}

/* ---- which guard belongs to which condition -------------------------------------------------- */

static bool within(source_at at, const struct written *part) { return part->start <= at && at < part->end; }

static bool in_guard(source_at at, const struct edge *edge) {
  return edge->guard_count && edge->guards[0].start <= at && at < edge->guards[edge->guard_count - 1].end;
}

/* The goal's condition that holds its guard's conjunct at this place, or UNFIRED_NO_CONDITION. */
static uint8_t conjunct_at(const struct maker *maker, source_at at) {
  const struct edge *edge = &maker->edges[maker->goal->edge];
  for (size_t i = 0; i < edge->guard_count; i++)
    if (within(at, &edge->guards[i]))
      return (uint8_t)(maker->first + (i < maker->conjunct_count ? i : maker->conjunct_count - 1u));
  return UNFIRED_NO_CONDITION;
}

static bool asks_for_priority(const struct expr *e) {
  return e &&
         (e->op == EXPR_COMMITTED || asks_for_priority(e->a) || asks_for_priority(e->b) || asks_for_priority(e->c));
}

static uint8_t condition_of(const struct maker *maker, const struct transition *transition, const struct expr *guard) {
  if (asks_for_priority(guard))
    return maker->priority;
  const uint8_t conjunct = conjunct_at(maker, guard->at);
  if (conjunct != UNFIRED_NO_CONDITION)
    return conjunct;
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct edge *edge = &maker->edges[transition->participants[i].edge];
    if (in_guard(guard->at, edge))
      return maker->partner;
    if (edge->at == guard->at)
      return UNFIRED_NO_CONDITION; /* a broadcast's choice of receivers */
  }
  return guard->op == EXPR_LT ? maker->ready : maker->match;
}

static bool same_participant(const struct model *model, const struct location_test *test,
                             const struct participant *who) {
  return test->variable == model->processes[who->process].location_variable && test->element == who->instance;
}

static void add_candidate(struct maker *maker, uint32_t number, const struct participant *who) {
  const struct transition *t = &maker->model->transitions[number];
  struct unfired_goal *goal = maker->goal;
  struct unfired_candidate *new = ARENA_PUSH(maker->arena, goal->candidates, goal->candidate_count, goal->candidate_cap);
  *new = (struct unfired_candidate){t, number, arena_array(maker->arena, t->test_count, 1),
                                  arena_array(maker->arena, t->guard_count, 1)};
  for (size_t i = 0; i < t->test_count; i++)
    new->test_condition[i] = same_participant(maker->model, &t->tests[i], who) ? maker->place : maker->partner;
  for (size_t i = 0; i < t->guard_count; i++)
    new->guard_condition[i] = condition_of(maker, t, t->guards[i]);
}

static bool takes(const struct maker *maker, const struct participant *who) { return who->edge == maker->goal->edge; }

static void add_indexed(struct maker *maker) {
  const struct unfired_index *index = maker->index;
  const size_t place = index->firsts[maker->goal->edge] + maker->instance;
  for (size_t i = index->starts[place]; i < index->starts[place + 1]; i++) {
    const struct unfired_part part = index->parts[i];
    add_candidate(maker, part.transition, &maker->model->transitions[part.transition].participants[part.participant]);
  }
}

static void add_candidates(struct maker *maker) {
  const struct model *model = maker->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    for (size_t i = 0; i < transition->participant_count && !fires_never(transition); i++)
      if (takes(maker, &transition->participants[i]))
        add_candidate(maker, t, &transition->participants[i]);
  }
}

/* ---- conditions that are none here ----------------------------------------------------------- */

static bool is_used(const struct unfired_goal *goal, uint8_t condition) {
  for (size_t c = 0; c < goal->candidate_count; c++) {
    const struct unfired_candidate *candidate = &goal->candidates[c];
    if (memchr(candidate->test_condition, condition, candidate->transition->test_count) ||
        memchr(candidate->guard_condition, condition, candidate->transition->guard_count))
      return true;
  }
  return false;
}

static void renumber(uint8_t *conditions, size_t count, const uint8_t *number) {
  for (size_t i = 0; i < count; i++)
    if (conditions[i] != UNFIRED_NO_CONDITION)
      conditions[i] = number[conditions[i]];
}

static bool is_conjunct(const struct maker *maker, uint8_t condition) {
  return condition >= maker->first && condition < maker->first + maker->conjunct_count;
}

/* Drops the conditions that no candidate has. Parts of the guard that are true for these constants
   stay, except where the transition only receives a broadcast: its own guard is not what keeps it
   from firing. */
static void drop_unused(struct maker *maker) {
  struct unfired_goal *goal = maker->goal;
  bool own = is_used(goal, maker->place);
  uint8_t number[UNFIRED_MOST_CONDITIONS], n = 0;
  for (uint8_t i = 0; i < goal->condition_count; i++) {
    bool kept = is_used(goal, i) || (own && is_conjunct(maker, i));
    number[i] = kept ? n : UNFIRED_NO_CONDITION;
    if (!kept)
      continue;
    goal->texts[n] = goal->texts[i];
    goal->kinds[n++] = goal->kinds[i];
  }
  goal->condition_count = n;
  for (size_t c = 0; c < goal->candidate_count; c++) {
    struct unfired_candidate *candidate = &goal->candidates[c];
    renumber(candidate->test_condition, candidate->transition->test_count, number);
    renumber(candidate->guard_condition, candidate->transition->guard_count, number);
  }
}

/* ---- who takes part in what ------------------------------------------------------------------ */

/* Counts the parts of each place, at starts[place + 2]; with `parts`, puts each where starts[place + 1] stands. */
static void index_parts(struct unfired_index *index, bool put) {
  const struct model *model = index->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    for (uint32_t i = 0; i < transition->participant_count && !fires_never(transition); i++) {
      const struct participant *who = &transition->participants[i];
      size_t *start = &index->starts[index->firsts[who->edge] + who->instance + 1];
      if (put)
        index->parts[(*start)++] = (struct unfired_part){t, i};
      else
        start[1]++;
    }
  }
}

struct unfired_index *unfired_index_of(const struct model *model, struct arena *arena) {
  struct unfired_index *index = arena_alloc(arena, sizeof *index);
  size_t places = 0;
  *index = (struct unfired_index){.model = model, .firsts = arena_array(arena, model->edge_count, sizeof(size_t))};
  for (size_t i = 0; i < model->edge_count; i++) {
    index->firsts[i] = places;
    places += model->processes[model->edges[i].process].instances;
  }
  index->starts = arena_array(arena, places + 2, sizeof *index->starts);
  index_parts(index, false);
  for (size_t i = 1; i < places + 2; i++)
    index->starts[i] += index->starts[i - 1];
  index->parts = arena_array(arena, index->starts[places + 1], sizeof *index->parts);
  index_parts(index, true);
  return index;
}

/* ---- all together ---------------------------------------------------------------------------- */

static void make_goal(struct maker *maker, struct unfired_goal *goal, uint32_t edge) {
  *goal = (struct unfired_goal){.edge = edge};
  maker->goal = goal;
  add_conditions(maker);
  if (maker->index)
    add_indexed(maker);
  else
    add_candidates(maker);
  drop_unused(maker);
}

struct unfired_goal *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena, size_t *count) {
  struct unfired_goal *goals = NULL;
  size_t n = 0, cap = 0;
  struct maker maker = {.model = model, .arena = arena, .edges = model->edges};
  for (uint32_t edge = 0; edge < model->edge_count; edge++)
    if (fired[edge] == 0)
      make_goal(&maker, ARENA_PUSH(arena, goals, n, cap), edge);
  *count = n;
  return goals;
}

struct unfired_goal *unfired_goal_of(const struct unfired_index *index, uint32_t edge, uint32_t instance,
                                 struct arena *arena) {
  const struct model *model = index->model;
  struct maker maker = {.model = model, .arena = arena, .index = index, .instance = instance, .edges = model->edges};
  struct unfired_goal *goal = arena_alloc(arena, sizeof *goal);
  make_goal(&maker, goal, edge);
  return goal;
}
