/* Conditions of transitions that never fired, as written in the model: the guards of ground transitions have their
   place in the text. */
#include "api/trace/unfired.h"

#include <string.h>

/* A goal under construction. */
struct goal_builder {
  const struct model *model;
  struct arena *arena;
  const struct unfired_index *index; /* NULL: any instance takes the transition */
  uint32_t instance;                 /* that takes it */
  const struct edge *edges;          /* of the model */
  struct unfired_goal *goal;
  /* guard conjuncts of the goal's transition are conditions first..first + conjunct_count */
  uint8_t first, conjunct_count;
  uint8_t place, priority, partner, ready, match; /* numbers of these conditions */
};

/* ---- conditions ------------------------------------------------------------------------------ */

static uint8_t add_condition(struct goal_builder *builder, enum unfired_kind kind, const char *text) {
  struct unfired_goal *goal = builder->goal;
  goal->kinds[goal->condition_count] = kind;
  goal->texts[goal->condition_count] = text;
  return goal->condition_count++;
}

static const char *place_text(const struct goal_builder *builder, const struct edge *edge) {
  if (strcmp(edge->from, "*") == 0)
    return "at any location";
  return arena_printf(builder->arena, edge->lists_locations ? "at one of %s" : "at %s", edge->from);
}

static const char *joined(const struct source_excerpt *parts, size_t count, struct arena *arena) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += strlen(parts[i].text) + strlen(" and ");
  char *text = arena_alloc(arena, length + 1), *end = text;
  for (size_t i = 0; i < count; i++)
    end = stpcpy(stpcpy(end, i ? " and " : ""), parts[i].text);
  return text;
}

/* Leaves room for the other conditions: the last conjuncts of a longer guard become one condition. */
static void add_conjuncts(struct goal_builder *builder, const struct edge *edge) {
  const size_t most = UNFIRED_MOST_CONDITIONS - 7 - builder->first;
  const size_t count = edge->guard_count < most ? edge->guard_count : most;
  for (size_t i = 0; i + 1 < count; i++)
    add_condition(builder, UNFIRED_GUARD, edge->guards[i].text);
  if (count)
    add_condition(builder, UNFIRED_GUARD,
                  joined(&edge->guards[count - 1], edge->guard_count - count + 1, builder->arena));
  builder->conjunct_count = (uint8_t)count;
}

static void add_sync(struct goal_builder *builder, const struct edge *edge) {
  const char *channel = edge->channel;
  struct arena *arena = builder->arena;
  builder->partner =
      add_condition(builder, UNFIRED_PARTNER,
                    arena_printf(arena, "another instance can %s %s", edge->sends ? "receive" : "send", channel));
  builder->ready = add_condition(builder, UNFIRED_READY,
                                 arena_printf(arena, "%s is not %s", channel, edge->sends ? "full" : "empty"));
  builder->match = add_condition(builder, UNFIRED_MATCH, arena_printf(arena, "the message on %s matches", channel));
}

static void add_conditions(struct goal_builder *builder) {
  const struct edge *edge = &builder->edges[builder->goal->edge];
  builder->partner = builder->ready = builder->match = UNFIRED_NO_CONDITION;
  builder->place = add_condition(builder, UNFIRED_PLACE, place_text(builder, edge));
  builder->priority = add_condition(builder, UNFIRED_PRIORITY, "no instance is at a committed location");
  builder->first = builder->goal->condition_count;
  add_conjuncts(builder, edge);
  if (edge->channel)
    add_sync(builder, edge);
}

/* ---- which guard belongs to which condition -------------------------------------------------- */

static bool within(source_at at, const struct source_excerpt *part) { return part->start <= at && at < part->end; }

static bool in_guard(source_at at, const struct edge *edge) {
  return edge->guard_count && edge->guards[0].start <= at && at < edge->guards[edge->guard_count - 1].end;
}

/* The goal's condition for the conjunct of its guard at this place, or UNFIRED_NO_CONDITION. */
static uint8_t conjunct_at(const struct goal_builder *builder, source_at at) {
  const struct edge *edge = &builder->edges[builder->goal->edge];
  for (size_t i = 0; i < edge->guard_count; i++)
    if (within(at, &edge->guards[i]))
      return (uint8_t)(builder->first + (i < builder->conjunct_count ? i : builder->conjunct_count - 1u));
  return UNFIRED_NO_CONDITION;
}

static bool tests_priority(const struct expr *e) {
  return e && (e->op == EXPR_COMMITTED || tests_priority(e->a) || tests_priority(e->b) || tests_priority(e->c));
}

