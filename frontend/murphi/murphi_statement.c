#include "frontend/murphi/murphi_check.h"

static bool is_false(const struct expr *e) { return e && is_constant_false(e); }
static bool is_true(const struct expr *e) { return e && is_constant_true(e); }

static const struct expr *returned(const struct mu_check *c) { return c->slots[c->frame->returned]; }

/* So loops and recursion end. */
static void always_fails(struct mu_check *c) { c->fails = !c->checking; }

/* ---- assignments --------------------------------------------------------------------------------- */

bool mu_target(struct mu_check *c, const struct mu_expr *e, struct mu_place *out) {
  if (!mu_designate(c, e, "it cannot be changed", out))
    return false;
  if (!out->read_only)
    return true;
  MU_ERROR(c, e->at, "copy it to a variable", "'%s' cannot be changed", mu_expr_text(c, e));
  return false;
}

static bool fits(struct mu_check *c, source_at at, const struct mu_type *from, const struct mu_type *to,
                 const char *what) {
  if (mu_compatible(from, to) && (mu_is_scalar(to) || mu_equivalent(from, to)))
    return true;
  MU_ERROR(c, at, NULL, "the value is %s, and '%s' is %s", mu_type_text(c, from), what, mu_type_text(c, to));
  return false;
}

void mu_assign_value(struct mu_check *c, const struct mu_place *target, const struct mu_value *value, source_at at,
                     const char *what) {
  if (!fits(c, at, value->type, target->type, what) || (mu_is_scalar(target->type) && !value->expr))
    return;
  if (mu_is_scalar(target->type)) {
    mu_write(c, target, mu_converted(c, at, what, value->expr, value->type, target->type), at);
    const bool defined = value->type->kind == MU_INTEGER || value->expr->hi <= value->type->hi;
    if (mu_is_number(target->type) && defined &&
        (value->expr->hi < target->type->lo || value->expr->lo > target->type->hi))
      always_fails(c);
  } else
    mu_copy(c, target, &value->place, at);
}

struct setting {
  const struct mu_statement *s;
  struct mu_place target;
};

/* The scalar is in a multiset of the target: the slot becomes empty. */
static bool is_emptied(const struct mu_place *target, const struct mu_bag *bag) {
  return bag && target->leaf <= bag->leaf && bag->leaf < target->leaf + target->type->leaves;
}

static void set_scalar(struct mu_check *c, const struct mu_place *scalar, void *data) {
  const struct setting *setting = data;
  const bool least =
      setting->s->kind == MU_S_CLEAR && !is_emptied(&setting->target, scalar->object->leaves[scalar->leaf].bag);
  if (least)
    mu_check_clear(c, scalar->type, setting->s->at);
  mu_write(c, scalar, build_const(&c->build, least ? scalar->type->lo : scalar->type->hi + 1), setting->s->at);
}

static void set_all(struct mu_check *c, const struct mu_statement *s) {
  struct setting setting = {.s = s};
  if (mu_target(c, s->target, &setting.target))
    mu_each_scalar(c, &setting.target, set_scalar, &setting);
}

static void assign(struct mu_check *c, const struct mu_statement *s) {
  struct mu_place target;
  if (mu_is_undefined(c, s->value)) {
    set_all(c, s);
    return;
  }
  const bool valid = mu_target(c, s->target, &target);
  if (valid && s->value->calls)
    mu_freeze_place(c, &target);
  const struct mu_value value = mu_copied_value(c, s->value);
  if (valid && value.type)
    mu_assign_value(c, &target, &value, s->at, mu_expr_text(c, s->target));
}

/* ---- choices ------------------------------------------------------------------------------------- */

/* The clauses from `i` on; `value`: of a `switch`, NULL: `if`. */
static void execute_clauses(struct mu_check *c, const struct mu_statement *s, size_t i, const struct mu_value *value);

