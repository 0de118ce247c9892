/* Rules that keep all runs: constant places, transitions that never fire. And one for deadlocks alone. */
#include "frontend/pnml/reduce/reducible.h"

/* ---- constant places -------------------------------------------------------------------------- */

static bool is_constant(const struct reducible *r, uint32_t place) {
  const struct net_arc *arc;
  for (size_t k = 0; k < r->places[place].count; k++)
    if (place_transition(r, place, k, &arc) && arc_changes(arc))
      return false;
  return true;
}

/* The initial tokens are those of all markings. */
bool reduce_constant(struct reducible *r) {
  const struct net_arc *arc;
  bool changed = false;
  for (uint32_t p = 0; p < r->net->place_count; p++) {
    if (r->places[p].removed || !is_constant(r, p))
      continue;
    for (size_t k = 0; k < r->places[p].count; k++)
      if (place_transition(r, p, k, &arc) && !arc_permits(arc, r->places[p].initial))
        remove_transition(r, r->places[p].transitions[k], RULE_CONSTANT);
    remove_place(r, p, RULE_CONSTANT);
    changed = true;
  }
  return changed;
}

/* ---- transitions that never fire -------------------------------------------------------------- */

/* Each of its places has enough tokens initially, or may get some. Inhibitor arcs are taken as permitted. */
static bool may_fire(const struct reducible *r, const struct reducible_transition *t, const bool *filled) {
  for (size_t i = 0; i < t->count; i++)
    if (t->arcs[i].needs > r->places[t->arcs[i].place].initial && !filled[t->arcs[i].place])
      return false;
  return true;
}

static bool fill(const struct reducible_transition *t, bool *filled) {
  bool changed = false;
  for (size_t i = 0; i < t->count; i++)
    if ((arc_change(&t->arcs[i]) > 0 || (t->arcs[i].resets && t->arcs[i].puts > 0)) && !filled[t->arcs[i].place])
      changed = filled[t->arcs[i].place] = true;
  return changed;
}

bool reduce_dead(struct reducible *r) {
  bool *filled = arena_array(r->arena, r->net->place_count, sizeof *filled);
  bool *fires = arena_array(r->arena, r->transition_count, sizeof *fires);
  bool changed = true, any = false;
  while (changed && r->work < REDUCE_MOST_WORK) {
    changed = false;
    r->work += r->arcs;
    for (size_t i = 0; i < r->transition_count; i++)
      if (!r->transitions[i].removed && !fires[i] && may_fire(r, &r->transitions[i], filled)) {
        fires[i] = true;
        changed |= fill(&r->transitions[i], filled);
      }
  }
  if (changed) /* the limit of work: others may fire, too */
    return false;
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (!r->transitions[i].removed && !fires[i]) {
      remove_transition(r, i, RULE_DEAD);
      any = true;
    }
  return any;
}

/* ---- deadlocks -------------------------------------------------------------------------------- */

static bool has_visible(const struct reducible *r) {
  for (size_t p = 0; p < r->net->place_count; p++)
    if (r->places[p].visible)
      return true;
  return false;
}

static bool is_always_enabled(const struct reducible_transition *t) {
  for (size_t i = 0; i < t->count; i++)
    if (arc_has_condition(&t->arcs[i]))
      return false;
  return !t->removed;
}

/* Where only deadlocks are asked for and there are none, as a transition is always enabled: nothing else is needed. */
bool reduce_endless(struct reducible *r) {
  uint32_t t = 0;
  if (r->keep != KEEP_DEADLOCKS || has_visible(r))
    return false;
  while (t < r->transition_count && !is_always_enabled(&r->transitions[t]))
    t++;
  if (t == r->transition_count || r->arcs == 0)
    return false;
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (i != t)
      remove_transition(r, i, RULE_ENDLESS);
  for (uint32_t p = 0; p < r->net->place_count; p++)
    if (!r->places[p].removed)
      remove_place(r, p, RULE_ENDLESS);
  return true;
}
