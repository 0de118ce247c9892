/* Expressions. Arithmetic is that of 32-bit integers in two's complement, as in the verifiers that Spin makes. */
#include "frontend/promela/promela_check.h"

#include <string.h>

const struct expr *pr_and(struct pr_check *c, const struct expr *a, const struct expr *b) {
  return build_binary(&c->build, EXPR_AND, a ? a->at : NOWHERE, a, b);
}
const struct expr *pr_or(struct pr_check *c, const struct expr *a, const struct expr *b) {
  return build_binary(&c->build, EXPR_OR, a ? a->at : NOWHERE, a, b);
}
const struct expr *pr_not(struct pr_check *c, const struct expr *a) {
  return build_not(&c->build, a ? a->at : NOWHERE, build_truth(&c->build, a));
}

const struct expr *pr_wrapped(struct pr_check *c, source_at at, const struct expr *value, const struct pr_scalar *s) {
  return build_wrapped(&c->build, at, value, s->lo, s->hi);
}

static const struct expr *fitting(const struct pr_context *x, source_at at, const struct expr *e) {
  return build_wrapped(&x->check->build, at, e, INT32_MIN, INT32_MAX);
}

static const char *text_of(const struct pr_context *x, const struct pr_expr *e) {
  return pr_text(x->check->tree, e->first, e->last, x->check->build.arena);
}

/* ---- names --------------------------------------------------------------------------------------- */

const struct expr *pr_is_at(struct pr_check *c, const struct pr_process *process, uint32_t instance,
                            uint32_t location) {
  struct builder *b = &c->build;
  return build_binary(b, EXPR_EQ, NOWHERE, build_read(b, NOWHERE, process->location_variable, build_const(b, instance)),
                      build_const(b, location));
}

static const struct expr *pid_of(const struct pr_context *x, const struct pr_process *process, uint32_t instance) {
  struct builder *b = &x->check->build;
  return x->constant ? build_const(b, process->first_pid + instance)
                     : build_read(b, NOWHERE, process->pid_variable, build_const(b, instance));
}

/* Names with a meaning of their own; NULL with *known false: it is none of them. */
static const struct expr *lower_special(const struct pr_context *x, const struct pr_expr *e, bool *known) {
  struct pr_check *c = x->check;
  const char *name = PR_NAME_OF(c, e->name.id);
  *known = true;
  if (strcmp(name, "_pid") == 0) {
    if (x->process)
      return pid_of(x, x->process, x->instance);
    PR_ERROR(c, e->at, NULL, "'_pid' is used outside of a process");
  } else if (strcmp(name, "_nr_pr") == 0)
    return x->constant ? build_const(&c->build, c->actives) : build_read(&c->build, e->at, c->running, NULL);
  else if (strcmp(name, "_") == 0)
    PR_ERROR(c, e->at, NULL, "'_' has no value: it can be assigned only");
  else if (strcmp(name, "_last") == 0)
    return x->constant ? build_const(&c->build, 0) : build_read(&c->build, e->at, c->last, NULL);
  else if (strcmp(name, "_priority") == 0) {
    if (x->process)
      return x->constant ? build_const(&c->build, x->process->priority) : pr_priority(c, x->process, x->instance);
    PR_ERROR(c, e->at, NULL, "'_priority' is used outside of a process");
  } else
    *known = false;
  return NULL;
}

static const struct expr *lower_variable(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  const struct pr_process *owner;
  if (e->op == PR_E_NAME && !pr_find(x, e->name.id, &owner)) {
    bool known;
    const struct expr *special = lower_special(x, e, &known);
    if (known)
      return special;
    const int64_t value = pr_mtype_value(c, e->name.id);
    if (value)
      return build_const(&c->build, value);
  }
  struct pr_reference r;
  return pr_refer_one(x, e, &r) ? pr_read(x, &r) : NULL;
}

/* ---- other processes ----------------------------------------------------------------------------- */

/* One of the locations has this label. */
static const struct expr *is_at_label(struct pr_check *c, const struct pr_process *p, uint32_t instance,
                                      const struct pr_name *label, bool *known) {
  const struct expr *any = build_const(&c->build, 0);
  for (uint32_t l = 0; l < p->graph.location_count; l++)
    for (size_t i = 0; i < p->graph.locations[l].labels.n; i++)
      if (p->graph.locations[l].labels.items[i].id == label->id) {
        any = pr_or(c, any, pr_is_at(c, p, instance, l));
        *known = true;
      }
  return any;
}

/* P[pid]@label, P[pid]:x: of the instance with this number; without a number that of the instance with the lowest one.
 */
