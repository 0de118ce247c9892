/* Channels: which one an expression denotes, its length, polls. */
#include "frontend/promela/promela_check.h"

static bool may_be(const struct pr_queue *q, uint32_t number, const struct expr *value, size_t fields,
                   bool any_fields) {
  return value->lo <= number + 1 && number + 1 <= value->hi && (any_fields || q->field_count == fields);
}

/* Its process is not alive. A process uses its own channels while it is alive. */
static const struct expr *is_gone(const struct pr_context *x, const struct pr_queue *q) {
  const struct pr_process *p = q->process == PR_NONE ? NULL : &x->check->processes[q->process];
  if (!p || (p == x->process && q->instance == x->instance))
    return build_const(&x->check->build, 0);
  return pr_is_at(x->check, p, q->instance, p->absent);
}

bool pr_candidates(const struct pr_context *x, const struct pr_expr *channel, size_t fields, bool any_fields,
                   struct pr_candidates *out) {
  struct pr_check *c = x->check;
  struct builder *b = &c->build;
  if (x->constant) {
    PR_ERROR(c, channel->at, NULL, "a constant is needed here");
    return false;
  }
  const struct expr *value = pr_lower(x, channel), *none = build_const(b, 1);
  *out = (struct pr_candidates){.invalid = build_const(b, 0)};
  if (!value)
    return false;
  for (uint32_t i = 0; i < c->queue_count; i++) {
    if (!may_be(&c->queues[i], i, value, fields, any_fields))
      continue;
    const struct expr *is = build_binary(b, EXPR_EQ, channel->at, value, build_const(b, i + 1));
    if (!is || is_constant_false(is))
      continue;
    *ARENA_PUSH(b->arena, out->items, out->n, out->cap) = (struct pr_candidate){i, is};
    none = pr_and(c, none, pr_not(c, is));
    out->invalid = pr_or(c, out->invalid, pr_and(c, is, is_gone(x, &c->queues[i])));
  }
  if (out->n == 1 && is_constant_true(out->items[0].is))
    none = build_const(b, 0);
  out->invalid = pr_or(c, none, out->invalid);
  return out->invalid != NULL;
}

const struct expr *pr_length(struct pr_check *c, source_at at, const struct pr_queue *q) {
  return q->capacity
             ? build_read(&c->build, at, c->channels[q->channel].length_variable, build_const(&c->build, q->element))
             : build_const(&c->build, 0);
}

const struct expr *pr_field(struct pr_check *c, source_at at, const struct pr_queue *q, uint32_t field,
                            uint32_t position) {
  return build_read(&c->build, at, c->channels[q->channel].field_variables[field],
                    build_const(&c->build, (int64_t)q->element * q->capacity + position));
}

const struct expr *pr_matches(struct pr_check *c, source_at at, const struct pr_queue *q,
                              const struct pr_pattern *pattern, uint32_t position) {
  const struct expr *all = build_const(&c->build, 1);
  for (uint32_t f = 0; f < pattern->n; f++)
    if (pattern->items[f].value)
      all = pr_and(c, all,
                   build_binary(&c->build, EXPR_EQ, at, pr_field(c, at, q, f, position), pattern->items[f].value));
  return all;
}

/* ---- expressions --------------------------------------------------------------------------------- */

static const struct expr *measure(const struct pr_context *x, const struct pr_expr *e, const struct pr_queue *q) {
  struct builder *b = &x->check->build;
  const struct expr *length = pr_length(x->check, e->at, q);
  switch (e->op) {
  case PR_E_LEN:
    return length;
  case PR_E_EMPTY:
    return build_binary(b, EXPR_EQ, e->at, length, build_const(b, 0));
  case PR_E_NEMPTY:
    return build_binary(b, EXPR_NE, e->at, length, build_const(b, 0));
  default: /* channels without buffer are never full */
    if (!q->capacity)
      return build_const(b, e->op == PR_E_NFULL);
    return build_binary(b, e->op == PR_E_FULL ? EXPR_EQ : EXPR_NE, e->at, length, build_const(b, q->capacity));
  }
}

static const struct expr *poll(const struct pr_context *x, const struct pr_expr *e, const struct pr_queue *q,
                               const struct pr_pattern *pattern) {
  struct pr_check *c = x->check;
  struct builder *b = &c->build;
  const struct expr *any = build_const(b, 0), *length = pr_length(c, e->at, q);
  for (uint32_t i = 0; i < (e->op == PR_E_POLL && q->capacity ? 1 : q->capacity); i++) {
    const struct expr *is = build_binary(b, EXPR_LT, e->at, build_const(b, i), length);
    any = pr_or(c, any, pr_and(c, is, pr_matches(c, e->at, q, pattern, i)));
  }
  return any;
}

bool pr_has_channel(struct pr_check *c, source_at at, size_t fields, bool more) {
  for (size_t i = 0; i < c->queue_count; i++)
    if (c->queues[i].field_count == fields || (more && c->queues[i].field_count > fields))
      return true;
  PR_ERROR(c, at, "a message has as many values as its channel has fields", "no channel has messages with %zu value%s",
           fields, fields == 1 ? "" : "s");
  return false;
}

const struct expr *pr_lower_channel(const struct pr_context *x, const struct pr_expr *e) {
  struct pr_check *c = x->check;
  const bool polls = e->op == PR_E_POLL || e->op == PR_E_RANDOM_POLL;
  struct pr_pattern pattern = {0};
  struct pr_candidates candidates;
  if (polls && (!pr_lower_pattern(x, &e->arguments, &pattern) || !pr_has_channel(c, e->at, pattern.n, true)))
    return NULL;
  if (!pr_candidates(x, e->a, 0, true, &candidates))
    return NULL;
  const struct expr *value = build_const(&c->build, 0);
  for (size_t i = 0; i < candidates.n; i++) {
    const struct pr_queue *q = &c->queues[candidates.items[i].queue];
    if (q->field_count >= pattern.n)
      value = build_cond(&c->build, e->at, candidates.items[i].is, polls ? poll(x, e, q, &pattern) : measure(x, e, q),
                         value);
  }
  return value;
}
