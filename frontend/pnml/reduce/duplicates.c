/* Transitions whose every step is one of another transition: the same change under conditions that are no weaker. Steps
   between two markings then are fewer, but the same markings follow each other. */
#include "frontend/pnml/reduce/reducible.h"

#include <stdlib.h>

struct effect {
  uint64_t hash; /* of the changes */
  uint32_t transition;
};

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct reducible_transition *t) {
  uint64_t hash = 1;
  for (size_t i = 0; i < t->count; i++)
    if (arc_changes(&t->arcs[i])) {
      hash = mix(hash, t->arcs[i].place);
      hash = mix(hash, t->arcs[i].resets ? UINT64_MAX - (uint64_t)t->arcs[i].puts : (uint64_t)arc_change(&t->arcs[i]));
    }
  return hash;
}

static int by_hash(const void *left, const void *right) {
  const struct effect *a = left, *b = right;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return a->transition < b->transition ? -1 : a->transition > b->transition;
}

static bool same_change(const struct net_arc *a, const struct net_arc *b) {
  if (a->resets || b->resets)
    return a->resets && b->resets && a->puts == b->puts;
  return arc_change(a) == arc_change(b);
}

/* What `a` demands of the tokens, `b` demands, too. NULL: nothing. */
static bool demands_less(const struct net_arc *a, const struct net_arc *b) {
  const int64_t needs = b ? b->needs : 0, below = b ? b->below : 0;
  return a->needs <= needs && (!a->below || (below && below <= a->below));
}

/* Each step of `t` is one of `other`; `any_change`: `t` changes nothing, and that `other` is enabled is enough. */
static bool replaces(struct reducible *r, const struct reducible_transition *other,
                     const struct reducible_transition *t, bool any_change) {
  const struct net_arc nothing = {0};
  r->work += other->count + t->count + 1;
  for (size_t i = 0; i < other->count; i++) {
    const struct net_arc *a = &other->arcs[i], *b = reducible_arc(t, a->place);
    if (!demands_less(a, b) || (!any_change && !same_change(a, b ? b : &nothing)))
      return false;
  }
  for (size_t i = 0; i < t->count && !any_change; i++)
    if (arc_changes(&t->arcs[i]) && !reducible_arc(other, t->arcs[i].place))
      return false;
  return true;
}

static bool remove_replaced(struct reducible *r, const struct effect *effects, size_t count) {
  bool changed = false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count && !r->transitions[effects[i].transition].removed && r->work < REDUCE_MOST_WORK; k++) {
      const struct reducible_transition *t = &r->transitions[effects[i].transition];
      const struct reducible_transition *other = &r->transitions[effects[k].transition];
      if (k != i && !other->removed && replaces(r, other, t, false)) {
        remove_transition(r, effects[i].transition, RULE_DUPLICATE);
        changed = true;
      }
    }
  return changed;
}

static bool changes_nothing(const struct reducible_transition *t) {
  for (size_t i = 0; i < t->count; i++)
    if (arc_changes(&t->arcs[i]))
      return false;
  return true;
}

/* For deadlocks: a transition that changes nothing only enables, which a weaker one does as well. One that has the
   fewest places with conditions is sought among those of its rarest place. */
static bool remove_enabling(struct reducible *r) {
  bool changed = false;
  for (uint32_t i = 0; i < r->transition_count && r->work < REDUCE_MOST_WORK; i++) {
    const struct reducible_transition *t = &r->transitions[i];
    if (t->removed || !changes_nothing(t))
      continue;
    for (size_t a = 0; a < t->count && !t->removed; a++) {
      const struct reducible_place *p = &r->places[t->arcs[a].place];
      for (size_t k = 0; k < p->count && !t->removed && r->work < REDUCE_MOST_WORK; k++) {
        const struct reducible_transition *other = &r->transitions[p->transitions[k]];
        if (other != t && !other->removed && replaces(r, other, t, true)) {
          remove_transition(r, i, RULE_DUPLICATE);
          changed = true;
        }
      }
    }
  }
  return changed;
}

bool reduce_duplicate(struct reducible *r) {
  struct effect *effects = arena_array(r->arena, r->transition_count, sizeof *effects);
  size_t count = 0;
  bool changed = false;
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (!r->transitions[i].removed)
      effects[count++] = (struct effect){hash_of(&r->transitions[i]), i};
  if (count)
    qsort(effects, count, sizeof *effects, by_hash);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && effects[end].hash == effects[first].hash;)
      end++;
    changed |= remove_replaced(r, &effects[first], end - first);
  }
  return (r->keep == KEEP_DEADLOCKS && remove_enabling(r)) || changed;
}
