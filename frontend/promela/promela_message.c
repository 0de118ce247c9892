/* Sends and receives: one part for each channel that the expression may denote and each position of its buffer, or an
   offer for a rendezvous. */
#include "frontend/promela/promela_check.h"

#include <string.h>

static bool is_variable(const struct pr_context *x, const struct pr_expr *e) {
  const struct pr_process *owner;
  return e && (e->op == PR_E_INDEX || e->op == PR_E_FIELD || (e->op == PR_E_NAME && pr_find(x, e->name.id, &owner)));
}

static bool add_targets(const struct pr_context *x, const struct pr_expr *e, struct pr_pattern *out) {
  struct pr_references all = {0};
  if (!pr_refer(x, e, &all))
    return false;
  for (size_t i = 0; i < all.n; i++)
    *ARENA_PUSH(x->check->build.arena, out->items, out->n, out->cap) =
        (struct pr_pattern_item){.target = all.items[i], .at = e->at};
  return true;
}

bool pr_lower_pattern(const struct pr_context *x, const struct pr_exprs *arguments, struct pr_pattern *out) {
  bool valid = true;
  for (size_t i = 0; i < arguments->n; i++) {
    const struct pr_expr *e = arguments->items[i];
    struct pr_pattern_item item = {.at = e->at};
    const bool ignored = e->op == PR_E_NAME && strcmp(PR_NAME_OF(x->check, e->name.id), "_") == 0;
    if (pr_is_target(x, e)) {
      valid = add_targets(x, e, out) && valid;
      continue;
    }
    if (!ignored) {
      item.value = pr_lower(x, e->op == PR_E_EVAL ? e->a : e);
      valid = valid && item.value;
    }
    *ARENA_PUSH(x->check->build.arena, out->items, out->n, out->cap) = item;
  }
  return valid;
}

struct values {
  const struct expr **items;
  size_t n, cap;
};

static bool lower_values(const struct pr_context *x, const struct pr_exprs *arguments, struct values *out) {
  for (size_t i = 0; i < arguments->n; i++) {
    struct pr_references all = {0};
    const struct pr_expr *e = arguments->items[i];
    if (is_variable(x, e) && !pr_refer(x, e, &all))
      return false;
    for (size_t k = 0; k < all.n; k++)
      *ARENA_PUSH(x->check->build.arena, out->items, out->n, out->cap) = pr_read(x, &all.items[k]);
    if (!all.n)
      *ARENA_PUSH(x->check->build.arena, out->items, out->n, out->cap) = pr_lower(x, e);
  }
  for (size_t i = 0; i < out->n; i++)
    if (!out->items[i])
      return false;
  return true;
}

/* ---- buffers ------------------------------------------------------------------------------------- */

static void set_field(struct pr_check *c, struct statements *out, source_at at, const struct pr_queue *q,
                      uint32_t field, uint32_t position, const struct expr *value) {
  pr_set(c, out, at, c->channels[q->channel].field_variables[field], q->element * q->capacity + position, value);
}

static void change_length(struct pr_check *c, struct statements *out, source_at at, const struct pr_queue *q, int by) {
  struct builder *b = &c->build;
  const int64_t last = q->capacity;
  const struct expr *length = build_narrowed(b, pr_length(c, at, q), by < 0 ? 1 : 0, by < 0 ? last : last - 1);
  pr_set(c, out, at, c->channels[q->channel].length_variable, q->element,
         build_binary(b, EXPR_ADD, at, length, build_const(b, by)));
}

void pr_clear(struct pr_check *c, struct statements *out, const struct pr_queue *q, source_at at) {
  if (!q->capacity)
    return;
  for (uint32_t f = 0; f < q->field_count; f++)
    for (uint32_t i = 0; i < q->capacity; i++)
      set_field(c, out, at, q, f, i, build_const(&c->build, 0));
  pr_set(c, out, at, c->channels[q->channel].length_variable, q->element, build_const(&c->build, 0));
}

/* ---- sends --------------------------------------------------------------------------------------- */

static const struct expr *field_value(struct pr_check *c, source_at at, const struct pr_queue *q, uint32_t field,
                                      const struct expr *value) {
  return pr_wrapped(c, at, value, &q->fields[field]);
}

/* As the fields of the channel have them. */
static const struct expr **sent_fields(struct pr_ground *g, const struct pr_queue *q, const struct values *values) {
  struct pr_check *c = g->context.check;
  const struct expr **sent = arena_array(c->build.arena, values->n, sizeof *sent);
  for (uint32_t f = 0; f < values->n; f++)
    sent[f] = field_value(c, g->step->statement->at, q, f, values->items[f]);
  return sent;
}

