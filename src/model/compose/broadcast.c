/* Broadcasts: one ground transition for each sender; every other instance takes part if it can.

   An alternative is one way for an instance to receive: a transition, a location that it leaves, values for its
   selects. An instance is at one location, so alternatives are numbered within their location. If an instance has
   several at some location, the ground transition gets a further select, a choice: choice n means alternative n. A
   choice is admitted if its alternative is enabled, or if it is 0 and none is enabled; so every combination counts
   once.

   Guards test everything that can fail before priority: the element of the channel even without receivers, and all
   alternatives, with or without a choice. */
#include "model/compose/broadcast.h"

#include "model/compose/transition_builder.h"

struct alternative {
  const struct instance_edge *edge;
  const struct part *part;
  uint32_t from, rank;
  const struct expr *enabled; /* condition in the state before the step */
  const struct expr *chosen;  /* enabled, and its choice is made */
  const struct expr *takes;   /* the same, as a temporary */
};

struct receivers {
  struct compose *c;
  const struct instance_edge *sender;
  const struct part *part;
  const struct expr **sent;
  struct alternative *items;
  size_t n, cap;
};

/* ---- alternatives -------------------------------------------------------------------- */

static const struct expr *enabled(const struct receivers *r, const struct instance_edge *edge, const struct part *part,
                                  uint32_t from) {
  struct compose *c = r->c;
  source_at at = edge->written->channel_at;
  const struct expr *all = is_at(c, at, edge->process->process, edge->instance, from);
  all = build_binary(c->build, EXPR_AND, at, all, part->guard);
  all = build_binary(c->build, EXPR_AND, at, all, build_binary(c->build, EXPR_EQ, at, r->part->element, part->element));
  for (size_t f = 0; f < channel_of(c, edge->written)->field_count; f++)
    if (part->values[f])
      all = build_binary(c->build, EXPR_AND, at, all,
                         build_binary(c->build, EXPR_EQ, at, r->part->values[f], part->values[f]));
  if (part->message_guard)
    all = build_binary(c->build, EXPR_AND, at, all, part->message_guard);
  return all;
}

static void add_part(struct receivers *r, const struct instance_edge *edge, const struct part *part) {
  for (size_t k = 0; part && !part->never && k < edge->written->from_count; k++) {
    uint32_t from = edge->written->from[k];
    const struct expr *e = enabled(r, edge, part, from);
    if (e && !is_constant_false(e) && build_spend(r->c->build, edge->written->at, 1, 0))
      *ARENA_PUSH(r->c->build->arena, r->items, r->n, r->cap) =
          (struct alternative){.edge = edge, .part = part, .from = from, .enabled = e};
  }
}

static void add_receiver(struct receivers *r, struct instance_edge *edge) {
  struct compose *c = r->c;
  const struct part *any = edge->parts;
  const struct message message = {r->part->values, r->sent};
  if (!any->select_count) {
    add_part(r, edge, part_receiving(c, edge, &(struct part_request){.message = &message}));
    return;
  }
  int64_t *chosen = choice_first(c, any);
  do
    add_part(r, edge, part_receiving(c, edge, &(struct part_request){.chosen = chosen, .message = &message}));
  while (!c->build->stop && choice_next(any, chosen));
}

static void add_receivers(struct receivers *r) {
  struct compose *c = r->c;
  const struct compose_channel *channel = &c->channels[r->sender->written->channel];
  for (size_t i = 0; i < channel->receiver_count && !c->build->stop; i++)
    if (build_spend(c->build, r->sender->written->at, 0, 1) && !is_same_instance(r->sender, channel->receivers[i]))
      add_receiver(r, channel->receivers[i]);
}

/* ---- choices ------------------------------------------------------------------------- */

/* Numbers the alternatives [first, end) of one instance within their locations; returns the largest count of a
   location. */
static uint32_t rank_alternatives(struct receivers *r, size_t first, size_t end) {
  const struct process *process = r->items[first].edge->process->process;
  uint32_t *ranks = arena_array(r->c->build->arena, process->location_count, sizeof *ranks);
  uint32_t most = 0;
  for (size_t i = first; i < end; i++) {
    struct alternative *a = &r->items[i];
    a->rank = ranks[a->from]++;
    most = ranks[a->from] > most ? ranks[a->from] : most;
  }
  return most;
}

static const struct expr *is_any(struct receivers *r, size_t first, size_t end,
                                 const struct expr *(*of)(const struct alternative *)) {
  const struct expr **items = arena_array(r->c->build->arena, end - first, sizeof *items);
  for (size_t i = first; i < end; i++)
    if (!(items[i - first] = of(&r->items[i])))
      return NULL;
  return build_all(r->c->build, EXPR_OR, r->items[first].edge->written->at, items, end - first);
}

static const struct expr *enabled_of(const struct alternative *a) { return a->enabled; }
static const struct expr *chosen_of(const struct alternative *a) { return a->chosen; }

