/* Statements of a transition: temporaries, errors, and values of local variables behind conditions. */
#include "frontend/murphi/murphi_check.h"

#include "model/structural_equality.h"
#include "model/transitions/successor_bound.h"

#include <string.h>

#define MOST_LINKS 200    /* of conditions and values in a chain */
#define MOST_COMPARED 300 /* operations of two conditions that are compared */

void mu_limit(struct mu_check *c, const struct expr *e, source_at at) {
  if (e && e->size > MU_MAX_OPERATIONS)
    build_too_large(&c->build, at, "an expression has too many operations, after its aliases and calls are expanded");
  else if (e && e->depth > MU_MAX_DEPTH)
    build_too_large(&c->build, at, "an expression is nested too deep, after its loops and calls are expanded");
}

void mu_emit(struct mu_check *c, struct statement statement) {
  mu_limit(c, statement.value, statement.at);
  mu_limit(c, statement.index, statement.at);
  if (build_spend(&c->build, statement.at, 1, 0))
    *ARENA_PUSH(c->build.arena, c->block->items, c->block->n, c->block->cap) = statement;
}

static bool is_fixed(const struct expr *e) { return e->op == EXPR_CONST || e->op == EXPR_TEMP || e->op == EXPR_SELECT; }

uint32_t mu_new_temp(struct mu_check *c) {
  if (c->temp_count == MAX_TEMPS)
    build_too_large(&c->build, c->build.here,
                    "a rule has more than 32768 values of local variables, after its loops and calls are expanded");
  return c->temp_count < MAX_TEMPS ? c->temp_count++ : 0;
}

void mu_let(struct mu_check *c, uint32_t temp, const struct expr *value, source_at at) {
  mu_emit(c, (struct statement){.op = ST_LET, .at = at, .id = temp, .site = NO_SITE, .value = value});
}

const struct expr *mu_freeze(struct mu_check *c, const struct expr *e, source_at at) {
  if (!e || !c->block || is_fixed(e) || (c->conditional && e->can_fail))
    return e;
  const uint32_t temp = mu_new_temp(c);
  mu_let(c, temp, e, at);
  return build_temp(&c->build, at, temp, e->lo, e->hi);
}

/* An expression of value 0 that fails as `e` does. */
static const struct expr *only_errors(struct mu_check *c, const struct expr *e, source_at at) {
  return build_binary(&c->build, EXPR_MUL, at, e, build_const(&c->build, 0));
}

void mu_evaluate(struct mu_check *c, const struct expr *e, source_at at) {
  if (!e || !e->can_fail)
    return;
  if (c->block) {
    mu_freeze(c, e, at);
    return;
  }
  const struct expr *errors = only_errors(c, e, at);
  c->pending = c->pending ? build_binary(&c->build, EXPR_ADD, at, c->pending, errors) : errors;
}

