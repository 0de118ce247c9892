#include "model/compose/transition_builder.h"

#include <string.h>

/* ---- construction --------------------------------------------------------------------- */

void transition_clear(struct transition_builder *builder) {
  builder->test_count = builder->select_count = builder->guard_count = builder->statements.n =
      builder->participant_count = 0;
  builder->message = NULL;
  builder->printed_count = 0;
  builder->temps = 0;
  builder->failing = 0;
  builder->never = false;
}

void transition_builder_start(struct compose *c) { transition_clear(c->current); }

void transition_guard(struct builder *b, struct transition_builder *builder, const struct expr *guard) {
  if (guard && guard->op == EXPR_AND) {
    transition_guard(b, builder, guard->a);
    transition_guard(b, builder, guard->b);
    return;
  }
  guard = build_truth(b, guard);
  if (!guard || is_constant_true(guard) || builder->never)
    return;
  builder->never = is_constant_false(guard);
  builder->failing += guard->can_fail;
  *ARENA_PUSH(b->arena, builder->guards, builder->guard_count, builder->guard_cap) = guard;
}

void transition_builder_guard(struct compose *c, const struct expr *guard) {
  transition_guard(c->build, c->current, guard);
}

void transition_builder_test_errors(struct compose *c, const struct expr *value, source_at at) {
  if (value && value->can_fail)
    transition_builder_guard(c, build_binary(c->build, EXPR_OR, at, value, build_const(c->build, 1)));
}

void transition_builder_selects(struct compose *c, const struct select *selects, size_t n) {
  struct transition_builder *builder = c->current;
  for (size_t i = 0; i < n; i++)
    *ARENA_PUSH(c->build->arena, builder->selects, builder->select_count, builder->select_cap) = selects[i];
}

void transition_builder_test(struct compose *c, const struct instance_edge *edge, uint32_t from) {
  struct transition_builder *builder = c->current;
  *ARENA_PUSH(c->build->arena, builder->tests, builder->test_count, builder->test_cap) =
      (struct location_test){edge->process->process->location_variable, edge->instance, from};
}

void transition_builder_join(struct compose *c, const struct instance_edge *edge, const struct expr *participates) {
  struct transition_builder *builder = c->current;
  *ARENA_PUSH(c->build->arena, builder->participants, builder->participant_count, builder->participant_cap) =
      (struct participant){edge->process->number, edge->instance, edge->written->number, participates};
}

static void *copy_items(struct builder *b, const void *items, size_t n, size_t size) {
  void *copy = arena_array(b->arena, n, size);
  if (n)
    memcpy(copy, items, n * size);
  return copy;
}

static bool choices_fit(const struct transition_builder *builder) {
  uint64_t choices = 1;
  for (size_t i = 0; i < builder->select_count; i++) {
    uint64_t size = (uint64_t)builder->selects[i].hi - (uint64_t)builder->selects[i].lo + 1;
    if (size == 0 || size > COMPOSE_MAX_CHOICES)
      return false;
    choices *= size;
    if (choices > COMPOSE_MAX_CHOICES)
      return false;
  }
  return true;
}

void transition_append(struct builder *b, const struct transition_builder *builder, source_at at,
                       struct transition **items, size_t *cap) {
  if (!choices_fit(builder)) {
    build_too_large(b, at, "a transition has more than 1048576 choices");
    return;
  }
  if (b->model->transition_count == COMPOSE_MAX_TRANSITIONS) {
    build_too_large(b, at, "it has more than 1000000 ground transitions");
    return;
  }
  if (!build_spend(b, at, 2 + builder->guard_count / 8 + builder->statements.n + builder->select_count, 1))
    return;
  *ARENA_PUSH(b->arena, *items, b->model->transition_count, *cap) = (struct transition){
      .tests = copy_items(b, builder->tests, builder->test_count, sizeof *builder->tests),
      .test_count = builder->test_count,
      .selects = copy_items(b, builder->selects, builder->select_count, sizeof *builder->selects),
      .select_count = builder->select_count,
      .guards = copy_items(b, builder->guards, builder->guard_count, sizeof *builder->guards),
      .guard_count = builder->guard_count,
      .statements = copy_items(b, builder->statements.items, builder->statements.n, sizeof(struct statement)),
      .statement_count = builder->statements.n,
      .temp_count = builder->temps,
      .participants = copy_items(b, builder->participants, builder->participant_count, sizeof *builder->participants),
      .participant_count = builder->participant_count,
      .message = builder->message,
      .printed = builder->printed,
      .printed_count = builder->printed_count,
      .initiator = (uint32_t)b->model->initiator_count};
}