static const struct expr *lower_remote(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  struct builder *b = &c->build;
  if (x->constant) /* the caller reports it */
    return NULL;
  const struct pr_process *p = pr_find_process(c, &e->name);
  const struct expr *pid = e->a ? pr_lower(x, e->a) : NULL, *value = build_const(b, 0);
  if (!p || (e->a && !pid))
    return NULL;
  bool known = e->op == PR_E_REMOTE_VARIABLE || p->instances == 0;
  for (uint32_t i = 0; i < p->instances && (pid || i == 0); i++) {
    const struct pr_context of = {.check = c, .process = p, .instance = i};
    struct pr_expr name = {.op = PR_E_NAME, .at = e->label.at, .name = e->label};
    const struct expr *is = pr_not(c, pr_is_at(c, p, i, p->absent));
    if (pid)
      is = pr_and(c, is, build_binary(b, EXPR_EQ, e->at, pid_of(x, p, i), pid));
    const struct expr *own =
        e->op == PR_E_REMOTE_LABEL ? is_at_label(c, p, i, &e->label, &known) : pr_lower(&of, &name);
    value = build_cond(b, e->at, is, own, value);
  }
  if (!known)
    PR_ERROR(c, e->label.at, NULL, "no location of proctype '%s' has the label '%s'", PR_NAME_OF(c, e->name.id),
             PR_NAME_OF(c, e->label.id));
  return value;
}

/* ---- operators ----------------------------------------------------------------------------------- */

/* b is not evaluated if a decides. */
static const struct expr *lower_logic(const struct pr_context *x, const struct pr_expr *e) {
  struct builder *b = &x->check->build;
  const enum expr_op op = e->op == PR_E_AND ? EXPR_AND : EXPR_OR;
  const struct expr *left = build_truth(b, pr_lower(x, e->a));
  const bool decided = left && (op == EXPR_AND ? is_constant_false(left) : is_constant_true(left));
  b->dead += decided;
  const struct expr *right = build_truth(b, pr_lower(x, e->b));
  b->dead -= decided;
  return build_binary(b, op, e->at, left, right);
}

static const struct expr *divide(const struct pr_context *x, const struct pr_expr *e, const struct expr *a,
                                 const struct expr *b) {
  if (b && x->constant && is_constant_false(b)) {
    PR_ERROR(x->check, e->at, NULL, "division by zero");
    return NULL;
  }
  return build_division(&x->check->build, e->op == PR_E_DIV ? EXPR_DIV : EXPR_MOD, e->at, a, b, text_of(x, e->b));
}

/* Shifts by 32 or more leave only the sign, or 0; a negative number is an error. */
static const struct expr *shift(const struct pr_context *x, const struct pr_expr *e, const struct expr *a,
                                const struct expr *by) {
  struct builder *b = &x->check->build;
  by = build_binary(b, EXPR_MIN, e->at, by, build_const(b, 32));
  return build_shift(b, e->op == PR_E_SHL ? EXPR_SHL : EXPR_SHR, e->at, a, by, text_of(x, e->b));
}

static enum expr_op operator_of(enum pr_op op) {
  static const enum expr_op all[] = {
      [PR_E_BITOR] = EXPR_BITOR, [PR_E_BITXOR] = EXPR_BITXOR, [PR_E_BITAND] = EXPR_BITAND, [PR_E_EQ] = EXPR_EQ,
      [PR_E_NE] = EXPR_NE,       [PR_E_LT] = EXPR_LT,         [PR_E_LE] = EXPR_LE,         [PR_E_GT] = EXPR_LT,
      [PR_E_GE] = EXPR_LE,       [PR_E_ADD] = EXPR_ADD,       [PR_E_SUB] = EXPR_SUB,       [PR_E_MUL] = EXPR_MUL,
  };
  return all[op];
}

static const struct expr *lower_binary(const struct pr_context *x, const struct pr_expr *e) {
  struct builder *b = &x->check->build;
  const struct expr *left = pr_lower(x, e->a), *right = pr_lower(x, e->b);
  switch (e->op) {
  case PR_E_DIV:
  case PR_E_MOD:
    return divide(x, e, left, right);
  case PR_E_SHL:
  case PR_E_SHR:
    return shift(x, e, left, right);
  case PR_E_GT:
  case PR_E_GE:
    return build_reversed(b, operator_of(e->op), e->at, left, right);
  default:
    return build_binary(b, operator_of(e->op), e->at, left, right);
  }
}

static const struct expr *lower_cond(const struct pr_context *x, const struct pr_expr *e) {
  struct builder *b = &x->check->build;
  const struct expr *condition = build_truth(b, pr_lower(x, e->a));
  const bool first = condition && is_constant_true(condition), second = condition && is_constant_false(condition);
  b->dead += second;
  const struct expr *left = pr_lower(x, e->b);
  b->dead -= second;
  b->dead += first;
  const struct expr *right = pr_lower(x, e->c);
  b->dead -= first;
  return build_cond(b, e->at, condition, left, right);
}