void mu_require(struct mu_check *c, const struct expr *holds, enum site_kind kind, source_at at, const char *what) {
  struct builder *b = &c->build;
  if (!holds || (!holds->can_fail && is_constant_true(holds)))
    return;
  const uint32_t site = build_site(b, kind, at, what, 0, 0);
  if (c->block)
    mu_emit(c, (struct statement){.op = ST_ASSERT, .at = at, .site = site, .value = holds});
  else
    mu_evaluate(c, mu_bounded(c, kind, at, what, build_not(b, at, holds), 0, 0), at);
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static const struct expr **copy_slots(struct mu_check *c, size_t count) {
  const struct expr **copy = arena_array(c->build.arena, count + 1, sizeof *copy);
  build_spend(&c->build, c->build.here, 0, 1 + count / 8);
  if (count)
    memcpy(copy, c->slots, count * sizeof *copy);
  return copy;
}

static void start_case(struct mu_check *c, struct mu_branch *branch, unsigned which) {
  if (branch->outer)
    c->block = &branch->blocks[which];
  else
    c->pending = NULL;
}

void mu_branch(struct mu_check *c, struct mu_branch *branch, const struct expr *condition, source_at at) {
  *branch = (struct mu_branch){
      .condition = condition, .slots = c->slot_count, .outer = c->block, .pending_before = c->pending, .at = at};
  branch->before = copy_slots(c, c->slot_count);
  c->fails = false;
  start_case(c, branch, 0);
}

void mu_branch_else(struct mu_check *c, struct mu_branch *branch) {
  branch->first = copy_slots(c, branch->slots);
  branch->otherwise = true;
  branch->pending[0] = c->pending;
  branch->fails[0] = c->fails;
  c->fails = false;
  if (branch->slots)
    memcpy(c->slots, branch->before, branch->slots * sizeof *c->slots);
  start_case(c, branch, 1);
}

static bool same_value(const struct expr *x, const struct expr *y) {
  return x == y || (x && y && x->op == EXPR_CONST && y->op == EXPR_CONST && x->value == y->value) ||
         (x && y && x->op == EXPR_TEMP && y->op == EXPR_TEMP && x->id == y->id);
}

static void let_in(struct mu_check *c, struct mu_block *block, uint32_t temp, const struct expr *value, source_at at) {
  c->block = block;
  mu_let(c, temp, value, at);
}

static bool is_truth(const struct expr *e) { return e->lo >= 0 && e->hi <= 1; }

/* x if the condition holds, else the constant, without a choice: whether a function has returned, for example. */
static const struct expr *merged_truth(struct mu_check *c, const struct mu_branch *branch, const struct expr *x,
                                       bool otherwise) {
  struct builder *b = &c->build;
  if (!otherwise)
    return x->op == EXPR_CONST ? build_truth(b, branch->condition)
                               : build_binary(b, EXPR_AND, branch->at, branch->condition, x);
  const struct expr *other = build_not(b, branch->at, branch->condition);
  return x->op == EXPR_CONST ? other : build_binary(b, EXPR_OR, branch->at, other, x);
}

/* Values are chains of conditions: a ? v : b ? w : rest. Such a value is that of a function that may have returned at
   several places. The first node of x's chain that is in y's chain, too; NULL: none. */
static const struct expr *common_rest(const struct expr *x, const struct expr *y) {
  for (unsigned i = 0; i <= MOST_LINKS; i++, x = x->c) {
    const struct expr *other = y;
    for (unsigned k = 0; k < MOST_LINKS && other->op == EXPR_COND && !same_value(x, other); k++)
      other = other->c;
    if (same_value(x, other))
      return x;
    if (x->op != EXPR_COND)
      return NULL;
  }
  return NULL;
}

/* ---- conditions under conditions ------------------------------------------------------------------ */

static bool is_disjunct(const struct expr *any, const struct expr *e) {
  for (; any->op == EXPR_OR; any = any->a)
    if (is_disjunct(any->b, e))
      return true;
  return same_expr(any, e);
}

/* The comparison that holds where `e` does not; another operation: none. */
static struct expr opposite(const struct expr *e) {
  struct expr other = *e;
  const bool swaps = e->op == EXPR_LT || e->op == EXPR_LE;
  other.op = e->op == EXPR_LT   ? EXPR_LE
             : e->op == EXPR_LE ? EXPR_LT
             : e->op == EXPR_EQ ? EXPR_NE
             : e->op == EXPR_NE ? EXPR_EQ
                                : EXPR_CONST;
  other.a = swaps ? e->b : e->a;
  other.b = swaps ? e->a : e->b;
  return other;
}

static bool is_opposite(const struct expr *any, const struct expr *e) {
  const struct expr other = opposite(e);
  return other.op != EXPR_CONST && is_disjunct(any, &other);
}

/* The condition e, where no disjunct of `any` holds. */
static const struct expr *where_none(struct mu_check *c, const struct expr *any, const struct expr *e) {
  struct builder *b = &c->build;
  if (e->can_fail || e->op == EXPR_CONST)
    return e;
  if (is_disjunct(any, e) || is_opposite(any, e))
    return build_const(b, !is_disjunct(any, e));
  if (e->op == EXPR_NOT) {
    const struct expr *inner = where_none(c, any, e->a);
    return inner == e->a ? e : build_not(b, e->at, inner);
  }
  if (e->op != EXPR_AND && e->op != EXPR_OR)
    return e;
  const struct expr *first = where_none(c, any, e->a), *second = where_none(c, any, e->b);
  if (!first || !second || (first == e->a && second == e->b))
    return e;
  if (first->op == EXPR_CONST)
    return (first->value != 0) == (e->op == EXPR_AND) ? build_truth(b, second) : build_const(b, first->value != 0);
  if (second->op == EXPR_CONST)
    return (second->value != 0) == (e->op == EXPR_AND) ? build_truth(b, first) : build_const(b, second->value != 0);
  return build_binary(b, e->op, e->at, first, second);
}

/* condition & e. */
static const struct expr *both(struct mu_check *c, source_at at, const struct expr *condition, const struct expr *e) {
  struct builder *b = &c->build;
  const struct expr *none = build_not(b, at, condition);
  if (none && e && !none->can_fail && none->size < MOST_COMPARED && e->size < MOST_COMPARED)
    e = where_none(c, none, e);
  return e && e->op == EXPR_CONST && !e->value ? e : build_binary(b, EXPR_AND, at, condition, e);
}

/* The chain of x up to `rest`, where its conditions need this one as well; then `next`. */
static const struct expr *merged_links(struct mu_check *c, source_at at, const struct expr *condition,
                                       const struct expr *x, const struct expr *rest, const struct expr *next) {
  if (!x || same_value(x, rest))
    return next;
  const struct expr *behind = merged_links(c, at, condition, x->c, rest, next);
  return build_cond(&c->build, at, both(c, at, condition, x->a), x->b, behind);
}

/* x if the condition holds, else y. Where x is y under a further condition, or the other way round, the common value is
   written once: so counting loops and loops that may return stay small. */
static const struct expr *merged(struct mu_check *c, const struct mu_branch *branch, const struct expr *x,
                                 const struct expr *y) {
  struct builder *b = &c->build;
  const struct expr *condition = branch->condition;
  const struct expr *const rest = common_rest(x, y);
  if (rest) {
    const struct expr *other = build_not(b, branch->at, condition);
    return merged_links(c, branch->at, condition, x, rest, merged_links(c, branch->at, other, y, rest, rest));
  }
  if (x->op == EXPR_COND && same_value(x->b, y))
    return build_cond(b, branch->at, build_binary(b, EXPR_AND, branch->at, condition, build_not(b, branch->at, x->a)),
                      x->c, y);
  if (y->op == EXPR_COND && same_value(y->b, x))
    return build_cond(b, branch->at, build_binary(b, EXPR_OR, branch->at, condition, y->a), x, y->c);
  if (y->op == EXPR_CONST && is_truth(x) && is_truth(y))
    return merged_truth(c, branch, x, y->value);
  if (x->op == EXPR_ADD && x->a == y && x->b->op == EXPR_CONST)
    return build_binary(b, EXPR_ADD, branch->at, y, build_cond(b, branch->at, condition, x->b, build_const(b, 0)));
  return build_cond(b, branch->at, condition, x, y);
}

static void merge_slot(struct mu_check *c, struct mu_branch *branch, size_t slot) {
  const struct expr *x = branch->first[slot], *y = c->slots[slot];
  if (same_value(x, y) || !x || !y)
    return;
  if (!branch->outer) {
    c->slots[slot] = merged(c, branch, x, y);
    return;
  }
  const uint32_t temp = mu_new_temp(c);
  let_in(c, &branch->blocks[0], temp, x, branch->at);
  let_in(c, &branch->blocks[1], temp, y, branch->at);
  c->slots[slot] =
      build_temp(&c->build, branch->at, temp, x->lo < y->lo ? x->lo : y->lo, x->hi > y->hi ? x->hi : y->hi);
}

static void end_block(struct mu_check *c, struct mu_branch *branch) {
  const size_t n = branch->blocks[0].n, m = branch->blocks[1].n;
  struct statement *all = arena_array(c->build.arena, n + m + 1, sizeof *all);
  c->block = branch->outer;
  if (n)
    memcpy(all, branch->blocks[0].items, n * sizeof *all);
  if (m)
    memcpy(all + n, branch->blocks[1].items, m * sizeof *all);
  if (n + m)
    mu_emit(c, (struct statement){.op = ST_IF,
                                  .at = branch->at,
                                  .site = NO_SITE,
                                  .value = branch->condition,
                                  .then = all,
                                  .then_count = n,
                                  .else_count = m});
  else
    mu_evaluate(c, branch->condition, branch->at);
}

static void end_pending(struct mu_check *c, struct mu_branch *branch) {
  struct builder *b = &c->build;
  const struct expr *zero = build_const(b, 0);
  branch->pending[1] = c->pending;
  c->pending = branch->pending_before;
  if (branch->pending[0] || branch->pending[1])
    mu_evaluate(c,
                build_cond(b, branch->at, branch->condition, branch->pending[0] ? branch->pending[0] : zero,
                           branch->pending[1] ? branch->pending[1] : zero),
                branch->at);
  else
    mu_evaluate(c, branch->condition, branch->at);
}

/* Behind a `return` nothing reads the local variables of the function: they keep the values of the other case.
 */
static void drop_returned(struct mu_check *c, const struct mu_branch *branch) {
  const size_t returned = c->frame && !c->checking ? c->frame->returned : SIZE_MAX;
  if (returned >= branch->slots || !branch->first[returned] || !c->slots[returned])
    return;
  const bool first = is_constant_true(branch->first[returned]), second = is_constant_true(c->slots[returned]);
  for (size_t i = returned + 1; first != second && i < branch->slots; i++)
    if (first)
      branch->first[i] = c->slots[i];
    else
      c->slots[i] = branch->first[i];
}

void mu_branch_end(struct mu_check *c, struct mu_branch *branch) {
  if (!branch->otherwise)
    mu_branch_else(c, branch);
  branch->fails[1] = c->fails;
  c->fails = branch->fails[0] && branch->fails[1];
  if (branch->fails[1] && branch->slots) /* values of a case that always fails do not matter */
    memcpy(c->slots, branch->first, branch->slots * sizeof *c->slots);
  else if (!branch->fails[0]) {
    drop_returned(c, branch);
    for (size_t i = 0; i < branch->slots; i++)
      merge_slot(c, branch, i);
  }
  c->slot_count = branch->slots;
  if (branch->outer)
    end_block(c, branch);
  else
    end_pending(c, branch);
}