static const struct expr *clause_condition(struct mu_check *c, const struct mu_statement *s,
                                           const struct mu_clause *clause, const struct mu_value *value) {
  const struct expr *condition = NULL;
  if (!value)
    return mu_condition(c, clause->values.items[0]);
  for (size_t k = 0; k < clause->values.n; k++) {
    const struct mu_expr *e = clause->values.items[k];
    const struct mu_value constant = mu_value_of(c, e);
    const struct expr *equal = mu_equal(c, e->at, value, &constant, mu_expr_text(c, s->value), mu_expr_text(c, e));
    condition = k ? build_binary(&c->build, EXPR_OR, e->at, condition, equal) : equal;
  }
  return condition;
}

static void execute_clauses(struct mu_check *c, const struct mu_statement *s, size_t i, const struct mu_value *value) {
  if (i == s->clause_count)
    return;
  const struct mu_clause *clause = &s->clauses[i];
  if (!clause->values.n) {
    mu_execute(c, &clause->body);
    return;
  }
  const struct expr *condition = clause_condition(c, s, clause, value);
  if (!c->checking && is_true(condition)) {
    mu_execute(c, &clause->body);
    return;
  }
  if (!c->checking && is_false(condition)) {
    execute_clauses(c, s, i + 1, value);
    return;
  }
  if (!condition)
    condition = build_temp(&c->build, s->at, 0, 0, 1); /* an error was logged: check the bodies */
  struct mu_branch branch;
  mu_branch(c, &branch, condition, clause->values.items[0]->at);
  mu_execute(c, &clause->body);
  mu_branch_else(c, &branch);
  execute_clauses(c, s, i + 1, value);
  mu_branch_end(c, &branch);
}

static void execute_switch(struct mu_check *c, const struct mu_statement *s) {
  struct mu_value value = mu_compared_value(c, s->value);
  if (!value.type)
    return;
  if (!mu_is_scalar(value.type)) {
    MU_ERROR(c, s->value->at, "name one of its scalars", "'%s' is %s; a scalar is needed here",
             mu_expr_text(c, s->value), mu_type_text(c, value.type));
    return;
  }
  value.expr = mu_freeze(c, value.expr, s->value->at);
  if (value.expr)
    mu_evaluate(c, value.expr, s->value->at);
  if (value.expr)
    execute_clauses(c, s, 0, &value);
}

/* ---- loops --------------------------------------------------------------------------------------- */

static void execute_for(struct mu_check *c, const struct mu_statement *s, size_t depth);

static void execute_round(struct mu_check *c, const struct mu_statement *s, size_t depth, const struct mu_type *type,
                          const struct expr *value) {
  const struct mu_scope scope = mu_open_scope(c);
  mu_declare(c, (struct mu_symbol){
                    .kind = MU_SYMBOL_VALUE, .name = s->quantifiers.items[depth].name, .type = type, .value = value});
  execute_for(c, s, depth + 1);
  mu_close_scope(c, scope);
}

/* `symmetric` NULL: the loop is not over a symmetric type. */
static void execute_rounds(struct mu_check *c, const struct mu_statement *s, size_t depth,
                           const struct mu_rounds *rounds, struct mu_loop *symmetric) {
  for (uint64_t i = 0; i < rounds->count && build_spend(&c->build, s->at, 0, 1); i++) {
    const struct expr *value = mu_round_value(c, rounds, i, s->at);
    const struct expr *exists = mu_round_exists(c, rounds, value, s->at);
    if (!value || !exists || c->fails || (!c->checking && is_true(returned(c))))
      return;
    if (symmetric)
      symmetric->round = i;
    if (is_true(exists)) {
      execute_round(c, s, depth, rounds->type, value);
      continue;
    }
    struct mu_branch branch;
    mu_branch(c, &branch, exists, s->at);
    execute_round(c, s, depth, rounds->type, value);
    mu_branch_end(c, &branch);
  }
}

static void execute_for(struct mu_check *c, const struct mu_statement *s, size_t depth) {
  struct mu_rounds rounds;
  if (depth == s->quantifiers.n) {
    mu_execute(c, &s->body);
    return;
  }
  if (!mu_rounds_of(c, &s->quantifiers.items[depth], &rounds))
    return;
  struct mu_loop loop;
  const bool symmetric = !c->checking && mu_is_symmetric(c, rounds.type);
  if (symmetric)
    mu_loop_begin(c, &loop);
  execute_rounds(c, s, depth, &rounds, symmetric ? &loop : NULL);
  if (symmetric)
    mu_loop_end(c, &loop, s->at);
}

