/* Functions: a call is executed symbolically. The value of each variable is an expression; after a branch it is a
   conditional expression, and loops are unrolled. What can fail is evaluated in the order of the statements: its
   product with 0 is added to the result. */
#include "frontend/expr/check_define.h"
#include "frontend/expr/check_enumerations.h"
#include "frontend/expr/check_names.h"
#include "model/structural_equality.h"

#include <string.h>

/* Limits on the expression that is the value of a variable or of a call: functions that read it are recursive. */
#define MAX_DEPTH 1000
#define MAX_SIZE 100000
#define RECURSION 5 /* of a call, and of a branch or iteration that returns: as that of so many operators */

/* A variable, a parameter, or the name of a loop. */
struct local {
  struct binding binding;
  bool is_loop;
  struct local *outer;
};

/* Statements that follow. After them those of `outer`. */
struct rest {
  const struct syntax_statement *list;
  size_t n;
  struct local *locals;                /* visible there */
  const struct syntax_statement *loop; /* the next iteration comes first; NULL: none */
  int64_t next, hi;
  const struct rest *outer;
};

struct call {
  struct scope scope;
  struct local *locals;
  const struct expr *checks; /* 0, evaluated before the result because it can fail; NULL: nothing can */
  bool ok;
};

/* ---- variables ------------------------------------------------------------------------------- */

static void set_locals(struct call *x, struct local *locals) {
  x->locals = locals;
  x->scope.bindings = locals ? &locals->binding : NULL;
}

static void add_local(struct call *x, const char *name, const struct expr *value, bool is_loop) {
  struct local *local = arena_alloc(x->scope.check->build.arena, sizeof *local);
  *local = (struct local){{name, value, x->scope.bindings}, is_loop, x->locals};
  set_locals(x, local);
}

static struct local *find_local(const struct call *x, const char *name) {
  struct local *local = x->locals;
  while (local && strcmp(local->binding.name, name) != 0)
    local = local->outer;
  return local;
}

static bool fits(struct call *x, source_at at, const struct expr *value) {
  struct check *c = x->scope.check;
  if (value->depth <= MAX_DEPTH && value->size <= MAX_SIZE)
    return true;
  CHECK_ERROR(c, at, "use a quantifier, or fewer branches that change the same variable",
              "the value computed by function '%s' is too large an expression: more than %d operators, or %d deep",
              x->scope.define->syntax->name, MAX_SIZE, MAX_DEPTH);
  return false;
}

/* Evaluates `value` before what follows, whether or not it is read. */
static void check_value(struct call *x, const struct expr *value) {
  struct builder *b = &x->scope.check->build;
  if (!value || !value->can_fail)
    return;
  const struct expr *zero = build_binary(b, EXPR_MUL, value->at, value, build_const(b, 0));
  x->checks = x->checks ? build_binary(b, EXPR_ADD, value->at, x->checks, zero) : zero;
}

static const struct expr *checked(struct call *x, const struct expr *value) {
  if (!value || !x->checks)
    return value;
  return build_binary(&x->scope.check->build, EXPR_ADD, value->at, x->checks, value);
}

static const struct expr *evaluate(struct call *x, const struct syntax_expr *e) {
  const struct expr *value = x->scope.check->lower(&x->scope, e);
  x->ok &= value && fits(x, e->start, value);
  return x->ok ? value : NULL;
}

static void declare(struct call *x, const struct syntax_statement *s) {
  struct check *c = x->scope.check;
  if (find_local(x, s->name.name)) {
    CHECK_ERROR(c, s->name.at, NULL, "'%s' is already a name in function '%s'", s->name.name,
                x->scope.define->syntax->name);
    x->ok = false;
  }
  const struct expr *value = evaluate(x, s->value);
  check_value(x, value);
  add_local(x, s->name.name, value ? value : build_const(&c->build, 0), false);
}

