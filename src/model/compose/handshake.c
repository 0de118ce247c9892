/* Handshakes: one ground transition for each sender and each receiver of another instance.

   Pairs that are never enabled, by constants and ranges, are omitted. But the sender's guard must be tested wherever a
   partner is. If it can fail, one ground transition that never fires tests it for all omitted partners. */
#include "model/compose/handshake.h"

#include "model/compose/transition_builder.h"

/* Conditions "an omitted partner is at its location", with priority. */
struct missing_partners {
  struct compose *c;
  const struct instance_edge *sender;
  uint32_t from;
  const struct expr **items;
  size_t n, cap;
};

static void leave_out(struct missing_partners *missing, const struct instance_edge *receiver, uint32_t receiver_from) {
  struct compose *c = missing->c;
  source_at at = receiver->written->at;
  if (!missing->sender->parts->guard->can_fail)
    return;
  const struct expr *there = is_at(c, at, receiver->process->process, receiver->instance, receiver_from);
  if (c->not_committed && !is_committed(missing->sender, missing->from) && !is_committed(receiver, receiver_from))
    there = build_binary(c->build, EXPR_AND, at, there, c->not_committed);
  if (there)
    *ARENA_PUSH(c->build->arena, missing->items, missing->n, missing->cap) = there;
}

/* Tests the sender's guard if an omitted partner is at its location. */
static void missing_partners_lower(const struct missing_partners *missing, struct instance_edge *sender) {
  struct compose *c = missing->c;
  const struct part *part = missing->n ? part_get(c, sender, 0) : NULL;
  if (!part)
    return;
  source_at at = sender->written->at;
  transition_builder_start(c);
  transition_builder_join(c, sender, NULL);
  transition_builder_test(c, sender, missing->from);
  transition_builder_selects(c, part->selects, part->select_count);
  transition_builder_guard(c, build_all(c->build, EXPR_OR, at, missing->items, missing->n));
  transition_builder_guard(c, part->guard);
  transition_builder_guard(c, build_const(c->build, 0));
  transition_builder_finish(c, at);
}

static void match_message(struct compose *c, const struct part *sender, const struct part *receiver, size_t fields,
                          source_at at) {
  transition_builder_guard(c, build_binary(c->build, EXPR_EQ, at, sender->element, receiver->element));
  for (size_t f = 0; f < fields; f++)
    if (receiver->values[f])
      transition_builder_guard(c, build_binary(c->build, EXPR_EQ, at, sender->values[f], receiver->values[f]));
  if (receiver->message_guard)
    transition_builder_guard(c, receiver->message_guard);
}

/* The receiver's part for the message sent. */
static const struct part *receiving(struct compose *c, struct instance_edge *receiver, const struct part *sender,
                                    const struct expr *const *sent) {
  const struct message message = {sender->values, sent};
  return part_receiving(c, receiver,
                        &(struct part_request){.base = (uint32_t)sender->select_count, .message = &message});
}

static void partners_lower(struct missing_partners *missing, struct instance_edge *sender, uint32_t from,
                           struct instance_edge *receiver, uint32_t receiver_from) {
  struct compose *c = missing->c;
  const struct part *s = part_get(c, sender, 0);
  struct statements *out = &c->current->statements;
  if (!s)
    return;
  transition_builder_start(c);
  const struct expr **sent = receiver->written->reads_message ? transition_builder_sent(c, sender, s) : NULL;
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
  size_t failing = c->current->failing;
  transition_builder_guard(c, r->guard);
  match_message(c, s, r, channel_of(c, receiver->written)->field_count, receiver->written->channel_at);
  if (c->current->never && c->current->failing == failing) {
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
  transition_builder_finish(c, sender->written->at);
}

static bool elements_differ(const struct instance_edge *a, const struct instance_edge *b) {
  const struct expr *x = a->parts->element, *y = b->parts->element;
  return x->op == EXPR_CONST && y->op == EXPR_CONST && x->value != y->value;
}

/* True if the pair is never enabled, known before combining the parts and before a test of the receiver can fail. */
static bool is_never_ready(const struct instance_edge *sender, const struct instance_edge *receiver) {
  const struct part *part = receiver->parts;
  return part->never || (elements_differ(sender, receiver) && !part->guard->can_fail);
}

void handshake_lower(struct compose *c, struct instance_edge *sender, uint32_t from) {
  const struct compose_channel *channel = &c->channels[sender->written->channel];
  struct missing_partners missing = {.c = c, .sender = sender, .from = from};
  for (size_t i = 0; i < channel->receiver_count && !c->build->stop; i++) {
    struct instance_edge *receiver = channel->receivers[i];
    if (!build_spend(c->build, sender->written->at, 0, 1))
      return;
    if (is_same_instance(sender, receiver))
      continue;
    bool never = is_never_ready(sender, receiver);
    for (size_t k = 0; k < receiver->written->from_count; k++)
      if (never)
        leave_out(&missing, receiver, receiver->written->from[k]);
      else
        partners_lower(&missing, sender, from, receiver, receiver->written->from[k]);
  }
  if (!c->build->stop)
    missing_partners_lower(&missing, sender);
}