static void execute_while_from(struct mu_check *c, const struct mu_statement *s, unsigned round, unsigned nested);

/* The body of a round, and the rounds behind it, unless a `return` was executed. */
static void execute_while_round(struct mu_check *c, const struct mu_statement *s, unsigned round, unsigned nested) {
  mu_execute(c, &s->body);
  if (c->fails || is_true(returned(c)))
    return;
  if (is_false(returned(c))) {
    execute_while_from(c, s, round + 1, nested);
    return;
  }
  struct mu_branch branch;
  mu_branch(c, &branch, build_not(&c->build, s->at, returned(c)), s->at);
  c->slots[c->frame->returned] = build_const(&c->build, 0);
  execute_while_from(c, s, round + 1, nested + 1);
  mu_branch_else(c, &branch);
  c->slots[c->frame->returned] = build_const(&c->build, 1);
  mu_branch_end(c, &branch);
}

/* The rounds are nested: where one is known to be executed, values of local variables are known as well. */
static void execute_while_from(struct mu_check *c, const struct mu_statement *s, unsigned round, unsigned nested) {
  if (c->build.errors || !build_spend(&c->build, s->at, 1, 1))
    return;
  const struct expr *condition = mu_condition(c, s->value);
  if (!condition || is_false(condition))
    return;
  if (round == MU_MAX_ROUNDS) {
    mu_require(c, build_not(&c->build, s->at, condition), SITE_ERROR, s->at,
               "a 'while' loop has more than 1000 rounds");
    c->fails = is_true(condition);
    return;
  }
  if (is_true(condition)) {
    execute_while_round(c, s, round, nested);
    return;
  }
  if (nested == MU_MAX_NESTED) {
    build_too_large(&c->build, s->at,
                    "the number of rounds of a 'while' loop depends on the state, and it may be "
                    "more than 100");
    return;
  }
  struct mu_branch branch;
  mu_branch(c, &branch, condition, s->value->at);
  execute_while_round(c, s, round, nested + 1);
  mu_branch_end(c, &branch);
}

static void execute_while(struct mu_check *c, const struct mu_statement *s) {
  if (!c->checking) {
    execute_while_from(c, s, 0, 0);
    return;
  }
  mu_condition(c, s->value);
  mu_execute(c, &s->body);
}

/* ---- others -------------------------------------------------------------------------------------- */

void mu_bind_aliases(struct mu_check *c, const struct mu_aliases *aliases) {
  for (size_t i = 0; i < aliases->n; i++) {
    const struct mu_alias *alias = &aliases->items[i];
    struct mu_symbol symbol = {.kind = MU_SYMBOL_PLACE, .name = alias->name};
    if (mu_is_designator(c, alias->value)) {
      if (!mu_designate(c, alias->value, NULL, &symbol.place))
        continue;
      mu_freeze_place(c, &symbol.place);
    } else {
      const struct mu_value value = mu_value_of(c, alias->value);
      if (!value.type)
        continue;
      symbol.place = value.place;
      symbol.place.read_only = true;
      if (mu_is_scalar(value.type)) {
        symbol.kind = MU_SYMBOL_VALUE;
        symbol.type = value.type;
        symbol.value = mu_freeze(c, value.expr, alias->value->at);
      }
    }
    mu_declare(c, symbol);
  }
}

static void execute_alias(struct mu_check *c, const struct mu_statement *s) {
  const struct mu_scope scope = mu_open_scope(c);
  mu_bind_aliases(c, &s->aliases);
  mu_execute(c, &s->body);
  mu_close_scope(c, scope);
}

static void execute_return(struct mu_check *c, const struct mu_statement *s) {
  const struct mu_callable *callable = c->frame->callable;
  const struct mu_type *type = callable ? callable->result : NULL;
  if (s->value && !type) {
    MU_ERROR(c, s->value->at, NULL, "only a function returns a value");
    return;
  }
  if (!s->value && type) {
    MU_ERROR(c, s->at, "write it behind 'return'", "the function returns a value");
    return;
  }
  if (s->value) {
    const struct mu_value value = mu_value_of(c, s->value);
    const struct mu_place target = mu_whole(c->frame->result);
    if (!value.type)
      return;
    mu_assign_value(c, &target, &value, s->at,
                    arena_printf(c->build.arena, "the result of %s", mu_name_text(c, callable->function->name)));
  }
  c->slots[c->frame->returned] = build_const(&c->build, 1);
  mu_note_return(c);
}