void transition_builder_finish(struct compose *c, source_at at) {
  struct transition_builder *builder = c->current;
  if (c->build->stop || (builder->never && !builder->failing))
    return;
  if (builder->never)
    builder->statements.n = builder->temps = 0;
  transition_append(c->build, builder, at, &c->transitions, &c->transition_cap);
}

const struct expr *transition_builder_let(struct compose *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range) {
  struct transition_builder *builder = c->current;
  if (!value || (value->op == EXPR_CONST && site == NO_SITE))
    return value;
  int64_t lo = range && range->lo > value->lo ? range->lo : value->lo;
  int64_t hi = range && range->hi < value->hi ? range->hi : value->hi;
  if (lo > hi) /* never in range: later statements do not run */
    lo = hi = range->lo;
  add_statement(c, &builder->statements,
                &(struct statement){.op = ST_LET, .at = at, .id = builder->temps, .site = site, .value = value});
  return build_temp(c->build, at, builder->temps++, lo, hi);
}

static void describe_message(struct compose *c, const struct instance_edge *sender, const struct expr *element,
                             const struct expr *const *sent) {
  const struct compose_channel *channel = &c->channels[sender->written->channel];
  const size_t count = channel_of(c, sender->written)->field_count;
  struct sent_field *fields = arena_array(c->build->arena, count, sizeof *fields);
  struct sent_message *message = arena_alloc(c->build->arena, sizeof *message);
  for (size_t f = 0; f < count; f++)
    fields[f] = (struct sent_field){sent[f], channel->types ? channel->types[f] : NULL,
                                    channel->is_bool && channel->is_bool[f]};
  *message = (struct sent_message){element, fields, count};
  c->current->message = message;
}

const struct expr **transition_builder_sent(struct compose *c, const struct instance_edge *sender,
                                            const struct part *part) {
  const struct channel *channel = channel_of(c, sender->written);
  const struct compose_channel *info = &c->channels[sender->written->channel];
  const struct expr **sent = arena_array(c->build->arena, channel->field_count, sizeof *sent);
  for (size_t f = 0; f < channel->field_count; f++) {
    source_at at = sender->written->field_at[f];
    const struct interval *range = &info->fields[f];
    uint32_t site = build_range_site(c->build, part->values[f], at, channel->name, range->lo, range->hi);
    build_site_names(c->build, site, info->types ? info->types[f] : NULL);
    if (info->guessed && info->guessed[f])
      build_site_guessed(c->build, site);
    sent[f] = transition_builder_let(c, part->values[f], at, site, range);
  }
  if (!channel->capacity)
    describe_message(c, sender, part->element, sent);
  return sent;
}

/* ---- statements ---------------------------------------------------------------------- */

void add_statement(struct compose *c, struct statements *out, const struct statement *statement) {
  *ARENA_PUSH(c->build->arena, out->items, out->n, out->cap) = *statement;
}

void add_effects(struct compose *c, struct statements *out, const struct part *part) {
  for (size_t i = 0; i < part->effect_count; i++)
    add_statement(c, out, &part->effects[i]);
}

void add_received(struct compose *c, struct statements *out, const struct instance_edge *receiver,
                  const struct part *part, const struct expr *const *values) {
  for (size_t f = 0; f < channel_of(c, receiver->written)->field_count; f++) {
    const struct place *target = &part->targets[f];
    if (target->variable == COMPOSE_NONE || !values[f])
      continue;
    struct statement statement = c->operations->assign(c, receiver->written->field_at[f], target, values[f]);
    add_statement(c, out, &statement);
  }
}

void add_location_change(struct compose *c, struct statements *out, const struct instance_edge *edge, uint32_t from) {
  if (edge->written->to == COMPOSE_NONE || edge->written->to == from)
    return;
  add_statement(c, out,
                &(struct statement){.op = ST_ASSIGN,
                                    .at = edge->written->at,
                                    .id = edge->process->process->location_variable,
                                    .index = edge->instance ? build_const(c->build, edge->instance) : NULL,
                                    .value = build_const(c->build, edge->written->to),
                                    .site = NO_SITE});
}

/* ---- one instance alone --------------------------------------------------------------- */

void transition_builder_start_alone(struct compose *c, struct instance_edge *edge, const struct part *part,
                                    uint32_t from) {
  transition_builder_start(c);
  transition_builder_join(c, edge, NULL);
  transition_builder_test(c, edge, from);
  transition_builder_selects(c, part->selects, part->select_count);
  if (c->not_committed && !is_committed(edge, from))
    transition_builder_guard(c, c->not_committed);
  transition_builder_guard(c, part->guard);
}
