/* Handshakes: one ground transition for every sender and every receiver of another instance.

   Pairs that constants and ranges show to be never ready are left out. But the sender's guard is
   tested wherever a partner stands, and where it can fail, one ground transition that never fires
   does that for all partners that are left out. */
#include "frontend/check/check_handshake.h"

#include "frontend/check/transition_builder.h"

/* Where the partners left out stand, with priority. */
struct absent {
  struct check *c;
  const struct move *sender;
  uint32_t from;
  const struct expr **items;
  size_t n, cap;
};

static void leave_out(struct absent *absent, const struct move *receiver, uint32_t receiver_from) {
  struct check *c = absent->c;
  source_at at = receiver->info->syntax->at;
  if (!absent->sender->parts->guard->can_fail)
    return;
  const struct expr *there = build_read(&c->build, at, receiver->process->process->location_variable,
                                        build_const(&c->build, receiver->instance));
  there = build_binary(&c->build, EXPR_EQ, at, there, build_const(&c->build, receiver_from));
  if (c->not_committed && !is_committed(absent->sender, absent->from) && !is_committed(receiver, receiver_from))
    there = build_binary(&c->build, EXPR_AND, at, there, c->not_committed);
  if (there)
    *ARENA_PUSH(c->build.arena, absent->items, absent->n, absent->cap) = there;
}

/* The sender's guard, tested where one of them stands. */
static void absent_lower(const struct absent *absent, struct move *sender) {
  struct check *c = absent->c;
  const struct part *part = absent->n ? part_lower(c, sender, 0) : NULL;
  if (!part)
    return;
  source_at at = sender->info->syntax->at;
  transition_builder_start(c);
  transition_builder_join(c, sender, NULL);
  transition_builder_test(c, sender, absent->from);
  transition_builder_selects(c, part->selects, part->select_count);
  transition_builder_guard(c, build_all(&c->build, EXPR_OR, at, absent->items, absent->n));
  transition_builder_guard(c, part->guard);
  transition_builder_guard(c, build_const(&c->build, 0));
  transition_builder_finish(c, at);
}

static void match(struct check *c, const struct part *sender, const struct part *receiver, size_t fields,
                  source_at at) {
  transition_builder_guard(c, build_binary(&c->build, EXPR_EQ, at, sender->element, receiver->element));
  for (size_t f = 0; f < fields; f++)
    if (receiver->values[f])
      transition_builder_guard(c, build_binary(&c->build, EXPR_EQ, at, sender->values[f], receiver->values[f]));
  if (receiver->last)
    transition_builder_guard(c, receiver->last);
}

/* The receiver's part for what the sender sends. */
static const struct part *receiving(struct check *c, struct move *receiver, const struct part *sender,
                                    const struct expr *const *sent) {
  const struct message message = {sender->values, sent};
  return part_receiving(c, receiver, (uint32_t)sender->select_count, NULL, &message);
}

static void pair_lower(struct absent *absent, struct move *sender, uint32_t from, struct move *receiver,
                       uint32_t receiver_from) {
  struct check *c = absent->c;
  const struct part *s = part_lower(c, sender, 0);
  struct statements *out = &c->builder->statements;
  if (!s)
    return;
  transition_builder_start(c);
  const struct expr **sent = fields_are_read(receiver->info) ? transition_builder_sent(c, sender, s) : NULL;
  const struct part *r = receiving(c, receiver, s, sent);
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
  match(c, s, r, receiver->info->syntax->sync->n, receiver->info->syntax->sync->channel->at);
  if (c->builder->never && c->builder->failing == failing) {
    leave_out(absent, receiver, receiver_from);
    return;
  }
  if (!sent)
    sent = transition_builder_sent(c, sender, s);
  add_received(c, out, receiver, r, sent);
  add_effects(c, out, s);
  add_effects(c, out, r);
  add_move(c, out, sender, from);
  add_move(c, out, receiver, receiver_from);
  transition_builder_finish(c, sender->info->syntax->at);
}

static bool same_instance(const struct move *a, const struct move *b) {
  return a->process == b->process && a->instance == b->instance;
}

static bool elements_differ(const struct move *a, const struct move *b) {
  const struct expr *x = a->parts->element, *y = b->parts->element;
  return x->op == EXPR_CONST && y->op == EXPR_CONST && x->value != y->value;
}

/* Known without putting the two together, and before a test of the receiver can fail. */
static bool unfired_ready(const struct move *sender, const struct move *receiver) {
  const struct part *part = receiver->parts;
  return part->never || (elements_differ(sender, receiver) && !part->guard->can_fail);
}

void pairs_lower(struct check *c, struct move *sender, uint32_t from) {
  const struct channel_info *info = &c->channel_infos[sender->info->channel];
  struct absent absent = {.c = c, .sender = sender, .from = from};
  for (size_t i = 0; i < info->receiver_count && !c->build.stop; i++) {
    struct move *receiver = info->receivers[i];
    if (!build_spend(&c->build, sender->info->syntax->at, 0, 1))
      return;
    if (same_instance(sender, receiver))
      continue;
    bool never = unfired_ready(sender, receiver);
    for (size_t k = 0; k < receiver->info->from_count; k++)
      if (never)
        leave_out(&absent, receiver, receiver->info->from[k]);
      else
        pair_lower(&absent, sender, from, receiver, receiver->info->from[k]);
  }
  if (!c->build.stop)
    absent_lower(&absent, sender);
}
