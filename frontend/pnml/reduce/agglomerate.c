/* Agglomeration: the transitions h that fill a place p and the transitions f that empty it become one transition for
   each pair, h then f, and p is removed (Berthelot, 1987; Thierry-Mieg, "Structural reductions revisited", 2020).

   All arcs of p have the same weight, so the k-th firing of an f takes the tokens of the k-th firing of an h. A run is
   changed such that each h is next to its f, and the visible places have the same markings in the same order:

   post: f needs nothing but p and puts tokens into invisible places only. It fires at once after its h, earlier than in
   the run; what is fired after a last h without f is enabled all the same. Nothing is disabled by the tokens that come
   earlier, as their places are not tested. If p has tokens initially and there is one f, it fires first.

   pre: h puts tokens into p only and takes those of invisible places. It fires immediately before its f, later than in
   the run, or not at all. Its tokens stay longer, which disables nothing, as their places are not tested. If deadlocks
   or infinite runs matter, only the transitions h need these places: a marking with tokens in p is a deadlock if and
   only if the one is in which their h has not yet fired. Without that, "free agglomeration" keeps what is reachable.

   Both keep infinite runs, as there are no infinitely many firings of h, or of f, without other transitions. */
#include "frontend/pnml/reduce/reducible.h"

#include <string.h>

enum {
  MOST_PAIRS = 32, /* that replace the transitions of a place */
  MOST_ARCS = 4,   /* times those of the net as read */
};

struct agglomeration {
  struct reducible *r;
  uint32_t place;
  int64_t weight;
  uint32_t before[MOST_PAIRS], after[MOST_PAIRS]; /* h, f */
  size_t before_count, after_count;
};

/* ---- the place ---------------------------------------------------------------------------------- */

static bool only_puts(const struct net_arc *arc) { return !arc->needs && !arc->below && !arc->resets; }
static bool only_takes(const struct net_arc *arc) {
  return arc->needs == arc->takes && !arc->puts && !arc->below && !arc->resets;
}

/* Finds h and f. False: an arc of another kind, or another weight. */
static bool find_transitions(struct agglomeration *a) {
  struct reducible *r = a->r;
  const struct reducible_place *p = &r->places[a->place];
  const struct net_arc *arc;
  a->before_count = a->after_count = 0;
  a->weight = 0;
  for (size_t k = 0; k < p->count; k++) {
    if (!place_transition(r, a->place, k, &arc))
      continue;
    const int64_t weight = arc->puts + arc->takes;
    if (!(only_puts(arc) || only_takes(arc)) || (a->weight && weight != a->weight))
      return false;
    a->weight = weight;
    if (a->before_count + a->after_count == MOST_PAIRS)
      return false;
    if (arc->takes)
      a->after[a->after_count++] = p->transitions[k];
    else
      a->before[a->before_count++] = p->transitions[k];
  }
  const size_t pairs = a->before_count * a->after_count;
  return a->weight && pairs > 0 && pairs <= MOST_PAIRS;
}

static bool is_free(const struct reducible_place *p) { return !p->visible && !p->tested; }

/* ---- conditions --------------------------------------------------------------------------------- */

static bool fires_after(const struct agglomeration *a, const struct reducible_transition *f) {
  for (size_t i = 0; i < f->count; i++)
    if (f->arcs[i].place != a->place && (!only_puts(&f->arcs[i]) || !is_free(&a->r->places[f->arcs[i].place])))
      return false;
  return true;
}

static bool may_post(const struct agglomeration *a) {
  const int64_t initial = a->r->places[a->place].initial;
  for (size_t k = 0; k < a->after_count; k++)
    if (!fires_after(a, &a->r->transitions[a->after[k]]))
      return false;
  return initial == 0 || (a->after_count == 1 && initial % a->weight == 0);
}

static bool is_one_of(const uint32_t *list, size_t count, uint32_t number) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == number)
      return true;
  return false;
}

/* No transition but those before needs tokens of the place. */
static bool is_unshared(const struct agglomeration *a, uint32_t place) {
  const struct net_arc *arc;
  for (size_t k = 0; k < a->r->places[place].count; k++)
    if (place_transition(a->r, place, k, &arc) && arc->needs &&
        !is_one_of(a->before, a->before_count, a->r->places[place].transitions[k]))
      return false;
  return true;
}

static bool fires_before(const struct agglomeration *a, const struct reducible_transition *h) {
  for (size_t i = 0; i < h->count; i++) {
    const uint32_t place = h->arcs[i].place;
    if (place == a->place)
      continue;
    if (!only_takes(&h->arcs[i]) || !is_free(&a->r->places[place]))
      return false;
    if (a->r->keep < KEEP_REACHABLE && !is_unshared(a, place))
      return false;
  }
  return h->count > 1 || a->r->keep == KEEP_REACHABLE; /* one without conditions could fire for ever */
}

static bool may_pre(const struct agglomeration *a) {
  for (size_t k = 0; k < a->before_count; k++)
    if (!fires_before(a, &a->r->transitions[a->before[k]]))
      return false;
  return a->r->places[a->place].initial == 0;
}

/* ---- pairs -------------------------------------------------------------------------------------- */

