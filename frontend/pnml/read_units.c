/* Nested-unit nets (NUPN): data of a tool that divides the places into units. If the file claims that the net is safe,
   each place has at most one token, and of a unit and the units that contain it at most one place has one. These are
   claims: bounds that follow from them are proved (unit_bounds.c), or the search checks them. */
#include "frontend/pnml/read_net.h"

#include <string.h>

/* Calls `each` for the words of an element; none without the element. */
static void each_word(struct net_reader *r, const struct xml_element *element, void *user,
                      void (*each)(struct net_reader *r, void *user, const char *word, source_at at)) {
  const char *text = element ? trimmed_text(r, element) : "";
  while (*text) {
    const size_t length = strcspn(text, " \t\r\n");
    each(r, user, arena_copy(r->arena, text, length), element->at);
    text += length;
    text += strspn(text, " \t\r\n");
  }
}

/* Places that are in no unit: the claim is about places of units. */
static void add_place(struct net_reader *r, void *user, const char *id, source_at at) {
  struct net_unit *unit = user;
  const struct net_node *node = node_of(r, id, at);
  if (!node || !node->is_place)
    return;
  r->net->places[node->number].safe = true;
  *ARENA_PUSH(r->arena, unit->places, unit->count, unit->cap) = node->number;
}

struct unit_reader {
  struct id_table ids;
  uint32_t number; /* of the unit whose subunits are read */
};

/* Ids that are unknown lose bounds only. */
static void add_subunit(struct net_reader *r, void *user, const char *id, source_at at) {
  const struct unit_reader *units = user;
  uint32_t number;
  (void)at;
  if (id_table_find(&units->ids, id, &number))
    r->net->units[number].parent = units->number;
}

void net_read_units(struct net_reader *r, const struct xml_element *element) {
  const struct xml_element *structure = child_of(element, "structure");
  struct unit_reader units = {.ids = {.arena = r->arena}};
  if (!structure || strcmp(trimmed_attribute(r, structure, "safe"), "true") != 0 || r->net->unit_count)
    return;
  for (const struct xml_element *e = structure->children; e; e = e->next) {
    if (strcmp(e->name, "unit") != 0)
      continue;
    struct net_unit *unit = ARENA_PUSH(r->arena, r->net->units, r->net->unit_count, r->net->unit_cap);
    *unit = (struct net_unit){.parent = NO_UNIT};
    id_table_add(&units.ids, trimmed_attribute(r, e, "id"), (uint32_t)r->net->unit_count - 1, NULL);
    each_word(r, child_of(e, "places"), unit, add_place);
  }
  for (const struct xml_element *e = structure->children; e; e = e->next)
    if (strcmp(e->name, "unit") == 0) {
      each_word(r, child_of(e, "subunits"), &units, add_subunit);
      units.number++;
    }
}
