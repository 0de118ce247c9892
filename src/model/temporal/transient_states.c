#include "model/temporal/transient_states.h"

#include "model/transitions/successor_bound.h"

#include <string.h>

struct conversion {
  struct builder *b;
  const struct model *model;
  const struct transient *transient;
  uint32_t holders; /* greatest value of the holder */
  const struct expr *holder;
  struct enabled *enabled; /* the model's, then new ones */
  size_t enabled_count, enabled_cap;
  const struct expr **fires; /* [initiator] some transition of it fires; NULL: not made */
};

static const struct expr *number(struct conversion *c, int64_t value) { return build_const(c->b, value); }

static const struct expr *is_value(struct conversion *c, int64_t value) {
  return build_binary(c->b, EXPR_EQ, NOWHERE, c->holder, number(c, value));
}

/* A value of the holder that names the initiator (`first_only`: and permits only its first firing). */
static const struct expr *is_held_by(struct conversion *c, uint32_t initiator, bool first_only) {
  const struct expr *some = number(c, 0);
  for (uint32_t v = 1; v <= c->holders; v++) {
    const struct holder *holder = &c->transient->holders[v - 1];
    if (holder->initiator == initiator && (!first_only || holder->first_only))
      some = build_binary(c->b, EXPR_OR, NOWHERE, some, is_value(c, v));
  }
  return some;
}

/* ---- enabled transitions -------------------------------------------------------------------------- */

static const struct expr *some_fires(struct conversion *c, const struct transition *const *transitions, size_t count) {
  if (count == 0)
    return number(c, 0);
  *ARENA_PUSH(c->b->arena, c->enabled, c->enabled_count, c->enabled_cap) =
      (struct enabled){.set = {.process = NO_PROCESS, .edge = NO_EDGE}, .transitions = transitions, .count = count};
  return build_enabled(c->b, NOWHERE, (uint32_t)c->enabled_count - 1);
}

static const struct expr *initiator_fires(struct conversion *c, uint32_t initiator) {
  if (initiator == NO_INITIATOR)
    return number(c, 0);
  if (c->fires[initiator])
    return c->fires[initiator];
  const struct initiator_transitions *group = &c->model->initiators[initiator];
  const size_t count = group->end - group->first;
  const struct transition **all = arena_array(c->b->arena, count, sizeof *all);
  for (size_t i = 0; i < count; i++)
    all[i] = &c->model->transitions[group->first + i];
  c->fires[initiator] = some_fires(c, all, count);
  return c->fires[initiator];
}

static bool exclude_by_location(const struct model *model, const struct transition *a, const struct transition *b) {
  const struct location_test *x = initiator_test(model, a), *y = initiator_test(model, b);
  return x && y && x->location != y->location;
}

/* A transition of the initiator before this one fires. */
static const struct expr *is_preceded(struct conversion *c, const struct transition *t) {
  const struct transition **before = NULL;
  size_t count = 0, room = 0;
  for (size_t i = c->model->initiators[t->initiator].first; &c->model->transitions[i] < t; i++)
    if (!exclude_by_location(c->model, &c->model->transitions[i], t))
      *ARENA_PUSH(c->b->arena, before, count, room) = &c->model->transitions[i];
  return some_fires(c, before, count);
}

/* ---- transitions ---------------------------------------------------------------------------------- */

/* The holder permits the transition. */
static const struct expr *permits(struct conversion *c, const struct transition *t) {
  const struct expr *free = build_binary(c->b, EXPR_OR, NOWHERE, is_value(c, 0), is_held_by(c, t->initiator, false));
  const struct expr *first = is_held_by(c, t->initiator, true);
  if (is_constant_false(first))
    return free;
  const struct expr *skipped = build_binary(c->b, EXPR_AND, NOWHERE, first, is_preceded(c, t));
  return build_binary(c->b, EXPR_AND, NOWHERE, free, build_not(c->b, NOWHERE, skipped));
}

/* The holder's value after the statements, if they end with it: NULL if it is not known. */
static const struct expr *last_value(const struct conversion *c, const struct transition *t) {
  for (size_t i = t->statement_count; i-- > 0;) {
    if (t->statements[i].op == ST_ASSIGN && t->statements[i].id == c->transient->variable)
      return t->statements[i].value->op == EXPR_CONST ? t->statements[i].value : NULL;
    if (t->statements[i].op == ST_IF)
      return NULL;
  }
  return NULL;
}

