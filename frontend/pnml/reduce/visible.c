#include "frontend/pnml/reduce/visible.h"

#include "frontend/pnml/ground_properties.h"
#include "frontend/pnml/read_net.h"

#include <string.h>

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

/* NULL: the net has none of this id; the check of the properties reports it. */
static const struct net_group *group_of(const struct reducible *r, const struct xml_element *e) {
  const char *id = trimmed(&e->text, r->arena);
  uint32_t number;
  if (!id_table_find(is(e, "place") ? &r->net->place_ids : &r->net->transition_ids, id, &number))
    return NULL;
  return &r->net->groups[number];
}

/* The places that its condition reads. */
static void see_transition(struct reducible *r, uint32_t number) {
  const struct net_transition *t = &r->net->transitions[number];
  for (size_t a = t->first; a < t->end; a++)
    if (arc_has_condition(&r->net->arcs[a]))
      r->places[r->net->arcs[a].place].visible = true;
}

static void see_group(struct reducible *r, const struct xml_element *e) {
  const struct net_group *group = group_of(r, e);
  for (uint32_t i = 0; group && i < group->count; i++)
    if (group->is_place)
      r->places[group->first + i].visible = true;
    else
      see_transition(r, group->first + i);
}

static void see_all_transitions(struct reducible *r) {
  for (uint32_t i = 0; i < r->net->transition_count; i++)
    see_transition(r, i);
}

/* Places of the formula; *next: it has the operator of that name. */
static void see_formula(struct reducible *r, const struct xml_element *e, bool *next) {
  if (is(e, "place") || is(e, "transition"))
    see_group(r, e);
  else if (is(e, "deadlock"))
    see_all_transitions(r);
  *next |= is(e, "next");
  for (const struct xml_element *child = e->children; child; child = child->next)
    see_formula(r, child, next);
}

static void see_property(struct reducible *r, const struct xml_element *formula) {
  const struct xml_element *condition;
  floe_property_kind kind;
  enum net_keep keep = KEEP_REACHABLE;
  bool next = false;
  see_formula(r, formula, &next);
  if (!is(formula, "place-bound") && !is_state_formula(formula, &kind, &condition))
    keep = next ? KEEP_STEPS : KEEP_RUNS;
  if (keep < r->keep)
    r->keep = keep;
}

void find_visible(struct reducible *r, const struct xml_element *properties, const struct net_questions *questions) {
  r->keep = is_asked(questions, "deadlock") ? KEEP_DEADLOCKS : KEEP_REACHABLE;
  for (const struct xml_element *e = properties ? properties->children : NULL; e; e = e->next) {
    const char *id;
    const struct xml_element *formula = is(e, "property") ? property_formula(e, r->arena, &id) : NULL;
    if (formula && is_asked(questions, id))
      see_property(r, formula);
  }
}
