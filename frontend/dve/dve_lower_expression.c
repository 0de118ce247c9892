/* Expressions. Arithmetic is that of 32-bit integers in two's complement, as in DiVinE. */
#include "frontend/dve/dve_check.h"
#include "frontend/dve/parse/dve_lexer.h"
#include "frontend/parse/source_text.h"

#include <string.h>

#define VALUES (1u << DVE_CONSTANT | 1u << DVE_VARIABLE)

const char *dve_text(struct dve_check *c, source_at start, source_at end) {
  return source_text(c->build.source, start, end, dve_skip, c->build.arena);
}

static const char *text_of(struct dve_check *c, const struct dve_expr *e) { return dve_text(c, e->start, e->end); }

/* ---- variables ----------------------------------------------------------------------------------- */

/* The process in whose scope the name is: that of PROCESS->NAME, or the scope's own. False: an error is logged. */
static bool owner_of(const struct dve_scope *scope, const struct dve_expr *e, const struct dve_process_info **owner) {
  *owner = scope->process;
  if (!e->process.text)
    return true;
  *owner = dve_find_process(scope->check, &e->process);
  return *owner != NULL;
}

/* NULL: an error is logged. */
static const struct dve_symbol *find_value(const struct dve_scope *scope, const struct dve_expr *e) {
  struct dve_check *c = scope->check;
  const struct dve_process_info *owner;
  if (!owner_of(scope, e, &owner))
    return NULL;
  const struct dve_symbol *symbol;
  if (!e->process.text) {
    symbol = dve_find_in_scope(c, owner, e->name.text, VALUES);
    if (!symbol)
      CHECK_ERROR(c, e->name.at, dve_suggestion(c, owner, e->name.text, VALUES), "there is no variable '%s'",
                  e->name.text);
    return symbol;
  }
  symbol = dve_find(&owner->names, e->name.text);
  if (symbol && (1u << symbol->kind & VALUES))
    return symbol;
  const bool is_state = dve_find(&owner->states, e->name.text) != NULL;
  CHECK_ERROR(c, e->name.at,
              is_state ? arena_printf(c->build.arena, "write '%s.%s' for the state", e->process.text, e->name.text)
                       : dve_suggestion(c, owner, e->name.text, VALUES),
              "process '%s' has no variable '%s'", e->process.text, e->name.text);
  return NULL;
}

static const struct expr *lower_index(const struct dve_scope *scope, const struct dve_expr *e, uint32_t variable) {
  struct dve_check *c = scope->check;
  const struct variable *v = &c->variables[variable];
  if (!v->is_array) {
    CHECK_ERROR(c, e->a->at, NULL, "'%s' is not an array", e->name.text);
    return NULL;
  }
  return build_index(&c->build, e->a->at, dve_lower(scope, e->a), v->count, v->name);
}

/* The value of an element after the assignments. */
static const struct expr *after_writes(struct dve_check *c, const struct dve_writes *writes, uint32_t variable,
                                       const struct expr *index, const struct expr *value, source_at at) {
  struct builder *b = &c->build;
  const struct expr *zero = build_const(b, 0);
  for (size_t i = 0; writes && i < writes->n; i++) {
    const struct dve_write *write = &writes->items[i];
    if (write->target.variable != variable)
      continue;
    const struct expr *same =
        build_binary(b, EXPR_EQ, at, index ? index : zero, write->target.index ? write->target.index : zero);
    value = build_cond(b, at, same, write->value, value);
  }
  return value;
}

static const struct expr *read_variable(const struct dve_scope *scope, const struct dve_expr *e, uint32_t variable) {
  struct dve_check *c = scope->check;
  const struct variable *v = &c->variables[variable];
  const struct expr *index = e->a ? lower_index(scope, e, variable) : NULL;
  if (e->a && !index)
    return NULL;
  if (scope->constant && !c->variable_infos[variable].is_constant) {
    CHECK_ERROR(c, e->at, "declare it with 'const'", "'%s' is a variable, and a constant is needed here", e->name.text);
    return NULL;
  }
  if (c->variable_infos[variable].is_constant && (!index || index->op == EXPR_CONST))
    return build_const(&c->build, v->init[index ? index->value : 0]);
  return after_writes(c, scope->writes, variable, index, build_read(&c->build, e->at, variable, index), e->at);
}

