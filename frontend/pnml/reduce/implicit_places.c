/* Implicit places: those that never prevent a firing, because they always have enough tokens, or because another place
   prevents it as well (Berthelot, "Transformations and decompositions of nets", 1987). All runs stay. Places from which
   nothing is taken are among them. */
#include "frontend/pnml/reduce/reducible.h"

/* No transition looks at it. */
static bool is_unread(const struct reducible *r, uint32_t place) {
  const struct net_arc *arc;
  for (size_t k = 0; k < r->places[place].count; k++)
    if (place_transition(r, place, k, &arc) && arc_has_condition(arc))
      return false;
  return true;
}

/* It never has fewer tokens than initially, and these are enough. */
static bool has_enough(const struct reducible *r, uint32_t place) {
  const struct net_arc *arc;
  for (size_t k = 0; k < r->places[place].count; k++)
    if (place_transition(r, place, k, &arc) && (arc_change(arc) < 0 || arc->needs > r->places[place].initial))
      return false;
  return true;
}

/* Transitions of `place` change it by no less than `other`, and need no more of it; others do not fill `other`. So it
   always has at least as many tokens. */
static bool follows(struct reducible *r, uint32_t place, uint32_t other) {
  static const struct net_arc nothing;
  const struct net_arc *arc;
  r->work += r->places[place].count + r->places[other].count;
  for (size_t k = 0; k < r->places[place].count; k++) {
    const struct reducible_transition *t = place_transition(r, place, k, &arc);
    const struct net_arc *theirs = t ? reducible_arc(t, other) : NULL;
    if (t && (arc_change(arc) < arc_change(theirs ? theirs : &nothing) || arc->needs > (theirs ? theirs->needs : 0)))
      return false;
  }
  for (size_t k = 0; k < r->places[other].count; k++) {
    const struct reducible_transition *t = place_transition(r, other, k, &arc);
    if (t && arc_change(arc) > 0 && !reducible_arc(t, place))
      return false;
  }
  return true;
}

/* The other place must be one of each transition that needs tokens: of the one with the fewest arcs, too. */
static bool has_substitute(struct reducible *r, uint32_t place) {
  const struct reducible_transition *least = NULL;
  const struct net_arc *arc;
  for (size_t k = 0; k < r->places[place].count; k++) {
    const struct reducible_transition *t = place_transition(r, place, k, &arc);
    if (t && arc->needs && (!least || t->count < least->count))
      least = t;
  }
  for (size_t i = 0; least && i < least->count && r->work < REDUCE_MOST_WORK; i++) {
    const uint32_t other = least->arcs[i].place;
    if (other != place && !r->places[other].tested && r->places[place].initial >= r->places[other].initial &&
        follows(r, place, other))
      return true;
  }
  return false;
}

bool reduce_implicit(struct reducible *r) {
  bool changed = false;
  for (uint32_t p = 0; p < r->net->place_count; p++) {
    if (r->places[p].removed || r->places[p].visible)
      continue;
    if (!is_unread(r, p) && (r->places[p].tested || (!has_enough(r, p) && !has_substitute(r, p))))
      continue;
    remove_place(r, p, RULE_IMPLICIT);
    changed = true;
  }
  return changed;
}
