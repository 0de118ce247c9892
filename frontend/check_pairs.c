/* Handshakes: one ground transition for every sender and every receiver of another instance. */
#include "frontend/check.h"

static void match(struct check *c, const struct part *sender, const struct part *receiver,
                  size_t fields, source_at at) {
  draft_guard(c, build_binary(c, EXPR_EQ, at, sender->element, receiver->element));
  for (size_t f = 0; f < fields; f++)
    if (receiver->values[f])
      draft_guard(c, build_binary(c, EXPR_EQ, at, sender->values[f], receiver->values[f]));
}

static void pair_lower(struct check *c, struct move *sender, uint32_t from, struct move *receiver,
                       uint32_t receiver_from) {
  const struct part *s = part_lower(c, sender, 0);
  const struct part *r = s ? part_lower(c, receiver, (uint32_t)s->select_count) : NULL;
  struct statements *out = &c->draft->statements;
  if (!r)
    return;
  draft_start(c);
  draft_join(c, sender, NULL);
  draft_join(c, receiver, NULL);
  draft_test(c, sender, from);
  draft_test(c, receiver, receiver_from);
  draft_selects(c, s->selects, s->select_count);
  draft_selects(c, r->selects, r->select_count);
  if (c->not_committed && !is_committed(sender, from) && !is_committed(receiver, receiver_from))
    draft_guard(c, c->not_committed);
  draft_guard(c, s->guard);
  draft_guard(c, r->guard);
  match(c, s, r, receiver->info->syntax->sync->n, receiver->info->syntax->sync->channel->at);
  const struct expr **sent = draft_sent(c, sender, s);
  add_received(c, out, receiver, r, sent);
  add_effects(c, out, s);
  add_effects(c, out, r);
  add_move(c, out, sender, from);
  add_move(c, out, receiver, receiver_from);
  draft_finish(c, sender->info->syntax->at);
}

static bool same_instance(const struct move *a, const struct move *b) {
  return a->process == b->process && a->instance == b->instance;
}

static bool elements_differ(const struct move *a, const struct move *b) {
  const struct expr *x = a->parts->element, *y = b->parts->element;
  return x->op == EXPR_CONST && y->op == EXPR_CONST && x->value != y->value;
}

void pairs_lower(struct check *c, struct move *sender, uint32_t from) {
  const struct channel_info *info = &c->channel_infos[sender->info->channel];
  for (size_t i = 0; i < info->receiver_count && !c->stop; i++) {
    struct move *receiver = info->receivers[i];
    if (!check_spend(c, sender->info->syntax->at, 0, 1))
      return;
    if (same_instance(sender, receiver) || elements_differ(sender, receiver))
      continue;
    for (size_t k = 0; k < receiver->info->from_count; k++)
      pair_lower(c, sender, from, receiver, receiver->info->from[k]);
  }
}