static const struct expr *lower_name(const struct dve_scope *scope, const struct dve_expr *e) {
  struct dve_check *c = scope->check;
  const struct dve_symbol *symbol = find_value(scope, e);
  if (!symbol)
    return NULL;
  if (symbol->kind == DVE_VARIABLE)
    return read_variable(scope, e, symbol->id);
  if (!e->a)
    return build_const(&c->build, symbol->value);
  CHECK_ERROR(c, e->a->at, NULL, "'%s' is not an array", e->name.text);
  return NULL;
}

static const struct expr *lower_state(const struct dve_scope *scope, const struct dve_expr *e) {
  struct dve_check *c = scope->check;
  const struct dve_process_info *process = dve_find_process(c, &e->process);
  const uint32_t state = process ? dve_find_state(c, process, &e->name) : COMPOSE_NONE;
  if (state == COMPOSE_NONE)
    return NULL;
  if (process->number == COMPOSE_NONE || scope->constant) {
    CHECK_ERROR(c, e->at, NULL, "the state of '%s' cannot be read here", e->process.text);
    return NULL;
  }
  const struct expr *here = build_read(&c->build, e->at, c->processes[process->number].location_variable, NULL);
  return build_binary(&c->build, EXPR_EQ, e->at, here, build_const(&c->build, state));
}

/* ---- operators ----------------------------------------------------------------------------------- */

static const struct expr *fitting(struct dve_check *c, source_at at, const struct expr *e) {
  return build_wrapped(&c->build, at, e, INT32_MIN, INT32_MAX);
}

/* b is not evaluated if a decides. */
static const struct expr *lower_logic(const struct dve_scope *scope, const struct dve_expr *e) {
  struct builder *b = &scope->check->build;
  const enum expr_op op = e->op == DVE_AND ? EXPR_AND : EXPR_OR;
  const struct expr *left = build_truth(b, dve_lower(scope, e->a));
  if (e->op == DVE_IMPLY)
    left = build_not(b, e->at, left);
  const bool decided = left && (op == EXPR_AND ? is_constant_false(left) : is_constant_true(left));
  b->dead += decided;
  const struct expr *right = build_truth(b, dve_lower(scope, e->b));
  b->dead -= decided;
  return build_binary(b, op, e->at, left, right);
}

static const struct expr *divide(const struct dve_scope *scope, const struct dve_expr *e, const struct expr *x,
                                 const struct expr *y) {
  struct dve_check *c = scope->check;
  if (y && scope->constant && is_constant_false(y)) {
    CHECK_ERROR(c, e->at, NULL, "division by zero");
    return NULL;
  }
  return build_division(&c->build, e->op == DVE_DIV ? EXPR_DIV : EXPR_MOD, e->at, x, y, text_of(c, e->b));
}

/* Shifts by 32 or more leave only the sign, or 0; a negative number is an error. */
static const struct expr *shift(const struct dve_scope *scope, const struct dve_expr *e, const struct expr *x,
                                const struct expr *y) {
  struct dve_check *c = scope->check;
  if (y && scope->constant && y->op == EXPR_CONST && y->value < 0) {
    CHECK_ERROR(c, e->at, NULL, "shift by a negative number");
    return NULL;
  }
  const struct expr *by = build_binary(&c->build, EXPR_MIN, e->at, y, build_const(&c->build, 32));
  return build_shift(&c->build, e->op == DVE_SHL ? EXPR_SHL : EXPR_SHR, e->at, x, by, text_of(c, e->b));
}

static enum expr_op operator_of(enum dve_op op) {
  static const enum expr_op all[] = {
      [DVE_BITOR] = EXPR_BITOR, [DVE_BITXOR] = EXPR_BITXOR, [DVE_BITAND] = EXPR_BITAND, [DVE_EQ] = EXPR_EQ,
      [DVE_NE] = EXPR_NE,       [DVE_LT] = EXPR_LT,         [DVE_LE] = EXPR_LE,         [DVE_GT] = EXPR_LT,
      [DVE_GE] = EXPR_LE,       [DVE_ADD] = EXPR_ADD,       [DVE_SUB] = EXPR_SUB,       [DVE_MUL] = EXPR_MUL,
  };
  return all[op];
}