static void assign(struct call *x, const struct syntax_statement *s) {
  struct check *c = x->scope.check;
  const struct syntax_expr *target = s->target;
  struct local *local = target->op == SYN_NAME ? find_local(x, target->name) : NULL;
  const struct expr *value = evaluate(x, s->value);
  if (local && !local->is_loop) {
    check_value(x, value);
    if (value)
      local->binding.value = value;
    return;
  }
  x->ok = false;
  CHECK_ERROR(c, target->start, local ? NULL : "a function assigns only variables declared in it by 'var'",
              local ? "'%s' is the name of a loop and cannot be assigned" : "function '%s' cannot assign this",
              local ? target->name : x->scope.define->syntax->name);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* Values of all variables, and what was checked. */
struct snapshot {
  const struct expr **values;
  const struct expr *checks;
};

static struct snapshot take_snapshot(const struct call *x) {
  size_t n = 0;
  for (const struct local *l = x->locals; l; l = l->outer)
    n++;
  struct snapshot s = {arena_array(x->scope.check->build.arena, n, sizeof *s.values), x->checks};
  n = 0;
  for (const struct local *l = x->locals; l; l = l->outer)
    s.values[n++] = l->binding.value;
  return s;
}

static void restore(struct call *x, const struct snapshot *s) {
  size_t n = 0;
  for (struct local *l = x->locals; l; l = l->outer)
    l->binding.value = s->values[n++];
  x->checks = s->checks;
}

/* condition ? a : b; `if (a > b) b = a` is a maximum, which is not longer with each branch. */
static const struct expr *merged(struct call *x, source_at at, const struct expr *condition, const struct expr *a,
                                 const struct expr *b) {
  struct builder *build = &x->scope.check->build;
  const bool compares = condition->op == EXPR_LT || condition->op == EXPR_LE;
  if (a == b)
    return a;
  if (compares && same_expr(condition->a, b) && same_expr(condition->b, a))
    return build_binary(build, EXPR_MAX, at, condition->a, condition->b);
  if (compares && same_expr(condition->a, a) && same_expr(condition->b, b))
    return build_binary(build, EXPR_MIN, at, condition->a, condition->b);
  return build_cond(build, at, condition, a, b);
}

static void execute(struct call *x, const struct syntax_statement *list, size_t n);

/* What one side checked; 0: nothing. */
static const struct expr *side_checks(const struct call *x) {
  return x->checks ? x->checks : build_const(&x->scope.check->build, 0);
}

/* Neither side returns. */
static void execute_branch(struct call *x, const struct syntax_statement *s, const struct expr *condition) {
  const struct snapshot before = take_snapshot(x);
  x->checks = NULL;
  execute(x, s->body, s->body_count);
  const struct expr *checks = side_checks(x);
  const struct snapshot then = take_snapshot(x);
  restore(x, &before);
  x->checks = NULL;
  execute(x, s->otherwise, s->otherwise_count);
  const struct expr *other_checks = side_checks(x);
  x->checks = before.checks;
  if (!x->ok)
    return;
  check_value(x, build_cond(&x->scope.check->build, s->at, condition, checks, other_checks));
  size_t n = 0;
  for (struct local *l = x->locals; l && x->ok; l = l->outer) {
    const struct expr *value = merged(x, s->at, condition, then.values[n++], l->binding.value);
    x->ok &= value && fits(x, s->at, value);
    l->binding.value = value;
  }
}

static void execute_if(struct call *x, const struct syntax_statement *s) {
  const struct expr *condition = evaluate(x, s->value);
  if (!condition)
    return;
  if (condition->op != EXPR_CONST)
    execute_branch(x, s, condition);
  else if (condition->value)
    execute(x, s->body, s->body_count);
  else
    execute(x, s->otherwise, s->otherwise_count);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool loop_range(struct call *x, const struct syntax_statement *s, int64_t *lo, int64_t *hi) {
  x->ok = constant_range(&x->scope, &s->range, lo, hi);
  if (x->ok && *lo <= *hi && (uint64_t)*hi - (uint64_t)*lo >= BUILD_MAX_STEPS) {
    build_too_large(&x->scope.check->build, s->at, "this loop has too many iterations");
    x->ok = false;
  }
  return x->ok && *lo <= *hi;
}

static bool start_iteration(struct call *x, const struct syntax_statement *s, int64_t value) {
  struct builder *b = &x->scope.check->build;
  const struct expr *number = build_const(b, value);
  x->ok &= number && build_spend(b, s->at, 0, 1);
  if (x->ok)
    add_local(x, s->name.name, number, true);
  return x->ok;
}

static void execute_loop(struct call *x, const struct syntax_statement *s) {
  int64_t lo, hi;
  struct local *outer = x->locals;
  if (!loop_range(x, s, &lo, &hi))
    return;
  for (int64_t i = lo; start_iteration(x, s, i); i++) {
    execute(x, s->body, s->body_count);
    set_locals(x, outer);
    if (i == hi)
      break;
  }
}

/* Statements that do not return. */
static void execute(struct call *x, const struct syntax_statement *list, size_t n) {
  struct local *outer = x->locals;
  for (size_t i = 0; i < n && x->ok; i++)
    switch (list[i].kind) {
    case STATEMENT_LOCAL:
      declare(x, &list[i]);
      break;
    case STATEMENT_FOR:
      execute_loop(x, &list[i]);
      break;
    case STATEMENT_IF:
      execute_if(x, &list[i]);
      break;
    default:
      assign(x, &list[i]);
    }
  set_locals(x, outer);
}

/* ---- statements that return -------------------------------------------------------------------- */

static const struct expr *run(struct call *x, const struct syntax_statement *list, size_t n, const struct rest *rest);

static const struct expr *next_iteration(struct call *x, const struct syntax_statement *loop, int64_t value, int64_t hi,
                                         const struct rest *after) {
  if (value > hi)
    return run(x, after->list, after->n, after->outer);
  struct rest rest = *after;
  rest.loop = loop;
  rest.next = value + 1;
  rest.hi = hi;
  return start_iteration(x, loop, value) ? run(x, loop->body, loop->body_count, &rest) : NULL;
}

static const struct expr *resume(struct call *x, const struct rest *rest) {
  set_locals(x, rest->locals);
  if (!rest->loop)
    return run(x, rest->list, rest->n, rest->outer);
  struct rest after = *rest;
  after.loop = NULL;
  return next_iteration(x, rest->loop, rest->next, rest->hi, &after);
}

static const struct expr *run_branch(struct call *x, const struct syntax_statement *s, const struct rest *rest) {
  const struct expr *condition = evaluate(x, s->value);
  if (!condition)
    return NULL;
  if (condition->op == EXPR_CONST)
    return condition->value ? run(x, s->body, s->body_count, rest) : run(x, s->otherwise, s->otherwise_count, rest);
  struct local *locals = x->locals;
  struct snapshot before = take_snapshot(x);
  const struct expr *checks = x->checks;
  x->checks = before.checks = NULL;
  const struct expr *a = run(x, s->body, s->body_count, rest);
  set_locals(x, locals);
  restore(x, &before);
  const struct expr *b = run(x, s->otherwise, s->otherwise_count, rest);
  x->checks = checks;
  return x->ok ? checked(x, merged(x, s->at, condition, a, b)) : NULL;
}

static const struct expr *run_statement(struct call *x, const struct syntax_statement *s, const struct rest *rest) {
  int64_t lo, hi;
  if (s->kind == STATEMENT_RETURN)
    return checked(x, evaluate(x, s->value));
  if (s->kind == STATEMENT_IF)
    return run_branch(x, s, rest);
  if (loop_range(x, s, &lo, &hi))
    return next_iteration(x, s, lo, hi, rest);
  return x->ok ? run(x, rest->list, rest->n, rest->outer) : NULL;
}

static bool may_nest(struct call *x, source_at at, unsigned depth) {
  struct check *c = x->scope.check;
  if (c->expanded + depth <= SYNTAX_MAX_DEPTH)
    return true;
  CHECK_ERROR(c, at, "use a variable for the result, and one 'return'",
              "function '%s' needs too many nested calls, or branches and iterations that return",
              x->scope.define->syntax->name);
  return x->ok = false;
}

/* The result of these statements and those after them. */
static const struct expr *run(struct call *x, const struct syntax_statement *list, size_t n, const struct rest *rest) {
  size_t plain = 0;
  struct local *outer = x->locals;
  while (plain < n && !list[plain].returns && x->ok) {
    if (list[plain].kind == STATEMENT_LOCAL)
      declare(x, &list[plain]);
    else
      execute(x, &list[plain], 1);
    plain++;
  }
  if (!x->ok)
    return NULL;
  if (plain == n)
    return resume(x, rest);
  const struct syntax_statement *s = &list[plain];
  const struct rest own = {.list = s + 1, .n = n - plain - 1, .locals = x->locals, .outer = rest};
  unsigned *expanded = &x->scope.check->expanded;
  const bool nests = may_nest(x, s->at, RECURSION);
  *expanded += RECURSION;
  const struct expr *result = nests ? run_statement(x, s, &own) : NULL;
  *expanded -= RECURSION;
  set_locals(x, outer);
  x->ok &= result && fits(x, s->at, result);
  return x->ok ? result : NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct call new_call(struct check *c, const struct define *function) {
  return (struct call){.scope = {.check = c, .process = function->process, .define = function, .in_function = true},
                       .ok = true};
}

/* Deepest expression and nesting of statements, so that recursion over calls is limited as over defines. */
static unsigned depth_of(const struct syntax_statement *list, size_t n) {
  unsigned deepest = 0;
  for (size_t i = 0; i < n; i++) {
    const unsigned value = list[i].value ? list[i].value->depth : 0;
    const unsigned body = 1 + depth_of(list[i].body, list[i].body_count);
    const unsigned otherwise = 1 + depth_of(list[i].otherwise, list[i].otherwise_count);
    deepest = value > deepest ? value : deepest;
    deepest = body > deepest ? body : deepest;
    deepest = otherwise > deepest ? otherwise : deepest;
  }
  return deepest;
}

static bool bind_arguments(struct scope *s, const struct syntax_expr *e, struct call *x) {
  struct check *c = s->check;
  for (size_t i = 0; i < e->arguments.n; i++) {
    const struct expr *value = c->lower(s, e->arguments.items[i]);
    if (!value || !fits(x, e->arguments.items[i]->start, value))
      return false;
    check_value(x, value);
    add_local(x, x->scope.define->syntax->parameters[i].name, value, false);
  }
  return true;
}

const struct expr *function_call(struct scope *s, const struct syntax_expr *e, struct define *function) {
  struct check *c = s->check;
  const struct syntax_define *syntax = function->syntax;
  const unsigned depth = RECURSION + depth_of(syntax->body, syntax->body_count);
  struct call x = new_call(c, function);
  x.scope.instance = s->instance;
  x.scope.in_process = s->process || s->in_process;
  x.scope.constant = s->constant;
  if (!bind_arguments(s, e, &x))
    return NULL;
  if (c->build.dead) /* function_check has checked the statements */
    return build_const(&c->build, 0);
  if (!may_nest(&x, e->at, depth))
    return NULL;
  const source_at *before = c->build.used_at;
  if (!before)
    c->build.used_at = &e->at;
  c->expanded += depth;
  const struct expr *result = run(&x, syntax->body, syntax->body_count, NULL);
  c->expanded -= depth;
  c->build.used_at = before;
  return result;
}

/* ---- checks of names ---------------------------------------------------------------------------- */

static void check_statements(struct call *x, const struct syntax_statement *list, size_t n);

static void check_loop(struct call *x, const struct syntax_statement *s) {
  struct check *c = x->scope.check;
  struct local *outer = x->locals;
  int64_t lo, hi;
  scope_warn_hidden(&x->scope, s->name.name, s->name.at);
  if (s->range.hi) /* parameters may be constants */
    x->ok &= (c->lower(&x->scope, s->range.lo) != NULL) & (c->lower(&x->scope, s->range.hi) != NULL);
  else
    x->ok &= named_range(&x->scope, &s->range, &lo, &hi);
  add_local(x, s->name.name, build_const(&c->build, 0), true);
  check_statements(x, s->body, s->body_count);
  set_locals(x, outer);
}

static void check_statement(struct call *x, const struct syntax_statement *s) {
  bool before = x->ok;
  x->ok = true;
  if (s->kind == STATEMENT_LOCAL) {
    if (!find_local(x, s->name.name))
      scope_warn_hidden(&x->scope, s->name.name, s->name.at);
    declare(x, s);
  } else if (s->kind == STATEMENT_ASSIGN)
    assign(x, s);
  else if (s->kind == STATEMENT_FOR)
    check_loop(x, s);
  else {
    evaluate(x, s->value);
    check_statements(x, s->body, s->body_count);
    check_statements(x, s->otherwise, s->otherwise_count);
  }
  x->ok &= before;
}

static void check_statements(struct call *x, const struct syntax_statement *list, size_t n) {
  struct local *outer = x->locals;
  for (size_t i = 0; i < n; i++)
    check_statement(x, &list[i]);
  set_locals(x, outer);
}

void function_check(struct check *c, struct define *function) {
  struct call x = new_call(c, function);
  for (size_t i = 0; i < function->syntax->parameter_count; i++)
    add_local(&x, function->syntax->parameters[i].name, build_const(&c->build, 0), false);
  c->build.dead++;
  check_statements(&x, function->syntax->body, function->syntax->body_count);
  c->build.dead--;
  function->bad = !x.ok;
}
