#include "frontend/lower/transition_builder.h"

#include "frontend/expr/check_assign.h"
#include "frontend/expr/check_enumerations.h"

#include <string.h>

/* ---- construction --------------------------------------------------------------------- */

void transition_builder_start(struct check *c) {
  struct transition_builder *builder = c->builder;
  builder->test_count = builder->select_count = builder->guard_count = builder->statements.n =
      builder->participant_count = 0;
  builder->message = NULL;
  builder->temps = 0;
  builder->failing = 0;
  builder->never = false;
}

void transition_builder_guard(struct check *c, const struct expr *guard) {
  struct transition_builder *builder = c->builder;
  if (guard && guard->op == EXPR_AND) {
    transition_builder_guard(c, guard->a);
    transition_builder_guard(c, guard->b);
    return;
  }
  guard = build_truth(&c->build, guard);
  if (!guard || is_constant_true(guard) || builder->never)
    return;
  builder->never = is_constant_false(guard);
  builder->failing += guard->can_fail;
  *ARENA_PUSH(c->build.arena, builder->guards, builder->guard_count, builder->guard_cap) = guard;
}

void transition_builder_test_errors(struct check *c, const struct expr *value, source_at at) {
  if (value && value->can_fail)
    transition_builder_guard(c, build_binary(&c->build, EXPR_OR, at, value, build_const(&c->build, 1)));
}

void transition_builder_selects(struct check *c, const struct select *selects, size_t n) {
  struct transition_builder *builder = c->builder;
  for (size_t i = 0; i < n; i++)
    *ARENA_PUSH(c->build.arena, builder->selects, builder->select_count, builder->select_cap) = selects[i];
}

void transition_builder_test(struct check *c, const struct process_edge *edge, uint32_t from) {
  struct transition_builder *builder = c->builder;
  *ARENA_PUSH(c->build.arena, builder->tests, builder->test_count, builder->test_cap) =
      (struct location_test){edge->process->process->location_variable, edge->instance, from};
}

void transition_builder_join(struct check *c, const struct process_edge *edge, const struct expr *participates) {
  struct transition_builder *builder = c->builder;
  *ARENA_PUSH(c->build.arena, builder->participants, builder->participant_count, builder->participant_cap) =
      (struct participant){edge->process->id, edge->instance, edge->info->number, participates};
}

static void *copy_items(struct check *c, const void *items, size_t n, size_t size) {
  void *copy = arena_array(c->build.arena, n, size);
  if (n)
    memcpy(copy, items, n * size);
  return copy;
}

static bool choices_fit(const struct transition_builder *builder) {
  uint64_t choices = 1;
  for (size_t i = 0; i < builder->select_count; i++) {
    uint64_t size = (uint64_t)builder->selects[i].hi - (uint64_t)builder->selects[i].lo + 1;
    if (size == 0 || size > CHECK_MAX_CHOICES)
      return false;
    choices *= size;
    if (choices > CHECK_MAX_CHOICES)
      return false;
  }
  return true;
}

void transition_builder_finish(struct check *c, source_at at) {
  struct transition_builder *builder = c->builder;
  if (c->build.stop || (builder->never && !builder->failing))
    return;
  if (builder->never)
    builder->statements.n = builder->temps = 0;
  if (!choices_fit(builder)) {
    build_too_large(&c->build, at, "a transition has more than 1048576 choices");
    return;
  }
  if (c->build.model->transition_count == CHECK_MAX_TRANSITIONS) {
    build_too_large(&c->build, at, "it has more than 1000000 ground transitions");
    return;
  }
  if (!build_spend(&c->build, at, 2 + builder->guard_count / 8 + builder->statements.n + builder->select_count, 1))
    return;
  *ARENA_PUSH(c->build.arena, c->ground.transitions, c->build.model->transition_count,
              c->ground.transition_cap) = (struct transition){
      .tests = copy_items(c, builder->tests, builder->test_count, sizeof *builder->tests),
      .test_count = builder->test_count,
      .selects = copy_items(c, builder->selects, builder->select_count, sizeof *builder->selects),
      .select_count = builder->select_count,
      .guards = copy_items(c, builder->guards, builder->guard_count, sizeof *builder->guards),
      .guard_count = builder->guard_count,
      .statements = copy_items(c, builder->statements.items, builder->statements.n, sizeof(struct statement)),
      .statement_count = builder->statements.n,
      .temp_count = builder->temps,
      .participants = copy_items(c, builder->participants, builder->participant_count, sizeof *builder->participants),
      .participant_count = builder->participant_count,
      .message = builder->message,
      .initiator = (uint32_t)c->build.model->initiator_count};
}

