/* The conditions of transitions that never fired, as people wrote them: guards of ground
   transitions know the place in the file that they come from. */
#include "api/never.h"

#include <string.h>

/* What is known of a goal while it is made. */
struct maker {
  const struct exploration *e;
  struct arena *arena;
  const struct syntax_transition **syntax; /* of each edge */
  struct never_goal *goal;
  /* guard conjuncts of the goal's transition are conditions first..first + conjunct_count */
  const struct syntax_expr *conjuncts[NEVER_MOST_CONDITIONS];
  uint8_t first, conjunct_count;
  uint8_t place, priority, partner, ready, match; /* numbers of these conditions */
};

static const struct syntax_transition **syntax_of_edges(const struct exploration *e, struct arena *arena) {
  const struct syntax_model *syntax = e->owner->syntax;
  const struct syntax_transition **of = arena_array(arena, e->model->edge_count, sizeof *of);
  size_t n = 0;
  for (size_t p = 0; p < syntax->process_count; p++)
    for (size_t t = 0; t < syntax->processes[p].transition_count; t++)
      of[n++] = &syntax->processes[p].transitions[t];
  return of;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static uint8_t add_condition(struct maker *maker, const char *text) {
  struct never_goal *goal = maker->goal;
  goal->texts[goal->condition_count] = text;
  return goal->condition_count++;
}

static const char *place_text(const struct maker *maker, const struct syntax_transition *t) {
  const char *from = maker->e->model->edges[maker->goal->edge].from;
  if (strcmp(from, "*") == 0)
    return "at any location";
  return arena_printf(maker->arena, t->from_count > 1 ? "at one of %s" : "at %s", from);
}

/* Room is left for the conditions that follow; a longer guard has its last conjuncts as one. */
static void add_conjuncts(struct maker *maker, const struct syntax_expr *guard) {
  const struct source *source = &maker->e->owner->syntax->source;
  if (guard->op == SYN_AND && maker->goal->condition_count < NEVER_MOST_CONDITIONS - 8) {
    add_conjuncts(maker, guard->a);
    add_conjuncts(maker, guard->b);
    return;
  }
  maker->conjuncts[maker->conjunct_count++] = guard;
  add_condition(maker, describe_expression(source, guard, maker->arena));
}

static void add_sync(struct maker *maker, const struct syntax_sync *sync) {
  const struct source *source = &maker->e->owner->syntax->source;
  const char *channel = describe_expression(source, sync->channel, maker->arena);
  struct arena *arena = maker->arena;
  maker->partner =
      add_condition(maker, arena_printf(arena, "another instance can %s %s", sync->send ? "receive" : "send", channel));
  maker->ready = add_condition(maker, arena_printf(arena, "%s is not %s", channel, sync->send ? "full" : "empty"));
  maker->match = add_condition(maker, arena_printf(arena, "the message on %s is one that is taken", channel));
}

static void add_conditions(struct maker *maker) {
  const struct syntax_transition *t = maker->syntax[maker->goal->edge];
  maker->partner = maker->ready = maker->match = NEVER_NO_CONDITION;
  maker->place = add_condition(maker, place_text(maker, t));
  maker->priority = add_condition(maker, "no instance is at a committed location");
  maker->first = maker->goal->condition_count;
  maker->conjunct_count = 0;
  if (t->guard)
    add_conjuncts(maker, t->guard);
  if (t->sync)
    add_sync(maker, t->sync);
}

/* ---- which guard belongs to which condition -------------------------------------------------- */

static bool within(source_at at, const struct syntax_expr *expr) { return expr && expr->start <= at && at < expr->end; }

static bool asks_for_priority(const struct expr *e) {
  return e &&
         (e->op == EXPR_COMMITTED || asks_for_priority(e->a) || asks_for_priority(e->b) || asks_for_priority(e->c));
}

static uint8_t condition_of(const struct maker *maker, const struct transition *transition, const struct expr *guard) {
  if (asks_for_priority(guard))
    return maker->priority;
  for (uint8_t i = 0; i < maker->conjunct_count; i++)
    if (within(guard->at, maker->conjuncts[i]))
      return (uint8_t)(maker->first + i);
  for (size_t i = 0; i < transition->participant_count; i++) {
    const struct syntax_transition *t = maker->syntax[transition->participants[i].edge];
    if (within(guard->at, t->guard))
      return maker->partner;
    if (t->at == guard->at)
      return NEVER_NO_CONDITION; /* a broadcast's choice of receivers */
  }
  return guard->op == EXPR_LT ? maker->ready : maker->match;
}

static bool same_participant(const struct model *model, const struct location_test *test,
                             const struct participant *who) {
  return test->variable == model->processes[who->process].location_variable && test->element == who->instance;
}

static void add_candidate(struct maker *maker, uint32_t number, const struct participant *who) {
  const struct transition *t = &maker->e->model->transitions[number];
  struct never_goal *goal = maker->goal;
  struct never_candidate *new = ARENA_PUSH(maker->arena, goal->candidates, goal->candidate_count, goal->candidate_cap);
  *new = (struct never_candidate){t, number, arena_array(maker->arena, t->test_count, 1),
                                  arena_array(maker->arena, t->guard_count, 1)};
  for (size_t i = 0; i < t->test_count; i++)
    new->test_condition[i] = same_participant(maker->e->model, &t->tests[i], who) ? maker->place : maker->partner;
  for (size_t i = 0; i < t->guard_count; i++)
    new->guard_condition[i] = condition_of(maker, t, t->guards[i]);
}

static void add_candidates(struct maker *maker) {
  const struct model *model = maker->e->model;
  for (uint32_t t = 0; t < model->transition_count; t++) {
    const struct transition *transition = &model->transitions[t];
    for (size_t i = 0; i < transition->participant_count && !fires_never(transition); i++)
      if (transition->participants[i].edge == maker->goal->edge)
        add_candidate(maker, t, &transition->participants[i]);
  }
}

/* ---- conditions that are none here ----------------------------------------------------------- */

static bool is_used(const struct never_goal *goal, uint8_t condition) {
  for (size_t c = 0; c < goal->candidate_count; c++) {
    const struct never_candidate *candidate = &goal->candidates[c];
    if (memchr(candidate->test_condition, condition, candidate->transition->test_count) ||
        memchr(candidate->guard_condition, condition, candidate->transition->guard_count))
      return true;
  }
  return false;
}

static void renumber(uint8_t *conditions, size_t count, const uint8_t *number) {
  for (size_t i = 0; i < count; i++)
    if (conditions[i] != NEVER_NO_CONDITION)
      conditions[i] = number[conditions[i]];
}

static bool is_conjunct(const struct maker *maker, uint8_t condition) {
  return condition >= maker->first && condition < maker->first + maker->conjunct_count;
}

/* Drops the conditions that no candidate has. Parts of the guard that are true for these constants
   stay, except where the transition only receives a broadcast: its own guard is not what keeps it
   from firing. */
static void drop_unused(struct maker *maker) {
  struct never_goal *goal = maker->goal;
  bool own = is_used(goal, maker->place);
  uint8_t number[NEVER_MOST_CONDITIONS], n = 0;
  for (uint8_t i = 0; i < goal->condition_count; i++) {
    bool kept = is_used(goal, i) || (own && is_conjunct(maker, i));
    number[i] = kept ? n : NEVER_NO_CONDITION;
    if (kept)
      goal->texts[n++] = goal->texts[i];
  }
  goal->condition_count = n;
  for (size_t c = 0; c < goal->candidate_count; c++) {
    struct never_candidate *candidate = &goal->candidates[c];
    renumber(candidate->test_condition, candidate->transition->test_count, number);
    renumber(candidate->guard_condition, candidate->transition->guard_count, number);
  }
}

struct never_goal *never_goals(const struct exploration *e, struct arena *arena, size_t *count) {
  struct never_goal *goals = NULL;
  size_t n = 0, cap = 0;
  struct maker maker = {.e = e, .arena = arena, .syntax = syntax_of_edges(e, arena)};
  for (uint32_t edge = 0; edge < e->model->edge_count; edge++) {
    if (e->result->fired[edge] > 0)
      continue;
    maker.goal = ARENA_PUSH(arena, goals, n, cap);
    *maker.goal = (struct never_goal){.edge = edge};
    add_conditions(&maker);
    add_candidates(&maker);
    drop_unused(&maker);
  }
  *count = n;
  return goals;
}