static void append(struct pr_ground *g, const struct pr_candidate *to, const struct pr_queue *q,
                   const struct values *values) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const source_at at = g->step->statement->at;
  const struct expr *length = pr_length(c, at, q);
  const struct expr *free_place = build_binary(b, EXPR_LT, at, length, build_const(b, q->capacity));
  const struct expr *guard = pr_and(c, to->is, free_place), **sent = sent_fields(g, q, values);
  const struct pr_event event = {to->queue, true, sent};
  struct pr_part *part = pr_add_part(g, guard);
  pr_trace_move(c, &part->effects, &event);
  const struct expr *place = build_binary(b, EXPR_ADD, at, build_narrowed(b, length, 0, q->capacity - 1),
                                          build_const(b, (int64_t)q->element * q->capacity));
  for (uint32_t f = 0; f < values->n; f++)
    pr_store(c, &part->effects, at, c->channels[q->channel].field_variables[f], place, sent[f]);
  change_length(c, &part->effects, at, q, 1);
  pr_trace_errors(g, guard, &event);
}

/* The message sent is less than the one at the position. */
static const struct expr *is_less(struct pr_check *c, source_at at, const struct pr_queue *q,
                                  const struct values *values, uint32_t position) {
  struct builder *b = &c->build;
  const struct expr *less = build_const(b, 0);
  for (uint32_t f = (uint32_t)values->n; f-- > 0;) {
    const struct expr *field = pr_field(c, at, q, f, position);
    const struct expr *same = build_binary(b, EXPR_EQ, at, values->items[f], field);
    less = pr_or(c, build_binary(b, EXPR_LT, at, values->items[f], field), pr_and(c, same, less));
  }
  return less;
}

/* The last message behind a send to position `place`: as in Spin, a trace sees this one. */
static const struct expr **last_fields(struct pr_ground *g, const struct pr_queue *q, const struct expr *const *sent,
                                       uint32_t place) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const source_at at = g->step->statement->at;
  const struct expr **last = arena_array(b->arena, q->field_count, sizeof *last);
  for (uint32_t f = 0; f < q->field_count; f++) {
    last[f] = sent[f];
    for (uint32_t i = place; i < q->capacity; i++)
      last[f] = build_cond(b, at, build_binary(b, EXPR_EQ, at, pr_length(c, at, q), build_const(b, (int64_t)i + 1)),
                           pr_field(c, at, q, f, i), last[f]);
  }
  return last;
}

/* Before the first message that is greater: a part for each position. */
static void insert(struct pr_ground *g, const struct pr_candidate *to, const struct pr_queue *q,
                   const struct values *values) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const source_at at = g->step->statement->at;
  const struct expr *length = pr_length(c, at, q), *behind = to->is, **sent = sent_fields(g, q, values);
  for (uint32_t i = 0; i < q->capacity; i++) {
    const struct expr *position = build_const(b, i), *less = is_less(c, at, q, values, i);
    const struct expr *here = pr_and(c, build_binary(b, EXPR_LT, at, position, length), less);
    const struct expr *last = build_binary(b, EXPR_EQ, at, length, position);
    const struct expr *free_place = build_binary(b, EXPR_LT, at, length, build_const(b, q->capacity));
    const struct expr *guard = pr_and(c, pr_and(c, behind, free_place), pr_or(c, last, here));
    const struct pr_event event = {to->queue, true, last_fields(g, q, sent, i)};
    struct pr_part *part = pr_add_part(g, guard);
    pr_trace_move(c, &part->effects, &event);
    for (uint32_t f = 0; f < values->n; f++) {
      for (uint32_t k = q->capacity - 1; k > i; k--)
        set_field(c, &part->effects, at, q, f, k, pr_field(c, at, q, f, k - 1));
      set_field(c, &part->effects, at, q, f, i, sent[f]);
    }
    change_length(c, &part->effects, at, q, 1);
    pr_trace_errors(g, guard, &event);
    behind = pr_and(c, behind, pr_and(c, build_binary(b, EXPR_LT, at, position, length), pr_not(c, less)));
  }
}

static void offer_send(struct pr_ground *g, const struct pr_candidate *to, const struct pr_queue *q,
                       const struct values *values) {
  *ARENA_PUSH(g->context.check->build.arena, g->sends, g->send_count, g->send_cap) =
      (struct pr_offer){to->queue, to->is, sent_fields(g, q, values)};
}

