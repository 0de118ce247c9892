/* A set of n places takes log2(n + 1) bits instead of n, or log2(n) if one of them always has the token. Sums overlap,
   so they are selected greedily: the one that saves the most bits, then the one that saves the most for the places that
   are left. A part of a set is one, too. */
#include "frontend/pnml/exclusive_places.h"

#include <stdlib.h>
#include <string.h>

#define NO_SUM UINT32_MAX

struct cover {
  struct net *net;
  bool *usable;           /* [place] it is in no set yet, and its bit is one of 0..1 that changes */
  bool *constant;         /* [place] it never has a token */
  uint32_t *first_saving; /* [bits] the first sum that saved so many when it was looked at last */
  uint32_t *next;         /* [sum] another one that saved as many */
};

void exclusive_note(struct net *net, struct arena *arena, const uint32_t *places, size_t count, bool one) {
  struct net_sum sum = {.places = arena_array(arena, count, sizeof *sum.places), .count = count, .one = one};
  memcpy(sum.places, places, count * sizeof *places);
  *ARENA_PUSH(arena, net->sums, net->sum_count, net->sum_cap) = sum;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* A place with a reset arc is left out: how much the arc takes depends on the state. */
static void find_usable(struct cover *c, bool claimed) {
  const struct net *net = c->net;
  for (size_t p = 0; p < net->place_count; p++)
    c->constant[p] = net->places[p].initial == 0;
  for (size_t a = 0; a < net->arc_count; a++) {
    const struct net_arc *arc = &net->arcs[a];
    c->usable[arc->place] |= arc->puts != arc->takes;
    c->constant[arc->place] &= arc->puts == arc->takes;
  }
  for (size_t p = 0; p < net->place_count; p++) {
    const struct net_place *place = &net->places[p];
    c->usable[p] &= place->bound == 1 || (claimed && place->safe && net_place_is_guessed(place));
  }
  for (size_t a = 0; a < net->arc_count; a++)
    if (net->arcs[a].resets)
      c->usable[net->arcs[a].place] = false;
}

/* ---- sums ------------------------------------------------------------------------------------- */

static size_t bit_length(size_t n) { return n ? 64 - (size_t)__builtin_clzll(n) : 0; }

/* What is left of the sum. */
static struct net_sum rest_of(const struct cover *c, const struct net_sum *sum, uint32_t *places) {
  struct net_sum rest = {.places = places, .one = sum->one};
  for (size_t i = 0; i < sum->count; i++)
    if (c->usable[sum->places[i]])
      places[rest.count++] = sum->places[i];
    else
      rest.one &= c->constant[sum->places[i]];
  return rest;
}

static size_t bits_saved(const struct net_sum *sum) {
  return sum->count < 2 ? 0 : sum->count - bit_length(sum->one ? sum->count - 1 : sum->count);
}

static void enqueue(struct cover *c, uint32_t sum, size_t saving) {
  c->next[sum] = c->first_saving[saving];
  c->first_saving[saving] = sum;
}

static void select_set(struct cover *c, struct arena *arena, const struct net_sum *rest, size_t *cap) {
  struct net *net = c->net;
  struct net_sum set = {.places = arena_array(arena, rest->count, sizeof *set.places), rest->count, rest->one};
  memcpy(set.places, rest->places, rest->count * sizeof *set.places);
  for (size_t i = 0; i < set.count; i++)
    c->usable[set.places[i]] = false;
  *ARENA_PUSH(arena, net->exclusive, net->exclusive_count, *cap) = set;
}

/* What a sum saves only decreases, so each is looked at again when its turn comes. */
void exclusive_choose(struct net *net, struct arena *arena) {
  struct cover c = {.net = net};
  uint32_t *places = arena_array(arena, net->place_count, sizeof *places);
  size_t cap = 0;
  c.usable = arena_array(arena, net->place_count, sizeof *c.usable);
  c.constant = arena_array(arena, net->place_count, sizeof *c.constant);
  c.first_saving = arena_array(arena, net->place_count + 1, sizeof *c.first_saving);
  c.next = arena_array(arena, net->sum_count, sizeof *c.next);
  memset(c.first_saving, 0xff, (net->place_count + 1) * sizeof *c.first_saving); /* NO_SUM */
  find_usable(&c, false);
  for (uint32_t i = (uint32_t)net->sum_count; i-- > 0;) {
    const struct net_sum rest = rest_of(&c, &net->sums[i], places);
    enqueue(&c, i, bits_saved(&rest));
  }
  for (size_t saving = net->place_count; saving > 0; saving--)
    while (c.first_saving[saving] != NO_SUM) {
      const uint32_t i = c.first_saving[saving];
      const struct net_sum rest = rest_of(&c, &net->sums[i], places);
      const size_t now = bits_saved(&rest);
      c.first_saving[saving] = c.next[i];
      if (now == saving)
        select_set(&c, arena, &rest, &cap);
      else
        enqueue(&c, i, now);
    }
}

/* ---- units ------------------------------------------------------------------------------------ */

static bool claims_one_token(const struct net *net, const struct net_sum *unit) {
  int64_t tokens = 0;
  for (size_t i = 0; i < unit->count; i++)
    tokens += net->places[unit->places[i]].initial;
  return tokens <= 1;
}

static int by_number(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* The places of a unit that are in no set yet. */
static void claim_unit(struct cover *c, struct arena *arena, const struct net_unit *unit, size_t *cap) {
  struct net *net = c->net;
  struct net_sum sum = {.places = arena_array(arena, unit->count, sizeof *sum.places)};
  for (size_t i = 0; i < unit->count; i++)
    if (c->usable[unit->places[i]]) {
      sum.places[sum.count++] = unit->places[i];
      c->usable[unit->places[i]] = false;
    }
  const bool claims = bits_saved(&sum) > 0 && claims_one_token(net, &sum);
  for (size_t i = 0; i < sum.count && !claims; i++)
    c->usable[sum.places[i]] = true;
  if (!claims)
    return;
  qsort(sum.places, sum.count, sizeof *sum.places, by_number);
  *ARENA_PUSH(arena, net->claimed, net->claimed_count, *cap) = sum;
}

void exclusive_claim(struct net *net, struct arena *arena) {
  struct cover c = {.net = net};
  size_t cap = 0;
  c.usable = arena_array(arena, net->place_count, sizeof *c.usable);
  c.constant = arena_array(arena, net->place_count, sizeof *c.constant);
  find_usable(&c, true);
  for (size_t i = 0; i < net->exclusive_count; i++)
    for (size_t k = 0; k < net->exclusive[i].count; k++)
      c.usable[net->exclusive[i].places[k]] = false;
  net->claimed = NULL;
  net->claimed_count = 0;
  for (size_t i = 0; i < net->unit_count; i++)
    claim_unit(&c, arena, &net->units[i], &cap);
}