/* Nothing is printed, but errors of the expression are errors of the model. */
static void execute_put(struct mu_check *c, const struct mu_statement *s) {
  struct mu_place place;
  if (!s->value)
    return;
  if (!mu_is_designator(c, s->value)) {
    const struct mu_value value = mu_value_of(c, s->value);
    if (value.type && mu_is_scalar(value.type))
      mu_evaluate(c, value.expr, s->at);
    return;
  }
  if (mu_designate(c, s->value, NULL, &place))
    for (uint32_t i = 0; i < place.index_count; i++)
      mu_evaluate(c, place.indices[i], s->at);
}

static void execute_call(struct mu_check *c, const struct mu_statement *s) {
  const struct mu_value value = mu_call(c, s->value);
  if (value.type && value.expr)
    mu_evaluate(c, value.expr, s->at);
}

static void execute(struct mu_check *c, const struct mu_statement *s) {
  switch (s->kind) {
  case MU_S_ASSIGN:
    assign(c, s);
    break;
  case MU_S_IF:
    execute_clauses(c, s, 0, NULL);
    break;
  case MU_S_SWITCH:
    execute_switch(c, s);
    break;
  case MU_S_FOR:
    execute_for(c, s, 0);
    break;
  case MU_S_WHILE:
    execute_while(c, s);
    break;
  case MU_S_ALIAS:
    execute_alias(c, s);
    break;
  case MU_S_CLEAR:
  case MU_S_UNDEFINE:
    set_all(c, s);
    break;
  case MU_S_CALL:
    execute_call(c, s);
    break;
  case MU_S_RETURN:
    execute_return(c, s);
    break;
  case MU_S_ERROR:
    mu_require(c, build_const(&c->build, 0), SITE_ERROR, s->at, s->text);
    always_fails(c);
    break;
  case MU_S_ASSERT:
    mu_require(c, mu_condition(c, s->value), SITE_ASSERT, s->at, s->text ? s->text : mu_expr_text(c, s->value));
    break;
  case MU_S_ASSUME:
    mu_execute_assume(c, s);
    break;
  case MU_S_COVER:
    mu_execute_cover(c, s);
    break;
  case MU_S_PUT:
    execute_put(c, s);
    break;
  case MU_S_ADD:
  case MU_S_REMOVE:
  case MU_S_REMOVEPRED:
    mu_execute_multiset(c, s);
    break;
  default:
    MU_ERROR(c, s->at, "write it outside of rules", "'liveness' is a property, not a statement");
  }
}

static void note_assumption(struct mu_check *c, size_t count) {
  c->assumes = false;
  c->assumed_count = count;
}

static void execute_from(struct mu_check *c, const struct mu_statements *body, size_t i) {
  for (; i < body->n && !c->build.stop; i++) {
    const struct expr *done = returned(c);
    if (c->fails || (!c->checking && is_true(done)))
      return;
    if (!c->checking && !is_false(done))
      break;
    const size_t slots = c->slot_count;
    execute(c, &body->items[i]);
    c->slot_count = slots;
    if (body == c->body && c->assumes)
      note_assumption(c, i + 1);
  }
  if (i == body->n || c->build.stop)
    return;
  struct mu_branch branch; /* the rest, unless a `return` was executed */
  mu_branch(c, &branch, build_not(&c->build, body->items[i].at, returned(c)), body->items[i].at);
  c->slots[c->frame->returned] = build_const(&c->build, 0);
  execute_from(c, body, i);
  mu_branch_else(c, &branch);
  c->slots[c->frame->returned] = build_const(&c->build, 1);
  mu_branch_end(c, &branch);
}

void mu_execute(struct mu_check *c, const struct mu_statements *body) { execute_from(c, body, 0); }