/* Adds the choice of one instance, and the guard that admits each combination once. */
static void add_choice(struct receivers *r, size_t first, size_t end, uint32_t most) {
  struct compose *c = r->c;
  source_at at = r->items[first].edge->written->at;
  const struct select select = {.name = "", .hi = (int64_t)most - 1};
  const struct expr *choice = build_select(c->build, at, (uint32_t)c->current->select_count, select.lo, select.hi);
  transition_builder_selects(c, &select, 1);
  for (size_t i = first; i < end; i++) {
    struct alternative *a = &r->items[i];
    const struct expr *mine = build_binary(c->build, EXPR_EQ, at, choice, build_const(c->build, a->rank));
    a->chosen = build_binary(c->build, EXPR_AND, at, mine, a->enabled);
  }
  const struct expr *idle =
      build_binary(c->build, EXPR_AND, at, build_binary(c->build, EXPR_EQ, at, choice, build_const(c->build, 0)),
                   build_not(c->build, at, is_any(r, first, end, enabled_of)));
  transition_builder_guard(c, build_binary(c->build, EXPR_OR, at, is_any(r, first, end, chosen_of), idle));
}

static void add_choices(struct receivers *r) {
  struct compose *c = r->c;
  for (size_t first = 0, end; first < r->n && !c->build->stop; first = end) {
    for (end = first + 1; end < r->n && is_same_instance(r->items[first].edge, r->items[end].edge);)
      end++;
    uint32_t most = rank_alternatives(r, first, end);
    if (most > 1)
      add_choice(r, first, end, most);
    else
      for (size_t i = first; i < end; i++) {
        r->items[i].chosen = r->items[i].enabled;
        transition_builder_test_errors(c, r->items[i].enabled, r->items[i].edge->written->at);
      }
  }
}

/* ---- priority ------------------------------------------------------------------------ */

/* Priority: also satisfied if a receiver that takes part leaves a committed location. */
static void guard_priority(struct receivers *r, uint32_t from) {
  struct compose *c = r->c;
  if (!c->not_committed || is_committed(r->sender, from))
    return;
  const struct expr **items = arena_array(c->build->arena, r->n + 1, sizeof *items);
  size_t n = 0;
  items[n++] = c->not_committed;
  for (size_t i = 0; i < r->n; i++)
    if (is_committed(r->items[i].edge, r->items[i].from))
      items[n++] = r->items[i].chosen;
  transition_builder_guard(c, build_all(c->build, EXPR_OR, r->sender->written->at, items, n));
}

/* ---- statements ---------------------------------------------------------------------- */

static void add_if(struct compose *c, const struct alternative *a, const struct statements *body) {
  if (!body->n || !a->takes)
    return;
  build_spend(c->build, a->edge->written->at, body->n, 0);
  if (is_constant_true(a->takes)) {
    for (size_t i = 0; i < body->n; i++)
      add_statement(c, &c->current->statements, &body->items[i]);
    return;
  }
  add_statement(c, &c->current->statements,
                &(struct statement){.op = ST_IF,
                                    .at = a->edge->written->at,
                                    .site = NO_SITE,
                                    .value = a->takes,
                                    .then = body->items,
                                    .then_count = body->n});
}

static void add_broadcast_statements(struct receivers *r, uint32_t from) {
  struct compose *c = r->c;
  struct statements *out = &c->current->statements;
  for (size_t i = 0; i < r->n; i++) {
    struct alternative *a = &r->items[i];
    if (a->chosen && a->chosen->hi == 0) /* it is never enabled, it can only fail */
      continue;
    a->takes = transition_builder_let(c, a->chosen, a->edge->written->at, NO_SITE, NULL);
    transition_builder_join(c, a->edge, a->takes && is_constant_true(a->takes) ? NULL : a->takes);
  }
  for (size_t i = 0; i < r->n; i++) {
    struct statements body = {0};
    add_received(c, &body, r->items[i].edge, r->items[i].part, r->sent);
    add_if(c, &r->items[i], &body);
  }
  add_effects(c, out, r->part);
  for (size_t i = 0; i < r->n; i++) {
    struct statements body = {0};
    add_effects(c, &body, r->items[i].part);
    add_if(c, &r->items[i], &body);
  }
  add_location_change(c, out, r->sender, from);
  for (size_t i = 0; i < r->n; i++) {
    struct statements body = {0};
    add_location_change(c, &body, r->items[i].edge, r->items[i].from);
    add_if(c, &r->items[i], &body);
  }
}

void broadcast_lower(struct compose *c, struct instance_edge *sender, uint32_t from) {
  struct receivers r = {.c = c, .sender = sender, .part = part_get(c, sender, 0)};
  if (!r.part)
    return;
  transition_builder_start(c);
  transition_builder_join(c, sender, NULL);
  transition_builder_test(c, sender, from);
  transition_builder_selects(c, r.part->selects, r.part->select_count);
  transition_builder_guard(c, r.part->guard);
  transition_builder_test_errors(c, r.part->element, sender->written->at);
  if (!c->current->never) {
    r.sent = transition_builder_sent(c, sender, r.part);
    add_receivers(&r);
    add_choices(&r);
    guard_priority(&r, from);
    add_broadcast_statements(&r, from);
  }
  transition_builder_finish(c, sender->written->at);
}
