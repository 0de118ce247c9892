/* Text of expressions in the language of a dialect. */
#include "model/write/writer.h"

#include "model/bit_intervals.h"

#include <inttypes.h>

/* Languages limit the depth of brackets. */
#define DEEPEST 200

static void put_expr(struct writer *w, const struct expr *e);

void writer_number(struct writer *w, int64_t value) {
  if (value == INT64_MIN)
    put(w, "(%" PRId64 " - 1)", value + 1);
  else
    put(w, "%" PRId64, value);
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Comparison of the location of a process that keeps it with a constant. */
static const struct variable *tested_location(const struct writer *w, const struct expr *e) {
  if ((e->op != EXPR_EQ && e->op != EXPR_NE) || e->a->op != EXPR_READ || e->b->op != EXPR_CONST)
    return NULL;
  const struct variable *v = &w->model->variables[e->a->id];
  const bool kept = v->kind == VARIABLE_LOCATION && w->located[v->owner] && e->b->value >= 0 &&
                    (size_t)e->b->value < w->model->processes[v->owner].location_count;
  return kept ? v : NULL;
}

/* Number of the location: the sum of the numbers of those where the instance is. */
static void put_location(struct writer *w, const struct variable *v, const struct expr *index) {
  const size_t count = w->model->processes[v->owner].location_count;
  put(w, "(0");
  for (uint32_t l = 1; l < count; l++) {
    put(w, " + %" PRIu32 " * ", l);
    w->dialect->at(w, v->owner, index, l);
  }
  put(w, ")");
}

static void put_read(struct writer *w, const struct expr *e) {
  const struct variable *v = &w->model->variables[e->id];
  if (v->kind == VARIABLE_LOCATION && w->located[v->owner])
    put_location(w, v, e->a);
  else
    w->dialect->element(w, e->id, e->a);
}

static void put_select(struct writer *w, uint32_t id) {
  if (w->chosen)
    writer_number(w, w->chosen[id]);
  else
    put(w, "%s", w->selects[id]);
}

/* ---- indices ---------------------------------------------------------------------------------- */

static void put_tested(struct writer *w, const struct expr *e) {
  const uint32_t bound = (uint32_t)e->value;
  size_t i = 0;
  while (i < w->bound_count && w->bounds[i].bound != bound)
    i++;
  if (i == w->bound_count)
    *ARENA_PUSH(w->arena, w->bounds, w->bound_count, w->bound_cap) =
        (struct index_test){writer_name(w, NULL, arena_printf(w->arena, "below_%" PRIu32, bound)), bound};
  put(w, "%s[", w->bounds[i].name);
  writer_index(w, e->a, bound);
  put(w, "]");
}

void writer_index(struct writer *w, const struct expr *index, uint32_t size) {
  w->nesting++;
  if (!index)
    put(w, "0");
  else if (index->op == EXPR_INDEX && (index->site == NO_SITE || index->value == size))
    writer_expr(w, index->a, STRENGTH_COND);
  else
    writer_expr(w, index, STRENGTH_COND);
  w->nesting--;
}

/* ---- operators -------------------------------------------------------------------------------- */

static void put_binary(struct writer *w, const struct expr *e) {
  const struct operator_text *n = &w->dialect->operators[e->op];
  const bool compares = n->strength == STRENGTH_EQUALITY || n->strength == STRENGTH_ORDER;
  const bool chains = e->op == EXPR_AND || e->op == EXPR_OR;
  const enum operator_strength more = compares ? STRENGTH_SHIFT : n->strength + 1;
  writer_expr(w, e->a, e->a->op == e->op && !compares ? n->strength : more);
  put(w, " %s ", n->text);
  writer_expr(w, e->b, chains && e->b->op == e->op ? n->strength : more);
}

static void put_unary(struct writer *w, const struct expr *e) {
  put(w, "%s", w->dialect->operators[e->op].text);
  writer_expr(w, e->a, STRENGTH_ATOM);
}

/* Where the language has no conditional: condition * a + not condition * b. */
static void put_choice(struct writer *w, const struct expr *condition, const struct expr *a, const struct expr *b) {
  const char *no = w->dialect->operators[EXPR_NOT].text;
  if (a->can_fail || b->can_fail)
    writer_refuse(w, a->at, "use 'if', or a value that cannot fail",
                  "one of both sides of '?' can fail, and this language would evaluate both");
  put(w, "((");
  writer_expr(w, condition, STRENGTH_COND);
  put(w, ") != 0) * ");
  writer_expr(w, a, STRENGTH_UNARY);
  put(w, " + (%s(", no);
  writer_expr(w, condition, STRENGTH_COND);
  put(w, ")) * ");
  writer_expr(w, b, STRENGTH_UNARY);
}

static void put_conditional(struct writer *w, const struct expr *e) {
  if (!w->dialect->has_conditionals) {
    put_choice(w, e->a, e->b, e->c);
    return;
  }
  writer_expr(w, e->a, STRENGTH_OR);
  put(w, " ? ");
  writer_expr(w, e->b, STRENGTH_OR);
  put(w, " : ");
  writer_expr(w, e->c, STRENGTH_OR);
}

static void put_extreme(struct writer *w, const struct expr *e) {
  const struct expr less = {.op = EXPR_LE, .at = e->at, .a = e->a, .b = e->b, .hi = 1, .can_fail = e->can_fail};
  if (!w->dialect->has_conditionals) {
    put_choice(w, &less, e->op == EXPR_MIN ? e->a : e->b, e->op == EXPR_MIN ? e->b : e->a);
    return;
  }
  put(w, "%s(", w->dialect->operators[e->op].text);
  writer_expr(w, e->a, STRENGTH_COND);
  put(w, ", ");
  writer_expr(w, e->b, STRENGTH_COND);
  put(w, ")");
}

/* ---- all -------------------------------------------------------------------------------------- */

static const struct expr *in_place(const struct writer *w, const struct expr *e) {
  while ((e->op == EXPR_TEMP && w->transition && w->inlined[e->id]) || (e->op == EXPR_INDEX && e->site == NO_SITE) ||
         e->op == EXPR_COMMITTED)
    e = e->op == EXPR_TEMP ? w->inlined[e->id] : e->op == EXPR_INDEX ? e->a : w->model->committed;
  return e;
}

static enum operator_strength strength_of(const struct writer *w, const struct expr *e) {
  if (tested_location(w, e))
    return e->op == EXPR_EQ ? STRENGTH_ATOM : STRENGTH_UNARY;
  if (e->op == EXPR_CONST || (e->op == EXPR_SELECT && w->chosen))
    return (e->op == EXPR_CONST ? e->value : w->chosen[e->id]) < 0 ? STRENGTH_UNARY : STRENGTH_ATOM;
  if (!w->dialect->has_conditionals && (e->op == EXPR_MIN || e->op == EXPR_MAX || e->op == EXPR_COND))
    return STRENGTH_SUM;
  return w->dialect->operators[e->op].strength;
}

static void put_expr(struct writer *w, const struct expr *e) {
  const struct variable *location = tested_location(w, e);
  if (location) {
    put(w, "%s", e->op == EXPR_NE ? w->dialect->operators[EXPR_NOT].text : "");
    w->dialect->at(w, location->owner, e->a->a, (uint32_t)e->b->value);
    return;
  }
  switch (e->op) {
  case EXPR_CONST:
    writer_number(w, e->value);
    break;
  case EXPR_READ:
    put_read(w, e);
    break;
  case EXPR_SELECT:
    put_select(w, e->id);
    break;
  case EXPR_TEMP:
    put(w, "%s", writer_temporary(w, e->id, NULL));
    break;
  case EXPR_INDEX:
    put_tested(w, e);
    break;
  case EXPR_NEG:
  case EXPR_NOT:
  case EXPR_BITNOT:
    put_unary(w, e);
    break;
  case EXPR_COND:
    put_conditional(w, e);
    break;
  case EXPR_MIN:
  case EXPR_MAX:
    put_extreme(w, e);
    break;
  case EXPR_ENABLED:
    if (w->dialect->enabled)
      w->dialect->enabled(w, &w->model->enabled[e->id].set);
    else
      writer_refuse(w, e->at, NULL, "the language has no 'enabled'");
    break;
  default:
    put_binary(w, e);
  }
}

static bool fits(const struct writer *w, const struct expr *e) {
  return e->lo >= w->dialect->lo && e->hi <= w->dialect->hi;
}

void writer_expr(struct writer *w, const struct expr *e, enum operator_strength least) {
  e = in_place(w, e);
  const bool brackets = strength_of(w, e) < least;
  if (w->out.length > WRITER_LARGEST)
    return;
  if (!fits(w, e))
    writer_refuse(w, e->at, "use smaller ranges, in nets -D tokens=N",
                  "a value of %" PRId64 "..%" PRId64 " exceeds the %s of the language", e->lo, e->hi,
                  w->dialect->numbers);
  if (is_shift(e->op) && w->dialect->hi == INT32_MAX && !(e->b->lo >= 0 && e->b->hi <= 31))
    writer_refuse(w, e->at, "limit its range to 0..31", "a shift by %" PRId64 "..%" PRId64 " has another meaning there",
                  e->b->lo, e->b->hi);
  w->nesting += brackets;
  if (w->nesting > DEEPEST)
    writer_refuse(w, e->at, "simplify the expression", "the expression is nested more than %d deep", DEEPEST);
  if (brackets)
    put(w, "(");
  put_expr(w, e);
  if (brackets)
    put(w, ")");
  w->nesting -= brackets;
}