const struct expr *transition_builder_let(struct check *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range) {
  struct transition_builder *builder = c->builder;
  if (!value || (value->op == EXPR_CONST && site == NO_SITE))
    return value;
  int64_t lo = range && range->lo > value->lo ? range->lo : value->lo;
  int64_t hi = range && range->hi < value->hi ? range->hi : value->hi;
  if (lo > hi) /* never in range: later statements do not run */
    lo = hi = range->lo;
  add_statement(c, &builder->statements,
                &(struct statement){.op = ST_LET, .at = at, .id = builder->temps, .site = site, .value = value});
  return build_temp(&c->build, at, builder->temps++, lo, hi);
}

static void describe_message(struct check *c, uint32_t number, const struct expr *element,
                             const struct expr *const *sent) {
  const struct channel_info *info = &c->channel_infos[number];
  const size_t count = c->channels[number].field_count;
  struct sent_field *fields = arena_array(c->build.arena, count, sizeof *fields);
  struct sent_message *message = arena_alloc(c->build.arena, sizeof *message);
  for (size_t f = 0; f < count; f++)
    fields[f] = (struct sent_field){sent[f], info->types[f], info->is_bool[f]};
  *message = (struct sent_message){element, fields, count};
  c->builder->message = message;
}

const struct expr **transition_builder_sent(struct check *c, const struct process_edge *sender,
                                            const struct lowered_part *part) {
  const struct channel *channel = &c->channels[sender->info->channel];
  const struct channel_info *info = &c->channel_infos[sender->info->channel];
  const struct expr **sent = arena_array(c->build.arena, channel->field_count, sizeof *sent);
  for (size_t f = 0; f < channel->field_count; f++) {
    source_at at = sender->info->syntax->sync->arguments[f].at;
    const struct interval *range = &info->fields[f];
    uint32_t site = build_range_site(&c->build, part->values[f], at, channel->name, range->lo, range->hi);
    site_name_values(c, site, info->types[f]);
    sent[f] = transition_builder_let(c, part->values[f], at, site, range);
  }
  if (!channel->capacity)
    describe_message(c, sender->info->channel, part->element, sent);
  return sent;
}

/* ---- statements ---------------------------------------------------------------------- */

void add_statement(struct check *c, struct statements *out, const struct statement *statement) {
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = *statement;
}

void add_effects(struct check *c, struct statements *out, const struct lowered_part *part) {
  for (size_t i = 0; i < part->effect_count; i++)
    add_statement(c, out, &part->effects[i]);
}

void add_received(struct check *c, struct statements *out, const struct process_edge *receiver,
                  const struct lowered_part *part, const struct expr *const *values) {
  const struct syntax_sync *sync = receiver->info->syntax->sync;
  for (size_t f = 0; f < sync->n; f++) {
    const struct place *target = &part->targets[f];
    if (target->variable == NONE || !values[f])
      continue;
    struct statement statement = assignment(c, sync->arguments[f].at, target, values[f]);
    add_statement(c, out, &statement);
  }
}

void add_location_change(struct check *c, struct statements *out, const struct process_edge *edge, uint32_t from) {
  if (edge->info->to == NONE || edge->info->to == from)
    return;
  add_statement(c, out,
                &(struct statement){.op = ST_ASSIGN,
                                    .at = edge->info->syntax->at,
                                    .id = edge->process->process->location_variable,
                                    .index = edge->instance ? build_const(&c->build, edge->instance) : NULL,
                                    .value = build_const(&c->build, edge->info->to),
                                    .site = NO_SITE});
}

/* ---- one instance alone --------------------------------------------------------------- */

bool is_committed(const struct process_edge *edge, uint32_t from) {
  return edge->process->process->locations[from].committed;
}

void transition_builder_start_alone(struct check *c, struct process_edge *edge, const struct lowered_part *part,
                                    uint32_t from) {
  transition_builder_start(c);
  transition_builder_join(c, edge, NULL);
  transition_builder_test(c, edge, from);
  transition_builder_selects(c, part->selects, part->select_count);
  if (c->not_committed && !is_committed(edge, from))
    transition_builder_guard(c, c->not_committed);
  transition_builder_guard(c, part->guard);
}