static uint8_t condition_of(const struct goal_builder *builder, const struct transition *transition,
                            const struct expr *guard) {
  if (tests_priority(guard))
    return builder->priority;
  const uint8_t conjunct = conjunct_at(builder, guard->at);
  if (conjunct != UNFIRED_NO_CONDITION)
    return conjunct;
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct edge *edge = &builder->edges[transition->participants[i].edge];
    if (in_guard(guard->at, edge))
      return builder->partner;
    if (edge->at == guard->at)
      return UNFIRED_NO_CONDITION; /* a broadcast's choice of receivers */
  }
  return guard->op == EXPR_LT ? builder->ready : builder->match;
}

static bool same_participant(const struct model *model, const struct location_test *test,
                             const struct participant *participant) {
  return test->variable == model->processes[participant->process].location_variable &&
         test->element == participant->instance;
}

static void add_candidate(struct goal_builder *builder, uint32_t number, const struct participant *participant) {
  const struct transition *t = &builder->model->transitions[number];
  struct unfired_goal *goal = builder->goal;
  struct unfired_candidate *new =
      ARENA_PUSH(builder->arena, goal->candidates, goal->candidate_count, goal->candidate_cap);
  *new = (struct unfired_candidate){t, number, arena_array(builder->arena, t->test_count, 1),
                                    arena_array(builder->arena, t->guard_count, 1)};
  for (size_t i = 0; i < t->test_count; i++)
    new->test_condition[i] =
        same_participant(builder->model, &t->tests[i], participant) ? builder->place : builder->partner;
  for (size_t i = 0; i < t->guard_count; i++)
    new->guard_condition[i] = condition_of(builder, t, t->guards[i]);
}

static bool takes_goal(const struct goal_builder *builder, const struct participant *participant) {
  return participant->edge == builder->goal->edge;
}

static void add_indexed(struct goal_builder *builder) {
  const struct unfired_index *index = builder->index;
  const size_t place = index->firsts[builder->goal->edge] + builder->instance;
  for (size_t i = index->starts[place]; i < index->starts[place + 1]; i++) {
    const struct unfired_part part = index->parts[i];
    add_candidate(builder, part.transition,
                  &builder->model->transitions[part.transition].participants[part.participant]);
  }
}

static void add_candidates(struct goal_builder *builder) {
  const struct model *model = builder->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    for (size_t i = 0; i < transition->participant_count && !never_fires(transition); i++)
      if (takes_goal(builder, &transition->participants[i]))
        add_candidate(builder, t, &transition->participants[i]);
  }
}

/* ---- unused conditions ----------------------------------------------------------------------- */

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

static bool is_conjunct(const struct goal_builder *builder, uint8_t condition) {
  return condition >= builder->first && condition < builder->first + builder->conjunct_count;
}

/* Removes the conditions that no candidate has. Conjuncts that are constantly true stay, unless the transition only
   receives a broadcast: then its own guard does not keep it from firing. */
static void drop_unused(struct goal_builder *builder) {
  struct unfired_goal *goal = builder->goal;
  bool own = is_used(goal, builder->place);
  uint8_t number[UNFIRED_MOST_CONDITIONS], n = 0;
  for (uint8_t i = 0; i < goal->condition_count; i++) {
    bool kept = is_used(goal, i) || (own && is_conjunct(builder, i));
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

/* ---- index ----------------------------------------------------------------------------------- */

/* Counts the parts of each place, at starts[place + 2]; with `put`, stores each at starts[place + 1]. */
static void index_parts(struct unfired_index *index, bool put) {
  const struct model *model = index->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    for (uint32_t i = 0; i < transition->participant_count && !never_fires(transition); i++) {
      const struct participant *participant = &transition->participants[i];
      size_t *start = &index->starts[index->firsts[participant->edge] + participant->instance + 1];
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

/* ---- goals ----------------------------------------------------------------------------------- */

static void make_goal(struct goal_builder *builder, struct unfired_goal *goal, uint32_t edge) {
  *goal = (struct unfired_goal){.edge = edge};
  builder->goal = goal;
  add_conditions(builder);
  if (builder->index)
    add_indexed(builder);
  else
    add_candidates(builder);
  drop_unused(builder);
}

struct unfired_goal *unfired_goals(const struct model *model, const uint64_t *fired, struct arena *arena,
                                   size_t *count) {
  struct unfired_goal *goals = NULL;
  size_t n = 0, cap = 0;
  struct goal_builder builder = {.model = model, .arena = arena, .edges = model->edges};
  for (uint32_t edge = 0; edge < model->edge_count; edge++)
    if (fired[edge] == 0)
      make_goal(&builder, ARENA_PUSH(arena, goals, n, cap), edge);
  *count = n;
  return goals;
}

struct unfired_goal *unfired_goal_of(const struct unfired_index *index, uint32_t edge, uint32_t instance,
                                     struct arena *arena) {
  const struct model *model = index->model;
  struct goal_builder builder = {
      .model = model, .arena = arena, .index = index, .instance = instance, .edges = model->edges};
  struct unfired_goal *goal = arena_alloc(arena, sizeof *goal);
  make_goal(&builder, goal, edge);
  return goal;
}
