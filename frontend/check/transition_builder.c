#include "frontend/check/transition_builder.h"

#include "frontend/check/check_assign.h"
#include "frontend/check/check_enumerations.h"

#include <string.h>

/* ---- drafts -------------------------------------------------------------------------- */

void transition_builder_start(struct check *c) {
  struct transition_builder *d = c->builder;
  d->test_count = d->select_count = d->guard_count = d->statements.n = d->participant_count = 0;
  d->temps = 0;
  d->failing = 0;
  d->never = false;
}

void transition_builder_guard(struct check *c, const struct expr *guard) {
  struct transition_builder *d = c->builder;
  if (guard && guard->op == EXPR_AND) {
    transition_builder_guard(c, guard->a);
    transition_builder_guard(c, guard->b);
    return;
  }
  guard = build_truth(&c->build, guard);
  if (!guard || is_constant_true(guard) || d->never)
    return;
  d->never = is_constant_false(guard);
  d->failing += guard->can_fail;
  *ARENA_PUSH(c->build.arena, d->guards, d->guard_count, d->guard_cap) = guard;
}

void transition_builder_evaluated(struct check *c, const struct expr *value, source_at at) {
  if (value && value->can_fail)
    transition_builder_guard(c, build_binary(&c->build, EXPR_OR, at, value, build_const(&c->build, 1)));
}

void transition_builder_selects(struct check *c, const struct select *selects, size_t n) {
  struct transition_builder *d = c->builder;
  for (size_t i = 0; i < n; i++)
    *ARENA_PUSH(c->build.arena, d->selects, d->select_count, d->select_cap) = selects[i];
}

void transition_builder_test(struct check *c, const struct move *move, uint32_t from) {
  struct transition_builder *d = c->builder;
  *ARENA_PUSH(c->build.arena, d->tests, d->test_count, d->test_cap) =
      (struct location_test){move->process->process->location_variable, move->instance, from};
}

void transition_builder_join(struct check *c, const struct move *move, const struct expr *taking_part) {
  struct transition_builder *d = c->builder;
  *ARENA_PUSH(c->build.arena, d->participants, d->participant_count, d->participant_cap) =
      (struct participant){move->process->id, move->instance, move->info->number, taking_part};
}

static void *kept(struct check *c, const void *items, size_t n, size_t size) {
  void *copy = arena_array(c->build.arena, n, size);
  if (n)
    memcpy(copy, items, n * size);
  return copy;
}

static bool choices_fit(const struct transition_builder *d) {
  uint64_t choices = 1;
  for (size_t i = 0; i < d->select_count; i++) {
    uint64_t size = (uint64_t)d->selects[i].hi - (uint64_t)d->selects[i].lo + 1;
    if (size == 0 || size > CHECK_MAX_CHOICES)
      return false;
    choices *= size;
    if (choices > CHECK_MAX_CHOICES)
      return false;
  }
  return true;
}

void transition_builder_finish(struct check *c, source_at at) {
  struct transition_builder *d = c->builder;
  if (c->build.stop || (d->never && !d->failing))
    return;
  if (d->never)
    d->statements.n = d->temps = 0;
  if (!choices_fit(d)) {
    build_too_large(&c->build, at, "a transition has more than 1048576 choices");
    return;
  }
  if (c->build.model->transition_count == CHECK_MAX_TRANSITIONS) {
    build_too_large(&c->build, at, "it has more than 1000000 ground transitions");
    return;
  }
  if (!build_spend(&c->build, at, 2 + d->guard_count / 8 + d->statements.n + d->select_count, 1))
    return;
  *ARENA_PUSH(c->build.arena, c->transitions, c->build.model->transition_count, c->transition_cap) =
      (struct transition){.tests = kept(c, d->tests, d->test_count, sizeof *d->tests),
                          .test_count = d->test_count,
                          .selects = kept(c, d->selects, d->select_count, sizeof *d->selects),
                          .select_count = d->select_count,
                          .guards = kept(c, d->guards, d->guard_count, sizeof *d->guards),
                          .guard_count = d->guard_count,
                          .statements = kept(c, d->statements.items, d->statements.n, sizeof(struct statement)),
                          .statement_count = d->statements.n,
                          .temp_count = d->temps,
                          .participants = kept(c, d->participants, d->participant_count, sizeof *d->participants),
                          .participant_count = d->participant_count,
                          .group = (uint32_t)c->build.model->group_count};
}

