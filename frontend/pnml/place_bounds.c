/* Semiflows by the elimination of Fourier and Motzkin, as Farkas' algorithm does it (Colom and Silva, "Convex geometry
   and semiflows in P/T nets", 1989): a row is a weighted sum of places, with the change that each transition makes to
   it. Transitions are eliminated one after the other: rows that a transition increases are replaced by their sums with
   rows that it decreases, so that it changes the sum by nothing. Rows that it decreases are kept, which departs from
   semiflows: in the end no transition increases any row. So the sum is never above its initial value m, and a place
   with weight w has at most m / w tokens.

   The number of rows can grow exponentially: sums beyond a limit are left out, which loses bounds only. */
#include "frontend/pnml/place_bounds.h"
#include "frontend/pnml/exclusive_places.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_ROWS = 4000,      /* more than the places */
  MOST_TERMS = 2000000,  /* of all rows that were made */
  MOST_WORK = 400000000, /* terms looked at: seconds */
  MOST_WEIGHT = 1 << 30, /* larger ones are left out */
};

struct term {
  uint32_t number;
  int64_t value;
};

/* Sorted by number; no value is 0. */
struct terms {
  struct term *items;
  size_t count;
};

struct row {
  struct terms places;  /* weights, positive */
  struct terms changes; /* by transitions that are not yet eliminated */
};

struct elimination {
  const struct net *net;
  struct arena *arena;
  struct row *rows;
  size_t count, cap, limit;
  size_t terms, work;
};

/* ---- rows ------------------------------------------------------------------------------------- */

