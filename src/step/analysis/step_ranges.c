/* The ranges of reachable states hold after each transition. What is left are values that a later statement of the same
   transition reads or replaces: these are joined to the ranges. */
#include "step/analysis/step_ranges.h"

#include "step/analysis/value_ranges.h"

#define MOST_DEPTH 300                         /* of expressions: their analysis takes time quadratic in it */
#define MOST_SIZE 10000                        /* of expressions: the analysis has a bound for all together */
#define MOST_WORK (10 * (uint64_t)RANGES_WORK) /* of the analysis: a narrow range saves the tests of each use */
#define MAX_WORK 10000000                      /* expressions visited; beyond, each value may be read later */

struct step_ranges {
  const struct model *model;
  uint64_t work;
  struct intervals intervals;
  struct value_range *all; /* [variable] */
};

static bool meets(const struct variable *v, const struct expr *a, const struct expr *b) {
  const struct value_interval x = intervals_reach(v, a), y = intervals_reach(v, b);
  return x.lo <= y.hi && y.lo <= x.hi;
}

/* The expression may read an element of the variable that `index` reaches. */
static bool reads(const struct model *model, const struct expr *e, uint32_t variable, const struct expr *index) {
  if (!e)
    return false;
  if (e->op == EXPR_READ && e->id == variable && meets(&model->variables[variable], e->a, index))
    return true;
  return reads(model, e->a, variable, index) || reads(model, e->b, variable, index) ||
         reads(model, e->c, variable, index);
}

static bool uses(struct step_ranges *r, const struct statement *statements, size_t count, uint32_t variable,
                 const struct expr *index) {
  const struct model *model = r->model;
  for (size_t i = 0; i < count; i++) {
    const struct statement *s = &statements[i];
    r->work += 1 + (s->index ? s->index->size : 0) + (s->value ? s->value->size : 0);
    if (r->work > MAX_WORK || reads(model, s->index, variable, index) || reads(model, s->value, variable, index) ||
        (s->op == ST_ASSIGN && s->id == variable && meets(&model->variables[variable], s->index, index)) ||
        uses(r, s->then, statement_inner_count(s), variable, index))
      return true;
  }
  return false;
}

static void join(struct step_ranges *r, uint32_t variable, struct value_interval range) {
  struct value_range *all = &r->all[variable];
  all->lo = range.lo < all->lo ? range.lo : all->lo;
  all->hi = range.hi > all->hi ? range.hi : all->hi;
}

static void join_elements(struct step_ranges *r, uint32_t variable, const struct expr *index) {
  const struct variable *v = &r->model->variables[variable];
  const struct value_interval reach = intervals_reach(v, index);
  for (int64_t i = reach.lo; i <= reach.hi; i++)
    if (!range_is_empty(r->intervals.slots[v->first + i]))
      join(r, variable, r->intervals.slots[v->first + i]);
}

/* What a statement may assign, by its expression alone. */
static struct value_interval assigned(const struct variable *v, const struct statement *s) {
  return (struct value_interval){s->value->lo > v->lo ? s->value->lo : v->lo,
                                 s->value->hi < v->hi ? s->value->hi : v->hi};
}

/* Statements behind one, in its block and in those around it. */
struct rest {
  const struct statement *first;
  size_t count;
  const struct rest *outer;
};

static bool used_later(struct step_ranges *r, const struct rest *rest, const struct statement *s) {
  for (; rest; rest = rest->outer)
    if (uses(r, rest->first, rest->count, s->id, s->index))
      return true;
  return false;
}

/* Within an `if` the statements of either branch may follow. */
static void join_branches(struct step_ranges *r, const struct statement *s, const struct rest *outer) {
  const size_t count = statement_inner_count(s);
  for (size_t i = 0; i < count; i++) {
    const struct statement *inner = &s->then[i];
    const struct rest rest = {inner + 1, count - i - 1, outer};
    join_branches(r, inner, &rest);
    if (inner->op != ST_ASSIGN || !used_later(r, &rest, inner))
      continue;
    const struct value_interval range = assigned(&r->model->variables[inner->id], inner);
    if (!range_is_empty(range))
      join(r, inner->id, range);
  }
}