void pr_lower_send(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  struct pr_check *c = g->context.check;
  struct values values = {0};
  struct pr_candidates to;
  if (!lower_values(&g->context, &s->arguments, &values) ||
      !pr_candidates(&g->context, s->target, values.n, false, &to) ||
      !(to.n || pr_has_channel(c, s->at, values.n, false)))
    return;
  for (size_t i = 0; i < to.n; i++) {
    const struct pr_queue *q = &c->queues[to.items[i].queue];
    (!q->capacity ? offer_send : s->sorted ? insert : append)(g, &to.items[i], q, &values);
  }
  pr_add_error(g, to.invalid, SITE_ERROR, "the channel does not exist, or has other messages");
}

/* ---- receives ------------------------------------------------------------------------------------ */

void pr_receive_values(struct pr_ground *g, struct statements *out, const struct expr *const *values) {
  for (size_t f = 0; f < g->pattern.n; f++)
    if (g->pattern.items[f].target.leaf)
      pr_assign(g->context.check, out, &g->pattern.items[f].target, values[f]);
}

static void take(struct pr_ground *g, const struct pr_queue *q, uint32_t position, struct statements *out) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const source_at at = g->step->statement->at;
  const struct expr **values = arena_array(b->arena, q->field_count, sizeof *values);
  for (uint32_t f = 0; f < q->field_count; f++)
    values[f] = pr_field(c, at, q, f, position);
  pr_receive_values(g, out, values);
  if (g->step->statement->keeps)
    return;
  for (uint32_t f = 0; f < q->field_count; f++) {
    for (uint32_t k = position; k + 1 < q->capacity; k++)
      set_field(c, out, at, q, f, k, pr_field(c, at, q, f, k + 1));
    set_field(c, out, at, q, f, q->capacity - 1, build_const(b, 0));
  }
  change_length(c, out, at, q, -1);
}

/* The first message: as in Spin, a trace sees this one. */
static const struct expr **first_fields(struct pr_check *c, source_at at, const struct pr_queue *q) {
  const struct expr **fields = arena_array(c->build.arena, q->field_count, sizeof *fields);
  for (uint32_t f = 0; f < q->field_count; f++)
    fields[f] = pr_field(c, at, q, f, 0);
  return fields;
}

static void receive(struct pr_ground *g, const struct pr_candidate *from, const struct pr_queue *q) {
  struct pr_check *c = g->context.check;
  struct builder *b = &c->build;
  const source_at at = g->step->statement->at;
  const struct expr *length = pr_length(c, at, q), *guard = from->is;
  const struct pr_event event = {from->queue, false, first_fields(c, at, q)};
  for (uint32_t i = 0; i < (g->step->statement->random ? q->capacity : 1); i++) {
    const struct expr *matches = pr_matches(c, at, q, &g->pattern, i);
    const struct expr *exists = build_binary(b, EXPR_LT, at, build_const(b, i), length);
    const struct expr *all = pr_and(c, pr_and(c, guard, exists), matches);
    struct pr_part *part = pr_add_part(g, all);
    if (!g->step->statement->keeps)
      pr_trace_move(c, &part->effects, &event);
    take(g, q, i, &part->effects);
    if (!g->step->statement->keeps)
      pr_trace_errors(g, all, &event);
    guard = pr_and(c, guard, pr_not(c, matches));
  }
}

static void offer_receive(struct pr_ground *g, const struct pr_candidate *from) {
  struct pr_check *c = g->context.check;
  const struct expr **values = arena_array(c->build.arena, g->pattern.n, sizeof *values);
  for (uint32_t f = 0; f < g->pattern.n; f++)
    values[f] = g->pattern.items[f].value;
  *ARENA_PUSH(c->build.arena, g->receives, g->receive_count, g->receive_cap) =
      (struct pr_offer){from->queue, from->is, values};
}

void pr_lower_receive(struct pr_ground *g) {
  const struct pr_statement *s = g->step->statement;
  struct pr_check *c = g->context.check;
  struct pr_candidates from;
  g->pattern = (struct pr_pattern){0};
  if (!pr_lower_pattern(&g->context, &s->arguments, &g->pattern) ||
      !pr_candidates(&g->context, s->target, g->pattern.n, false, &from) ||
      !(from.n || pr_has_channel(c, s->at, g->pattern.n, false)))
    return;
  for (size_t i = 0; i < from.n; i++) {
    const struct pr_queue *q = &c->queues[from.items[i].queue];
    if (q->capacity)
      receive(g, &from.items[i], q);
    else
      offer_receive(g, &from.items[i]);
  }
  pr_add_error(g, from.invalid, SITE_ERROR, "the channel does not exist, or has other messages");
}