const struct expr *transition_builder_let(struct check *c, const struct expr *value, source_at at, uint32_t site,
                                          const struct interval *range) {
  struct transition_builder *d = c->builder;
  if (!value || (value->op == EXPR_CONST && site == NO_SITE))
    return value;
  int64_t lo = range && range->lo > value->lo ? range->lo : value->lo;
  int64_t hi = range && range->hi < value->hi ? range->hi : value->hi;
  if (lo > hi) /* never in range: what follows does not run */
    lo = hi = range->lo;
  add_statement(c, &d->statements,
                &(struct statement){.op = ST_LET, .at = at, .id = d->temps, .site = site, .value = value});
  return build_temp(&c->build, at, d->temps++, lo, hi);
}

const struct expr **transition_builder_sent(struct check *c, const struct move *sender, const struct part *part) {
  const struct channel *channel = &c->channels[sender->info->channel];
  const struct channel_info *info = &c->channel_infos[sender->info->channel];
  const struct expr **sent = arena_array(c->build.arena, channel->field_count, sizeof *sent);
  for (size_t f = 0; f < channel->field_count; f++) {
    source_at at = sender->info->syntax->sync->arguments[f].at;
    const struct interval *range = &info->fields[f];
    uint32_t site = build_range_site(&c->build, part->values[f], at, channel->name, range->lo, range->hi);
    names_tell(c, site, info->types[f]);
    sent[f] = transition_builder_let(c, part->values[f], at, site, range);
  }
  return sent;
}

/* ---- statements ---------------------------------------------------------------------- */

void add_statement(struct check *c, struct statements *out, const struct statement *statement) {
  *ARENA_PUSH(c->build.arena, out->items, out->n, out->cap) = *statement;
}

void add_effects(struct check *c, struct statements *out, const struct part *part) {
  for (size_t i = 0; i < part->effect_count; i++)
    add_statement(c, out, &part->effects[i]);
}

void add_received(struct check *c, struct statements *out, const struct move *receiver, const struct part *part,
                  const struct expr *const *values) {
  const struct syntax_sync *sync = receiver->info->syntax->sync;
  for (size_t f = 0; f < sync->n; f++) {
    const struct place *target = &part->targets[f];
    if (target->variable == NONE || !values[f])
      continue;
    struct statement statement = assignment(c, sync->arguments[f].at, target, values[f]);
    add_statement(c, out, &statement);
  }
}

void add_move(struct check *c, struct statements *out, const struct move *move, uint32_t from) {
  if (move->info->to == NONE || move->info->to == from)
    return;
  add_statement(c, out,
                &(struct statement){.op = ST_ASSIGN,
                                    .at = move->info->syntax->at,
                                    .id = move->process->process->location_variable,
                                    .index = move->instance ? build_const(&c->build, move->instance) : NULL,
                                    .value = build_const(&c->build, move->info->to),
                                    .site = NO_SITE});
}

/* ---- one instance alone --------------------------------------------------------------- */

bool is_committed(const struct move *move, uint32_t from) { return move->process->process->locations[from].committed; }

void transition_builder_alone(struct check *c, struct move *move, const struct part *part, uint32_t from) {
  transition_builder_start(c);
  transition_builder_join(c, move, NULL);
  transition_builder_test(c, move, from);
  transition_builder_selects(c, part->selects, part->select_count);
  if (c->not_committed && !is_committed(move, from))
    transition_builder_guard(c, c->not_committed);
  transition_builder_guard(c, part->guard);
}
