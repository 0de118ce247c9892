/* Nested-unit nets (NUPN): data of a tool that divides the places into units. Of it only `safe` is used: each place
   has at most one token. It is a claim, which the search checks. */
#include "frontend/pnml/read_net.h"

#include <string.h>

/* Places that are in no unit: the claim is about places of units. */
static void read_unit_places(struct net_reader *r, const struct xml_element *places) {
  const char *text = trimmed_text(r, places);
  while (*text) {
    const size_t length = strcspn(text, " \t\r\n");
    const char *id = arena_copy(r->arena, text, length);
    const struct net_node *node = node_of(r, id, places->at);
    if (node && node->is_place)
      r->net->places[node->number].safe = true;
    text += length;
    text += strspn(text, " \t\r\n");
  }
}

void net_read_units(struct net_reader *r, const struct xml_element *element) {
  const struct xml_element *structure = child_of(element, "structure");
  if (!structure || strcmp(trimmed_attribute(r, structure, "safe"), "true") != 0)
    return;
  for (const struct xml_element *unit = structure->children; unit; unit = unit->next) {
    const struct xml_element *places = strcmp(unit->name, "unit") == 0 ? child_of(unit, "places") : NULL;
    if (places)
      read_unit_places(r, places);
  }
}
