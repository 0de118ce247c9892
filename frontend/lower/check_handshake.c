/* Handshakes: one ground transition for each sender and each receiver of another instance.

   Pairs that are never enabled, by constants and ranges, are omitted. But the sender's guard must be tested wherever a
   partner is. If it can fail, one ground transition that never fires tests it for all omitted partners. */
#include "frontend/lower/check_handshake.h"

#include "frontend/lower/transition_builder.h"

/* Conditions "an omitted partner is at its location", with priority. */
struct missing_partners {
  struct check *c;
  const struct process_edge *sender;
  uint32_t from;
  const struct expr **items;
  size_t n, cap;
};

static void leave_out(struct missing_partners *missing, const struct process_edge *receiver, uint32_t receiver_from) {
  struct check *c = missing->c;
  source_at at = receiver->info->syntax->at;
  if (!missing->sender->parts->guard->can_fail)
    return;
  const struct expr *there = build_read(&c->build, at, receiver->process->process->location_variable,
                                        build_const(&c->build, receiver->instance));
  there = build_binary(&c->build, EXPR_EQ, at, there, build_const(&c->build, receiver_from));
  if (c->not_committed && !is_committed(missing->sender, missing->from) && !is_committed(receiver, receiver_from))
    there = build_binary(&c->build, EXPR_AND, at, there, c->not_committed);
  if (there)
    *ARENA_PUSH(c->build.arena, missing->items, missing->n, missing->cap) = there;
}

/* Tests the sender's guard if an omitted partner is at its location. */
static void missing_partners_lower(const struct missing_partners *missing, struct process_edge *sender) {
  struct check *c = missing->c;
  const struct lowered_part *part = missing->n ? lowered_part_get(c, sender, 0) : NULL;
  if (!part)
    return;
  source_at at = sender->info->syntax->at;
  transition_builder_start(c);
  transition_builder_join(c, sender, NULL);
  transition_builder_test(c, sender, missing->from);
  transition_builder_selects(c, part->selects, part->select_count);
  transition_builder_guard(c, build_all(&c->build, EXPR_OR, at, missing->items, missing->n));
  transition_builder_guard(c, part->guard);
  transition_builder_guard(c, build_const(&c->build, 0));
  transition_builder_finish(c, at);
}

static void match_message(struct check *c, const struct lowered_part *sender, const struct lowered_part *receiver,
                          size_t fields, source_at at) {
  transition_builder_guard(c, build_binary(&c->build, EXPR_EQ, at, sender->element, receiver->element));
  for (size_t f = 0; f < fields; f++)
    if (receiver->values[f])
      transition_builder_guard(c, build_binary(&c->build, EXPR_EQ, at, sender->values[f], receiver->values[f]));
  if (receiver->message_guard)
    transition_builder_guard(c, receiver->message_guard);
}

/* The receiver's part for the message sent. */
static const struct lowered_part *receiving(struct check *c, struct process_edge *receiver,
                                            const struct lowered_part *sender, const struct expr *const *sent) {
  const struct message message = {sender->values, sent};
  return lowered_part_receiving(c, receiver, (uint32_t)sender->select_count, NULL, &message);
}

static void partners_lower(struct missing_partners *missing, struct process_edge *sender, uint32_t from,
                           struct process_edge *receiver, uint32_t receiver_from) {
  struct check *c = missing->c;
  const struct lowered_part *s = lowered_part_get(c, sender, 0);
  struct statements *out = &c->builder->statements;
  if (!s)
    return;
  transition_builder_start(c);
  const struct expr **sent = fields_are_read(receiver->info) ? transition_builder_sent(c, sender, s) : NULL;
  const struct lowered_part *r = receiving(c, receiver, s, sent);
  if (!r)
    return;
  transition_builder_join(c, sender, NULL);
  transition_builder_join(c, receiver, NULL);
  transition_builder_test(c, sender, from);
  transition_builder_test(c, receiver, receiver_from);
  transition_builder_selects(c, s->selects, s->select_count);
  transition_builder_selects(c, r->selects, r->select_count);
  if (c->not_committed && !is_committed(sender, from) && !is_committed(receiver, receiver_from))
    transition_builder_guard(c, c->not_committed);
  transition_builder_guard(c, s->guard);
  size_t failing = c->builder->failing;
  transition_builder_guard(c, r->guard);
  match_message(c, s, r, receiver->info->syntax->sync->n, receiver->info->syntax->sync->channel->at);
  if (c->builder->never && c->builder->failing == failing) {
    leave_out(missing, receiver, receiver_from);
    return;
  }
  if (!sent)
    sent = transition_builder_sent(c, sender, s);
  add_received(c, out, receiver, r, sent);
  add_effects(c, out, s);
  add_effects(c, out, r);
  add_location_change(c, out, sender, from);
  add_location_change(c, out, receiver, receiver_from);
  transition_builder_finish(c, sender->info->syntax->at);
}

static bool same_instance(const struct process_edge *a, const struct process_edge *b) {
  return a->process == b->process && a->instance == b->instance;
}

static bool elements_differ(const struct process_edge *a, const struct process_edge *b) {
  const struct expr *x = a->parts->element, *y = b->parts->element;
  return x->op == EXPR_CONST && y->op == EXPR_CONST && x->value != y->value;
}

/* True if the pair is never enabled, known before combining the parts and before a test of the receiver can fail. */
static bool is_never_ready(const struct process_edge *sender, const struct process_edge *receiver) {
  const struct lowered_part *part = receiver->parts;
  return part->never || (elements_differ(sender, receiver) && !part->guard->can_fail);
}

void handshake_lower(struct check *c, struct process_edge *sender, uint32_t from) {
  const struct channel_info *info = &c->channel_infos[sender->info->channel];
  struct missing_partners missing = {.c = c, .sender = sender, .from = from};
  for (size_t i = 0; i < info->receiver_count && !c->build.stop; i++) {
    struct process_edge *receiver = info->receivers[i];
    if (!build_spend(&c->build, sender->info->syntax->at, 0, 1))
      return;
    if (same_instance(sender, receiver))
      continue;
    bool never = is_never_ready(sender, receiver);
    for (size_t k = 0; k < receiver->info->from_count; k++)
      if (never)
        leave_out(&missing, receiver, receiver->info->from[k]);
      else
        partners_lower(&missing, sender, from, receiver, receiver->info->from[k]);
  }
  if (!c->build.stop)
    missing_partners_lower(&missing, sender);
}