static const struct expr *lower_timeout(const struct pr_context *x, const struct pr_expr *e) {
  if (!x->uses_timeout) {
    PR_ERROR(x->check, e->at, NULL, "'timeout' has no meaning here");
    return NULL;
  }
  *x->uses_timeout = true;
  return build_const(&x->check->build, x->timeout);
}

/* np_: no process is at a progress label. */
static const struct expr *lower_nonprogress(struct pr_check *c) {
  const struct expr *at = pr_at_labels(c, "progress");
  return at ? pr_not(c, at) : build_const(&c->build, 1);
}

static const struct expr *refuse(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  switch (e->op) {
  case PR_E_RUN:
    if (e == x->run)
      return x->pid;
    PR_ERROR(c, e->at, "write v = run P(...), and then use v",
             "'run' is a statement, or stands once in the value of an assignment, where it is always executed");
    break;
  case PR_E_NONPROGRESS:
    if (x->claim)
      return lower_nonprogress(c);
    PR_ERROR(c, e->at, NULL, "'np_' has a meaning in claims only");
    break;
  case PR_E_SET_PRIORITY:
    PR_ERROR(c, e->at, "write set_priority(p, n) alone", "'set_priority' is part of an expression");
    break;
  case PR_E_EVAL:
    PR_ERROR(c, e->at, NULL, "'eval' is an argument of a receive statement only");
    break;
  default:
    PR_ERROR(c, e->at, NULL, "an operator of temporal logic stands outside of 'ltl'");
  }
  return NULL;
}

static int64_t number(const struct pr_check *c, const struct pr_expr *e) {
  return e->constant ? c->constants[e->constant - 1].value : e->value;
}

const struct expr *pr_lower(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  struct builder *b = &c->build;
  if (!e || !build_spend(b, e->at, 0, 1))
    return NULL;
  switch (e->op) {
  case PR_E_NUMBER:
    return fitting(x, e->at, build_const(b, number(c, e)));
  case PR_E_NAME:
  case PR_E_INDEX:
  case PR_E_FIELD:
    return lower_variable(x, e);
  case PR_E_NEG:
    return fitting(x, e->at, build_negative(b, e->at, pr_lower(x, e->a)));
  case PR_E_NOT:
    return build_not(b, e->at, build_truth(b, pr_lower(x, e->a)));
  case PR_E_BITNOT:
    return build_bitnot(b, e->at, pr_lower(x, e->a));
  case PR_E_AND:
  case PR_E_OR:
    return lower_logic(x, e);
  case PR_E_COND:
    return lower_cond(x, e);
  case PR_E_LEN:
  case PR_E_FULL:
  case PR_E_EMPTY:
  case PR_E_NFULL:
  case PR_E_NEMPTY:
  case PR_E_POLL:
  case PR_E_RANDOM_POLL:
    return pr_lower_channel(x, e);
  case PR_E_TIMEOUT:
    return lower_timeout(x, e);
  case PR_E_REMOTE_LABEL:
  case PR_E_REMOTE_VARIABLE:
    return lower_remote(x, e);
  case PR_E_GET_PRIORITY:
    return pr_lower_get_priority(x, e);
  case PR_E_ENABLED:
    return pr_lower_enabled(x, e);
  case PR_E_PC_VALUE:
    return pr_lower_pc_value(x, e);
  default:
    if (e->op >= PR_E_ADD && e->op <= PR_E_GE)
      return fitting(x, e->at, lower_binary(x, e));
    return refuse(x, e);
  }
}

/* ---- constants ----------------------------------------------------------------------------------- */

bool pr_constant(const struct pr_context *x, const struct pr_expr *e, const char *what, int64_t lo, int64_t hi,
                 int64_t *out) {
  struct pr_context constant = *x;
  constant.constant = true;
  struct pr_check *c = x->check;
  const size_t errors = c->build.errors;
  const struct expr *value = pr_lower(&constant, e);
  if (!value || value->op != EXPR_CONST) {
    if (c->build.errors == errors)
      PR_ERROR(c, e->at, NULL, "%s is not a constant", what);
    return false;
  }
  *out = value->value;
  if (lo <= *out && *out <= hi)
    return true;
  PR_ERROR(c, e->at, NULL, "%s is %lld; it must be within %lld..%lld", what, (long long)*out, (long long)lo,
           (long long)hi);
  return false;
}

bool pr_is_literal(const struct pr_context *x, const struct pr_expr *e) {
  const struct pr_process *owner;
  switch (e->op) {
  case PR_E_NUMBER:
    return true;
  case PR_E_NAME:
    return !pr_find(x, e->name.id, &owner) && pr_mtype_value(x->check, e->name.id);
  default:
    return (e->op <= PR_E_GE && e->op >= PR_E_NEG) && pr_is_literal(x, e->a) && (!e->b || pr_is_literal(x, e->b));
  }
}
