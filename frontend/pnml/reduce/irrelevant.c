/* Where only reachable markings of the visible places are asked for: transitions that no such marking needs. */
#include "frontend/pnml/reduce/reducible.h"

/* ---- what does not influence visible places ---------------------------------------------------- */

struct influence {
  bool *places, *transitions;
  uint32_t *queue; /* places whose transitions are to be looked at */
  size_t queued;
};

static void add_place(struct influence *in, uint32_t place) {
  if (!in->places[place])
    in->queue[in->queued++] = place;
  in->places[place] = true;
}

/* All places that the conditions of the transition read. */
static void add_transition(struct influence *in, uint32_t number, const struct reducible_transition *t) {
  in->transitions[number] = true;
  for (size_t i = 0; i < t->count; i++)
    if (arc_has_condition(&t->arcs[i]))
      add_place(in, t->arcs[i].place);
}

/* Visible places, transitions that change a place found, and places that a transition found reads. */
static void find_influence(const struct reducible *r, struct influence *in) {
  const struct net_arc *arc;
  for (uint32_t p = 0; p < r->net->place_count; p++)
    if (r->places[p].visible && !r->places[p].removed)
      add_place(in, p);
  while (in->queued) {
    const uint32_t p = in->queue[--in->queued];
    for (size_t k = 0; k < r->places[p].count; k++) {
      const uint32_t number = r->places[p].transitions[k];
      const struct reducible_transition *t = place_transition(r, p, k, &arc);
      if (t && arc_changes(arc) && !in->transitions[number])
        add_transition(in, number, t);
    }
  }
}

static bool remove_without_influence(struct reducible *r) {
  struct influence in = {.places = arena_array(r->arena, r->net->place_count, sizeof *in.places),
                         .transitions = arena_array(r->arena, r->transition_count, sizeof *in.transitions),
                         .queue = arena_array(r->arena, r->net->place_count, sizeof *in.queue)};
  bool changed = false;
  find_influence(r, &in);
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (!r->transitions[i].removed && !in.transitions[i]) {
      remove_transition(r, i, RULE_IRRELEVANT);
      changed = true;
    }
  for (uint32_t p = 0; p < r->net->place_count; p++)
    if (!r->places[p].removed && !in.places[p]) {
      remove_place(r, p, RULE_IRRELEVANT);
      changed = true;
    }
  return changed;
}

/* ---- transitions that only take ---------------------------------------------------------------- */

/* It takes tokens of invisible places at most, where they prevent nothing: a run without it goes as far. */
static bool only_takes(const struct reducible *r, const struct reducible_transition *t) {
  for (size_t i = 0; i < t->count; i++) {
    const struct net_arc *arc = &t->arcs[i];
    const struct reducible_place *p = &r->places[arc->place];
    if (arc_changes(arc) && (arc_change(arc) > 0 || p->visible || p->tested))
      return false;
  }
  return true;
}

bool reduce_irrelevant(struct reducible *r) {
  bool changed = false;
  if (r->keep < KEEP_REACHABLE)
    return false;
  for (uint32_t i = 0; i < r->transition_count; i++)
    if (!r->transitions[i].removed && only_takes(r, &r->transitions[i])) {
      remove_transition(r, i, RULE_IRRELEVANT);
      changed = true;
    }
  return remove_without_influence(r) || changed;
}