static int64_t value_at(const struct terms *terms, uint32_t number) {
  size_t low = 0, high = terms->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (terms->items[middle].number == number)
      return terms->items[middle].value;
    if (terms->items[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

static int64_t divisor(int64_t a, int64_t b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* x * a + y * b. False: a number is too large. */
static bool add_terms(struct arena *arena, const struct terms *a, int64_t x, const struct terms *b, int64_t y,
                      struct terms *out) {
  size_t i = 0, k = 0;
  out->items = arena_array(arena, a->count + b->count, sizeof *out->items);
  out->count = 0;
  while (i < a->count || k < b->count) {
    const bool left = k == b->count || (i < a->count && a->items[i].number <= b->items[k].number);
    const bool right = i == a->count || (k < b->count && b->items[k].number <= a->items[i].number);
    const uint32_t number = left ? a->items[i].number : b->items[k].number;
    const int64_t value = (left ? x * a->items[i].value : 0) + (right ? y * b->items[k].value : 0);
    i += left;
    k += right;
    if (value > MOST_WEIGHT || value < -MOST_WEIGHT)
      return false;
    if (value)
      out->items[out->count++] = (struct term){number, value};
  }
  return true;
}

static int64_t terms_divisor(const struct terms *terms, int64_t d) {
  for (size_t i = 0; i < terms->count && d != 1; i++)
    d = divisor(terms->items[i].value, d);
  return d;
}

static void divide(struct row *row) {
  const int64_t d = terms_divisor(&row->changes, terms_divisor(&row->places, 0));
  for (size_t i = 0; d > 1 && i < row->places.count; i++)
    row->places.items[i].value /= d;
  for (size_t i = 0; d > 1 && i < row->changes.count; i++)
    row->changes.items[i].value /= d;
}

/* ---- the net ---------------------------------------------------------------------------------- */

/* An upper bound of the change, whatever the marking: an arc that resets takes at least what it `takes`. */
static int64_t change_of(const struct net_arc *arc) { return arc->puts - arc->takes; }

static void first_rows(struct elimination *e) {
  const struct net *net = e->net;
  e->rows = arena_array(e->arena, net->place_count, sizeof *e->rows);
  e->count = e->cap = net->place_count;
  for (size_t a = 0; a < net->arc_count; a++)
    e->rows[net->arcs[a].place].changes.count++;
  for (size_t p = 0; p < net->place_count; p++) {
    struct row *row = &e->rows[p];
    row->changes.items = arena_array(e->arena, row->changes.count, sizeof *row->changes.items);
    row->changes.count = 0;
    row->places = (struct terms){arena_alloc(e->arena, sizeof *row->places.items), 1};
    row->places.items[0] = (struct term){(uint32_t)p, 1};
  }
  for (size_t a = 0; a < net->arc_count; a++) {
    const struct net_arc *arc = &net->arcs[a];
    struct terms *changes = &e->rows[arc->place].changes;
    if (change_of(arc))
      changes->items[changes->count++] = (struct term){arc->transition, change_of(arc)};
  }
}

/* ---- elimination ------------------------------------------------------------------------------ */

/* For each transition the rows that it increases and decreases. */
struct effect {
  uint32_t up, down;
};

static void count_effects(struct elimination *e, struct effect *effects) {
  memset(effects, 0, e->net->transition_count * sizeof *effects);
  for (size_t i = 0; i < e->count; i++)
    for (size_t k = 0; k < e->rows[i].changes.count; k++) {
      const struct term *change = &e->rows[i].changes.items[k];
      e->work++;
      if (change->value > 0)
        effects[change->number].up++;
      else
        effects[change->number].down++;
    }
}

/* The transition that adds the fewest rows; false: no transition increases a row. */
static bool choose(const struct elimination *e, const struct effect *effects, uint32_t *out) {
  int64_t least = INT64_MAX;
  for (uint32_t t = 0; t < e->net->transition_count; t++) {
    const int64_t up = effects[t].up, added = up * (int64_t)effects[t].down - up;
    if (up && added < least) {
      least = added;
      *out = t;
    }
  }
  return least != INT64_MAX;
}

/* The sum of two rows that the transition leaves as it is. */
static bool combine(struct elimination *e, const struct row *up, const struct row *down, uint32_t transition,
                    struct row *out) {
  const int64_t more = value_at(&up->changes, transition), less = -value_at(&down->changes, transition);
  const int64_t d = divisor(more, less);
  if (!add_terms(e->arena, &up->places, less / d, &down->places, more / d, &out->places) ||
      !add_terms(e->arena, &up->changes, less / d, &down->changes, more / d, &out->changes))
    return false;
  e->terms += out->places.count + out->changes.count;
  divide(out);
  return true;
}

static void eliminate(struct elimination *e, uint32_t transition) {
  struct row *rows = NULL;
  size_t count = 0, cap = 0;
  for (size_t i = 0; i < e->count; i++)
    if (value_at(&e->rows[i].changes, transition) <= 0)
      *ARENA_PUSH(e->arena, rows, count, cap) = e->rows[i];
  for (size_t i = 0; i < e->count; i++) {
    if (value_at(&e->rows[i].changes, transition) <= 0)
      continue;
    for (size_t k = 0; k < e->count && count < e->limit && e->terms < MOST_TERMS && e->work < MOST_WORK; k++) {
      struct row sum;
      e->work++;
      if (value_at(&e->rows[k].changes, transition) < 0 && combine(e, &e->rows[i], &e->rows[k], transition, &sum))
        *ARENA_PUSH(e->arena, rows, count, cap) = sum;
    }
  }
  e->rows = rows;
  e->count = count;
  e->cap = cap;
}

/* By a transition that was not eliminated, because of the limits. */
static bool is_increased(const struct row *row) {
  for (size_t i = 0; i < row->changes.count; i++)
    if (row->changes.items[i].value > 0)
      return true;
  return false;
}

/* No two tokens fit in the sum. It is always that of one token if no transition changes it, and all weights are it. */
static void note_exclusive(const struct elimination *e, struct net *net, const struct row *row, int64_t sum) {
  uint32_t *list = arena_array(e->arena, row->places.count, sizeof *list);
  bool one = row->changes.count == 0;
  for (size_t k = 0; k < row->places.count; k++) {
    if (row->places.items[k].value <= sum / 2)
      return;
    one &= row->places.items[k].value == sum;
    list[k] = row->places.items[k].number;
  }
  exclusive_note(net, e->arena, list, row->places.count, one);
}

static void note_bounds(const struct elimination *e, struct net *net) {
  for (size_t i = 0; i < e->count; i++) {
    const struct terms *places = &e->rows[i].places;
    int64_t sum = 0;
    bool fits = !is_increased(&e->rows[i]);
    for (size_t k = 0; fits && k < places->count; k++)
      fits =
          !__builtin_add_overflow(sum, places->items[k].value * e->net->places[places->items[k].number].initial, &sum);
    for (size_t k = 0; fits && k < places->count; k++) {
      int64_t *bound = &net->places[places->items[k].number].bound;
      const int64_t most = sum / places->items[k].value;
      if (most <= NET_MOST_TOKENS && (*bound == NO_BOUND || most < *bound))
        *bound = most;
    }
    if (fits && sum > 0)
      note_exclusive(e, net, &e->rows[i], sum);
  }
}

/* ---- inhibitor arcs --------------------------------------------------------------------------- */

/* A place that is never filled, or only while it has few tokens. */
static void note_inhibited(struct net *net, struct arena *arena) {
  int64_t *most = arena_array(arena, net->place_count, sizeof *most);
  for (size_t p = 0; p < net->place_count; p++)
    most[p] = net->places[p].initial;
  for (size_t a = 0; a < net->arc_count; a++) {
    const struct net_arc *arc = &net->arcs[a];
    const int64_t after = arc->below ? arc->below - 1 + change_of(arc) : INT64_MAX;
    if (change_of(arc) > 0 && after > most[arc->place])
      most[arc->place] = after;
  }
  for (size_t p = 0; p < net->place_count; p++)
    if (most[p] <= NET_MOST_TOKENS && (net->places[p].bound == NO_BOUND || most[p] < net->places[p].bound))
      net->places[p].bound = most[p];
}

static void bounds_by_elimination(struct net *net, struct arena *arena) {
  struct elimination e = {.net = net, .arena = arena, .limit = net->place_count + MOST_ROWS};
  struct effect *effects = arena_array(arena, net->transition_count, sizeof *effects);
  uint32_t transition = 0;
  first_rows(&e);
  for (count_effects(&e, effects); choose(&e, effects, &transition); count_effects(&e, effects))
    eliminate(&e, transition);
  note_bounds(&e, net);
}

static bool all_are_safe(const struct net *net) {
  for (size_t p = 0; p < net->place_count; p++)
    if (net->places[p].bound == NO_BOUND || net->places[p].bound > 1)
      return false;
  return true;
}

void place_bounds(struct net *net, struct arena *arena) {
  for (size_t p = 0; p < net->place_count; p++)
    net->places[p].bound = NO_BOUND;
  place_bounds_lower(net, arena);
}

/* The elimination takes the most time: it is left out if there is little to gain. */
void place_bounds_lower(struct net *net, struct arena *arena) {
  note_inhibited(net, arena);
  unit_bounds(net, arena);
  if (!all_are_safe(net))
    bounds_by_elimination(net, arena);
  exclusive_choose(net, arena);
  exclusive_claim(net, arena);
}