/* The arc of h then f. Either h only takes here or f only puts, so that conditions add up. */
static struct net_arc joined(const struct net_arc *h, const struct net_arc *f) {
  struct net_arc arc = *h;
  arc.needs += f->needs;
  arc.takes += f->takes;
  arc.puts += f->puts;
  if (f->below)
    arc.below = f->below;
  arc.resets |= f->resets;
  return arc;
}

/* NULL: a weight is too large. */
static struct net_arc *join(const struct agglomeration *a, const struct reducible_transition *h,
                            const struct reducible_transition *f, size_t *count) {
  struct net_arc *arcs = arena_array(a->r->arena, h->count + f->count, sizeof *arcs);
  size_t i = 0, k = 0;
  *count = 0;
  while (i < h->count || k < f->count) {
    const bool first = k == f->count || (i < h->count && h->arcs[i].place <= f->arcs[k].place);
    const bool second = i == h->count || (k < f->count && f->arcs[k].place <= h->arcs[i].place);
    struct net_arc arc = first && second ? joined(&h->arcs[i], &f->arcs[k]) : first ? h->arcs[i] : f->arcs[k];
    i += first;
    k += second;
    if (arc.needs > NET_MOST_TOKENS || arc.takes > NET_MOST_TOKENS || arc.puts > NET_MOST_TOKENS)
      return NULL;
    if (arc.place != a->place)
      arcs[(*count)++] = arc;
  }
  return arcs;
}

struct pair {
  struct net_arc *arcs;
  size_t count;
  uint32_t before, after;
};

/* False: they would have too many arcs, or a weight is too large. */
static bool make_pairs(const struct agglomeration *a, struct pair *pairs) {
  const struct reducible *r = a->r;
  size_t arcs = r->arcs, n = 0;
  for (size_t i = 0; i < a->before_count; i++)
    for (size_t k = 0; k < a->after_count; k++) {
      const struct reducible_transition *h = &r->transitions[a->before[i]], *f = &r->transitions[a->after[k]];
      pairs[n].arcs = join(a, h, f, &pairs[n].count);
      pairs[n].before = a->before[i];
      pairs[n].after = a->after[k];
      if (!pairs[n].arcs || (arcs += pairs[n].count) > MOST_ARCS * r->net->arc_count)
        return false;
      n++;
    }
  return true;
}

/* The tokens that the place has initially, after the only f has taken them. False: too many. */
static bool move_initial(const struct agglomeration *a) {
  struct reducible *r = a->r;
  const struct reducible_transition *f = &r->transitions[a->after[0]];
  const int64_t times = r->places[a->place].initial / a->weight;
  int64_t tokens;
  for (size_t i = 0; times && i < f->count; i++) {
    const struct net_arc *arc = &f->arcs[i];
    if (__builtin_mul_overflow(times, arc->puts, &tokens) || tokens + r->places[arc->place].initial > NET_MOST_TOKENS)
      return false;
  }
  for (size_t i = 0; times && i < f->count; i++)
    r->places[f->arcs[i].place].initial += times * f->arcs[i].puts;
  r->places[a->place].initial = 0;
  return true;
}

static void note_agglomerated(const struct agglomeration *a, enum net_rule rule, int64_t initial) {
  struct reducible *r = a->r;
  struct agglomerated noted = {.drain = a->after[0], .times = initial / a->weight};
  if (rule == RULE_PRE) {
    uint32_t *delayed = arena_array(r->arena, a->before_count, sizeof *delayed);
    memcpy(delayed, a->before, a->before_count * sizeof *delayed);
    noted.delayed = delayed;
    noted.delayed_count = a->before_count;
  }
  *ARENA_PUSH(r->arena, r->agglomerated, r->agglomerated_count, r->agglomerated_cap) = noted;
}

static bool agglomerate(const struct agglomeration *a, enum net_rule rule) {
  struct reducible *r = a->r;
  struct pair *pairs = arena_array(r->arena, a->before_count * a->after_count, sizeof *pairs);
  const int64_t initial = r->places[a->place].initial;
  if (!make_pairs(a, pairs) || !move_initial(a))
    return false;
  note_agglomerated(a, rule, initial);
  for (size_t i = 0; i < a->before_count * a->after_count; i++)
    append_transition(r, pairs[i].arcs, pairs[i].count, pairs[i].before, pairs[i].after);
  for (size_t i = 0; i < a->before_count; i++)
    remove_transition(r, a->before[i], rule);
  for (size_t i = 0; i < a->after_count; i++)
    remove_transition(r, a->after[i], rule);
  remove_place(r, a->place, rule);
  return true;
}

/* ---- all places --------------------------------------------------------------------------------- */

static bool agglomerate_places(struct reducible *r, enum net_rule rule) {
  struct agglomeration a = {.r = r};
  bool changed = false;
  for (a.place = 0; r->keep >= KEEP_RUNS && a.place < r->net->place_count; a.place++) {
    const struct reducible_place *p = &r->places[a.place];
    if (p->removed || !is_free(p))
      continue;
    if (find_transitions(&a) && (rule == RULE_POST ? may_post(&a) : may_pre(&a)))
      changed |= agglomerate(&a, rule);
  }
  return changed;
}

bool reduce_post(struct reducible *r) { return agglomerate_places(r, RULE_POST); }
bool reduce_pre(struct reducible *r) { return agglomerate_places(r, RULE_PRE); }
