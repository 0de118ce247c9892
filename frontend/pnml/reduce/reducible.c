#include "frontend/pnml/reduce/reducible.h"

#include <string.h>

/* ---- transitions and places ------------------------------------------------------------------- */

static void link_arcs(struct reducible *r, uint32_t transition) {
  const struct reducible_transition *t = &r->transitions[transition];
  for (size_t i = 0; i < t->count; i++) {
    struct reducible_place *p = &r->places[t->arcs[i].place];
    *ARENA_PUSH(r->arena, p->transitions, p->count, p->cap) = transition;
  }
  r->arcs += t->count;
}

void append_transition(struct reducible *r, struct net_arc *arcs, size_t count, uint32_t first, uint32_t second) {
  const uint32_t number = (uint32_t)r->transition_count;
  const struct reducible_transition new = {.arcs = arcs,
                                           .count = count,
                                           .name = arena_printf(r->arena, "agglomerated %u", number),
                                           .at = r->transitions[first].at,
                                           .first = first,
                                           .second = second};
  *ARENA_PUSH(r->arena, r->transitions, r->transition_count, r->transition_cap) = new;
  link_arcs(r, number);
}

void reducible_create(struct reducible *r, const struct net *net, struct arena *arena) {
  *r = (struct reducible){.net = net, .arena = arena};
  r->places = arena_array(arena, net->place_count, sizeof *r->places);
  for (size_t p = 0; p < net->place_count; p++)
    r->places[p].initial = net->places[p].initial;
  for (size_t a = 0; a < net->arc_count; a++)
    r->places[net->arcs[a].place].tested |= net->arcs[a].below != 0 || net->arcs[a].resets;
  for (uint32_t i = 0; i < net->transition_count; i++) {
    const struct net_transition *from = &net->transitions[i];
    struct reducible_transition t = {.count = from->end - from->first, .name = from->name, .at = from->at};
    t.arcs = arena_array(arena, t.count, sizeof *t.arcs);
    if (t.count)
      memcpy(t.arcs, &net->arcs[from->first], t.count * sizeof *t.arcs);
    *ARENA_PUSH(arena, r->transitions, r->transition_count, r->transition_cap) = t;
    link_arcs(r, i);
  }
}

const struct net_arc *reducible_arc(const struct reducible_transition *t, uint32_t place) {
  size_t low = 0, high = t->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (t->arcs[middle].place == place)
      return &t->arcs[middle];
    if (t->arcs[middle].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

struct reducible_transition *place_transition(const struct reducible *r, uint32_t place, size_t k,
                                              const struct net_arc **arc) {
  struct reducible_transition *t = &r->transitions[r->places[place].transitions[k]];
  *arc = t->removed ? NULL : reducible_arc(t, place);
  return *arc ? t : NULL;
}

void remove_transition(struct reducible *r, uint32_t transition, enum net_rule rule) {
  struct reducible_transition *t = &r->transitions[transition];
  if (t->removed)
    return;
  t->removed = true;
  r->arcs -= t->count;
  r->removed_by[rule]++;
}

void remove_place(struct reducible *r, uint32_t place, enum net_rule rule) {
  struct reducible_place *p = &r->places[place];
  const struct net_arc *arc;
  for (size_t k = 0; k < p->count; k++) {
    struct reducible_transition *t = place_transition(r, place, k, &arc);
    if (!t)
      continue;
    const size_t at = (size_t)(arc - t->arcs);
    memmove(&t->arcs[at], &t->arcs[at + 1], (t->count - at - 1) * sizeof *t->arcs);
    t->count--;
    r->arcs--;
  }
  p->count = 0;
  if (!p->removed)
    r->removed_by[rule]++;
  p->removed = true;
}

/* ---- the reduced net -------------------------------------------------------------------------- */

/* A place without arcs is constant. The markings of the others are reachable in the net as read, so bounds hold. */
static void copy_places(const struct reducible *r, struct net *net) {
  net->places = arena_array(r->arena, net->place_count, sizeof *net->places);
  for (size_t p = 0; p < net->place_count; p++) {
    net->places[p] = r->net->places[p];
    net->places[p].initial = r->places[p].initial;
    if (r->places[p].removed) {
      net->places[p].bound = r->places[p].initial;
      net->places[p].safe = false;
    }
  }
}

static void copy_transitions(const struct reducible *r, struct net *net) {
  net->transitions = arena_array(r->arena, r->transition_count, sizeof *net->transitions);
  net->arcs = arena_array(r->arena, r->arcs, sizeof *net->arcs);
  net->transition_count = net->arc_count = 0;
  for (size_t i = 0; i < r->transition_count; i++) {
    const struct reducible_transition *t = &r->transitions[i];
    if (t->removed)
      continue;
    struct net_transition *to = &net->transitions[net->transition_count];
    *to = (struct net_transition){.id = t->name, .name = t->name, .at = t->at, .first = net->arc_count};
    for (size_t k = 0; k < t->count; k++) {
      net->arcs[net->arc_count] = t->arcs[k];
      net->arcs[net->arc_count++].transition = (uint32_t)net->transition_count;
    }
    to->end = net->arc_count;
    net->transition_count++;
  }
}

/* Sums that limit the places to one token, without the removed places, which may have had it. */
static void copy_sums(const struct reducible *r, struct net *net) {
  net->sums = NULL;
  net->sum_count = net->sum_cap = net->exclusive_count = 0;
  net->exclusive = NULL;
  for (size_t i = 0; i < r->net->sum_count; i++) {
    const struct net_sum *from = &r->net->sums[i];
    struct net_sum sum = {.places = arena_array(r->arena, from->count, sizeof *sum.places)};
    for (size_t k = 0; k < from->count; k++)
      if (!r->places[from->places[k]].removed)
        sum.places[sum.count++] = from->places[k];
    sum.one = from->one && sum.count == from->count;
    if (sum.count > 1)
      *ARENA_PUSH(r->arena, net->sums, net->sum_count, net->sum_cap) = sum;
  }
}

struct net *reducible_net(const struct reducible *r) {
  struct net *net = arena_alloc(r->arena, sizeof *net);
  *net = *r->net;
  copy_places(r, net);
  copy_transitions(r, net);
  copy_sums(r, net);
  return net;
}