static const struct expr *lower_binary(const struct dve_scope *scope, const struct dve_expr *e) {
  struct builder *b = &scope->check->build;
  const struct expr *x = dve_lower(scope, e->a), *y = dve_lower(scope, e->b);
  switch (e->op) {
  case DVE_DIV:
  case DVE_MOD:
    return divide(scope, e, x, y);
  case DVE_SHL:
  case DVE_SHR:
    return shift(scope, e, x, y);
  case DVE_GT:
  case DVE_GE:
    return build_reversed(b, operator_of(e->op), e->at, x, y);
  default:
    return build_binary(b, operator_of(e->op), e->at, x, y);
  }
}

const struct expr *dve_lower(const struct dve_scope *scope, const struct dve_expr *e) {
  struct dve_check *c = scope->check;
  struct builder *b = &c->build;
  if (!build_spend(b, e->at, 0, 1))
    return NULL;
  switch (e->op) {
  case DVE_NUMBER:
    return build_const(b, e->value);
  case DVE_NAME:
    return lower_name(scope, e);
  case DVE_STATE:
    return lower_state(scope, e);
  case DVE_NEG:
    return fitting(c, e->at, build_negative(b, e->at, dve_lower(scope, e->a)));
  case DVE_NOT:
    return build_not(b, e->at, dve_lower(scope, e->a));
  case DVE_BITNOT:
    return build_bitnot(b, e->at, dve_lower(scope, e->a));
  case DVE_IMPLY:
  case DVE_OR:
  case DVE_AND:
    return lower_logic(scope, e);
  default:
    return fitting(c, e->at, lower_binary(scope, e));
  }
}

/* ---- uses ---------------------------------------------------------------------------------------- */

bool dve_constant(const struct dve_scope *scope, const struct dve_expr *e, const char *what, int64_t *value) {
  const struct dve_scope constant = {.check = scope->check, .process = scope->process, .constant = true};
  const size_t errors = scope->check->build.errors;
  const struct expr *result = dve_lower(&constant, e);
  if (result && result->op == EXPR_CONST) {
    *value = result->value;
    return true;
  }
  if (scope->check->build.errors == errors)
    CHECK_ERROR(scope->check, e->at, NULL, "%s is not a constant", what);
  return false;
}

const struct expr *dve_lower_all(const struct dve_scope *scope, const struct dve_exprs *all) {
  struct builder *b = &scope->check->build;
  const struct expr *result = build_const(b, 1);
  for (size_t i = 0; i < all->n; i++) {
    const bool decided = result && is_constant_false(result);
    b->dead += decided;
    const struct expr *next = build_truth(b, dve_lower(scope, all->items[i]));
    b->dead -= decided;
    result = build_binary(b, EXPR_AND, all->items[i]->at, result, next);
  }
  return result;
}

struct variable *dve_target(const struct dve_scope *scope, const struct dve_expr *target) {
  struct dve_check *c = scope->check;
  const struct dve_symbol *symbol = find_value(scope, target);
  if (!symbol)
    return NULL;
  if (symbol->kind == DVE_VARIABLE && !c->variable_infos[symbol->id].is_constant)
    return &c->variables[symbol->id];
  CHECK_ERROR(c, target->at, NULL, "'%s' is a constant: it cannot be assigned", target->name.text);
  return NULL;
}

struct place dve_place(const struct dve_scope *scope, const struct dve_expr *target) {
  const struct variable *v = dve_target(scope, target);
  const uint32_t number = v ? (uint32_t)(v - scope->check->variables) : COMPOSE_NONE;
  const struct expr *index = v && target->a ? lower_index(scope, target, number) : NULL;
  return (struct place){v && (!target->a || index) ? number : COMPOSE_NONE, index};
}

const struct expr *dve_wrapped(struct dve_check *c, source_at at, const struct expr *value, bool is_int) {
  return build_wrapped(&c->build, at, value, is_int ? INT16_MIN : 0, is_int ? INT16_MAX : BYTE_MAX);
}