/* `analysed` is the transition without large expressions, which may read any variable. */
static void run(struct step_ranges *r, const struct transition *t, const struct transition *analysed) {
  r->intervals.on_point = NULL; /* slots no longer describe the state before the firing */
  for (size_t i = 0; i < t->statement_count; i++) {
    const struct statement *s = &t->statements[i];
    if (!intervals_run(&r->intervals, &analysed->statements[i], 1))
      break;
    const struct rest rest = {s + 1, t->statement_count - i - 1, NULL};
    join_branches(r, s, &rest);
    if (s->op == ST_ASSIGN && used_later(r, &rest, s))
      join_elements(r, s->id, s->index);
  }
  ranges_resume(&r->intervals);
}

/* ---- large expressions ---------------------------------------------------------------------------- */

static bool is_large(const struct expr *e) { return e && (e->depth > MOST_DEPTH || e->size > MOST_SIZE); }

/* A large expression is replaced by one of which only the range is known. */
static const struct expr *small(const struct expr *e, struct arena *arena) {
  if (!is_large(e))
    return e;
  struct expr *unknown = arena_alloc(arena, sizeof *unknown);
  *unknown = (struct expr){.op = EXPR_AUTOMATON, .at = e->at, .lo = e->lo, .hi = e->hi, .site = NO_SITE, .size = 1};
  return unknown;
}

static bool has_large(const struct statement *all, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_large(all[i].value) || is_large(all[i].index) || has_large(all[i].then, statement_inner_count(&all[i])))
      return true;
  return false;
}

static const struct statement *small_statements(const struct statement *all, size_t count, struct arena *arena) {
  struct statement *copy = arena_array(arena, count, sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    copy[i] = all[i];
    copy[i].value = small(all[i].value, arena);
    copy[i].index = small(all[i].index, arena);
    copy[i].then = small_statements(all[i].then, statement_inner_count(&all[i]), arena);
  }
  return copy;
}

static bool has_large_parts(const struct transition *t) {
  for (size_t i = 0; i < t->guard_count; i++)
    if (is_large(t->guards[i]))
      return true;
  return has_large(t->statements, t->statement_count);
}

static struct transition small_transition(const struct transition *t, struct arena *arena) {
  struct transition copy = *t;
  const struct expr **guards = arena_array(arena, t->guard_count + 1, sizeof *guards);
  for (size_t i = 0; i < t->guard_count; i++)
    guards[i] = small(t->guards[i], arena);
  copy.guards = guards;
  copy.statements = small_statements(t->statements, t->statement_count, arena);
  return copy;
}

/* The model itself if nothing is large. */
static const struct model *small_model(const struct model *model, struct arena *arena) {
  size_t first = 0;
  while (first < model->transition_count && !has_large_parts(&model->transitions[first]))
    first++;
  if (first == model->transition_count)
    return model;
  struct model *copy = arena_alloc(arena, sizeof *copy);
  struct transition *transitions = arena_array(arena, model->transition_count + 1, sizeof *transitions);
  for (size_t i = 0; i < model->transition_count; i++)
    transitions[i] = has_large_parts(&model->transitions[i]) ? small_transition(&model->transitions[i], arena)
                                                             : model->transitions[i];
  *copy = *model;
  copy->transitions = transitions;
  return copy;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

struct value_range *step_ranges_make(const struct model *model, const struct stop *stop, struct arena *arena) {
  const struct model *const analysed = small_model(model, arena);
  const struct ranges *ranges = ranges_make(analysed, MOST_WORK, stop, arena);
  struct step_ranges r = {.model = model, .all = arena_array(arena, model->variable_count, sizeof *r.all)};
  for (uint32_t v = 0; v < model->variable_count; v++) {
    const struct variable *variable = &model->variables[v];
    struct value_interval all = ranges->all[variable->first];
    for (uint32_t i = 1; i < variable->count; i++)
      all = range_join(all, ranges->all[variable->first + i]);
    r.all[v] = range_is_empty(all) || !ranges->known ? (struct value_range){variable->lo, variable->hi}
                                                     : (struct value_range){all.lo, all.hi};
  }
  if (!ranges->known)
    return r.all;
  intervals_init(&r.intervals, analysed, arena);
  ranges_start(&r.intervals, ranges);
  for (size_t t = 0; t < model->transition_count; t++) {
    if (ranges_enter(&r.intervals, &analysed->transitions[t]))
      run(&r, &model->transitions[t], &analysed->transitions[t]);
    intervals_undo(&r.intervals, 0);
  }
  return r.all;
}