/* Nothing fires in the state after the statements, and the sequence may end there. `known`: as last_value. */
static const struct expr *is_blocked(struct conversion *c, const struct expr *known) {
  const struct expr *some = number(c, 0);
  for (uint32_t v = 1; v <= c->holders; v++) {
    const struct holder *holder = &c->transient->holders[v - 1];
    if (holder->blocked != NO_SITE || (known && known->value != v))
      continue;
    const struct expr *stuck = build_not(c->b, NOWHERE, initiator_fires(c, holder->initiator));
    some = build_binary(c->b, EXPR_OR, NOWHERE, some, build_binary(c->b, EXPR_AND, NOWHERE, is_value(c, v), stuck));
  }
  return some;
}

static struct transition convert(struct conversion *c, const struct transition *given) {
  struct transition t = *given;
  const struct expr **guards = arena_array(c->b->arena, t.guard_count + 1, sizeof *guards);
  guards[0] = permits(c, given);
  memcpy(guards + 1, t.guards, t.guard_count * sizeof *guards);
  t.guards = guards;
  t.guard_count++;
  const struct expr *blocked = never_fires(given) ? NULL : is_blocked(c, last_value(c, given));
  if (!blocked || is_constant_false(blocked))
    return t;
  struct statement *statements = arena_array(c->b->arena, t.statement_count + 1, sizeof *statements);
  memcpy(statements, t.statements, t.statement_count * sizeof *statements);
  statements[t.statement_count++] =
      (struct statement){.op = ST_ASSIGN,
                         .at = NOWHERE,
                         .id = c->transient->variable,
                         .site = NO_SITE,
                         .value = build_cond(c->b, NOWHERE, blocked, number(c, 0), c->holder)};
  t.statements = statements;
  t.undo_count = 0;
  return t;
}

const struct model *model_with_transient_states(struct builder *b, const struct model *model) {
  const struct transient *transient = model->transient;
  struct model *result = arena_alloc(b->arena, sizeof *result);
  struct transition *transitions = arena_array(b->arena, model->transition_count, sizeof *transitions);
  struct conversion c = {.b = b,
                         .model = model,
                         .transient = transient,
                         .holders = (uint32_t)model->variables[transient->variable].hi,
                         .holder = build_read(b, NOWHERE, transient->variable, NULL),
                         .fires = arena_array(b->arena, model->initiator_count, sizeof *c.fires)};
  for (size_t i = 0; i < model->enabled_count; i++)
    *ARENA_PUSH(b->arena, c.enabled, c.enabled_count, c.enabled_cap) = model->enabled[i];
  for (size_t i = 0; i < model->transition_count; i++)
    transitions[i] = convert(&c, &model->transitions[i]);
  *result = *model;
  result->transitions = transitions;
  result->enabled = c.enabled;
  result->enabled_count = c.enabled_count;
  result->transient = NULL;
  return result;
}

static bool has_first_only(const struct model *model, uint32_t initiator) {
  for (int64_t i = 0; i < model->variables[model->transient->variable].hi; i++)
    if (model->transient->holders[i].first_only && model->transient->holders[i].initiator == initiator)
      return true;
  return false;
}

bool chooses_in_first_only(const struct model *model) {
  for (size_t i = 0; model->transient && i < model->transition_count; i++)
    if (transition_choices(&model->transitions[i]) > 1 && has_first_only(model, model->transitions[i].initiator))
      return true;
  return false;
}

const struct expr *holder_is_first_only(struct builder *b, const struct model *model) {
  const struct transient *transient = model->transient;
  const struct expr *some = NULL;
  for (int64_t i = 0; i < model->variables[transient->variable].hi; i++) {
    if (!transient->holders[i].first_only)
      continue;
    const struct expr *here =
        build_binary(b, EXPR_EQ, NOWHERE, build_read(b, NOWHERE, transient->variable, NULL), build_const(b, i + 1));
    some = some ? build_binary(b, EXPR_OR, NOWHERE, some, here) : here;
  }
  return some;
}
