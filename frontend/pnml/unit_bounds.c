/* Bounds of places by the units of a file (NUPN). In a unit-safe net one place of a unit and of those that contain it
   has a token. So the sums of their places are likely semiflows, which is quickly checked, where the elimination of
   place_bounds.c would have to find them among very many. */
#include "frontend/pnml/exclusive_places.h"
#include "frontend/pnml/place_bounds.h"

#include <string.h>

enum {
  MOST_WORK = 200000000, /* arcs looked at */
};

struct unit_check {
  struct net *net;
  struct arena *arena;
  bool *in;       /* [place] it belongs to the sum */
  bool shrinks;   /* a transition decreases the sum, or may do so */
  uint32_t *list; /* [place_count] places of the sum */
  uint64_t work;
};

/* Places of the unit and, if `with_outer`, of the units around it; false: units contain themselves. */
static bool mark(struct unit_check *c, uint32_t unit, bool with_outer) {
  size_t depth = 0;
  memset(c->in, 0, c->net->place_count * sizeof *c->in);
  do {
    const struct net_unit *u = &c->net->units[unit];
    for (size_t i = 0; i < u->count; i++)
      c->in[u->places[i]] = true;
    unit = u->parent;
  } while (with_outer && unit != NO_UNIT && depth++ < c->net->unit_count);
  return depth <= c->net->unit_count;
}

/* No transition increases the sum. An arc that resets takes at least what it `takes`. */
static bool never_grows(struct unit_check *c) {
  const struct net *net = c->net;
  c->shrinks = false;
  for (size_t t = 0; t < net->transition_count; t++) {
    int64_t change = 0;
    for (size_t a = net->transitions[t].first; a < net->transitions[t].end; a++)
      if (c->in[net->arcs[a].place])
        change += net->arcs[a].puts - net->arcs[a].takes;
    c->work += net->transitions[t].end - net->transitions[t].first;
    if (change > 0)
      return false;
    c->shrinks |= change < 0;
  }
  return true;
}

static void note_exclusive(struct unit_check *c) {
  size_t count = 0;
  for (uint32_t p = 0; p < c->net->place_count; p++)
    if (c->in[p])
      c->list[count++] = p;
  exclusive_note(c->net, c->arena, c->list, count, !c->shrinks);
}

static void note_sum(struct unit_check *c) {
  int64_t sum = 0;
  for (size_t p = 0; p < c->net->place_count; p++)
    if (c->in[p] && __builtin_add_overflow(sum, c->net->places[p].initial, &sum))
      return;
  for (size_t p = 0; p < c->net->place_count && sum <= NET_MOST_TOKENS; p++) {
    int64_t *bound = &c->net->places[p].bound;
    if (c->in[p] && (*bound == NO_BOUND || sum < *bound))
      *bound = sum;
  }
  if (sum == 1)
    note_exclusive(c);
}

void unit_bounds(struct net *net, struct arena *arena) {
  struct unit_check c = {.net = net, .arena = arena, .in = arena_array(arena, net->place_count, sizeof *c.in)};
  c.list = arena_array(arena, net->place_count, sizeof *c.list);
  for (uint32_t unit = 0; unit < net->unit_count && c.work < MOST_WORK; unit++)
    if ((mark(&c, unit, false) && never_grows(&c)) || (mark(&c, unit, true) && never_grows(&c)))
      note_sum(&c);
}
