/* Arcs: all that connect a transition and a place become one struct net_arc. */
#include "frontend/pnml/read_net.h"

#include <stdlib.h>
#include <string.h>

/* Words of several tools. */
static const struct {
  const char *word;
  enum arc_kind kind;
} words[] = {
    {"normal", ARC_NORMAL}, {"inhibitor", ARC_INHIBITOR}, {"reset", ARC_RESET}, {"test", ARC_TEST}, {"read", ARC_TEST},
};

/* The word for the kind: the attribute `type`, or an element `type` or `arctype` with an attribute `value` or a text.
 */
static const char *kind_word(struct net_reader *r, const struct xml_element *arc, source_at *at) {
  const struct xml_attribute *attribute = attribute_of(arc, "type");
  const struct xml_element *element = child_of(arc, "type");
  if (attribute) {
    *at = attribute->value.at[0];
    return trimmed_attribute(r, arc, "type");
  }
  if (!element)
    element = child_of(arc, "arctype");
  if (!element)
    return "normal";
  *at = element->at;
  if (attribute_of(element, "value"))
    return trimmed_attribute(r, element, "value");
  const struct xml_element *text = child_of(element, "text");
  return trimmed_text(r, text ? text : element);
}

static enum arc_kind kind_of(struct net_reader *r, const struct xml_element *arc) {
  source_at at = arc->at;
  const char *word = kind_word(r, arc, &at);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i].word) == 0)
      return words[i].kind;
  READ_ERROR(r, at, "arcs are normal, inhibitor, reset, test or read", "arcs of type '%.60s' are not supported", word);
  return ARC_NORMAL;
}

static const struct net_node *end_of(struct net_reader *r, const struct xml_element *arc, const char *which) {
  const struct xml_attribute *attribute = attribute_of(arc, which);
  if (attribute)
    return node_of(r, net_printable(r, trimmed_attribute(r, arc, which)), attribute->value.at[0]);
  READ_ERROR(r, arc->at, NULL, "this arc has no attribute '%s'", which);
  return NULL;
}

bool net_read_arc(struct net_reader *r, const struct xml_element *arc, struct written_arc *out) {
  const struct net_node *from = end_of(r, arc, "source"), *to = end_of(r, arc, "target");
  const enum arc_kind kind = kind_of(r, arc);
  if (!from || !to)
    return false;
  if (from->is_place == to->is_place)
    READ_ERROR(r, arc->at, "an arc connects a place and a transition", "this arc connects two %s",
               to->is_place ? "places" : "transitions");
  else if (to->is_place && kind != ARC_NORMAL)
    READ_ERROR(r, arc->at, NULL, "an inhibitor, reset or test arc goes from a place to a transition");
  *out = (struct written_arc){.place = to->is_place ? to->number : from->number,
                              .transition = to->is_place ? from->number : to->number,
                              .kind = kind,
                              .to_place = to->is_place,
                              .weight = 1,
                              .at = arc->at,
                              .end = arc->at + (source_at)strlen(arc->name)};
  return from->is_place != to->is_place;
}

/* ---- arcs of the net -------------------------------------------------------------------------- */

static int by_transition_and_place(const void *left, const void *right) {
  const struct written_arc *a = left, *b = right;
  if (a->transition != b->transition)
    return a->transition < b->transition ? -1 : 1;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

static int64_t more(struct net_reader *r, const struct written_arc *written, int64_t sum) {
  if (sum + written->weight <= NET_MOST_TOKENS)
    return sum + written->weight;
  READ_ERROR(r, written->at, NULL, "the weights of these arcs together exceed %lld", (long long)NET_MOST_TOKENS);
  return sum;
}

/* Tokens are taken by normal arcs together; each test and inhibitor arc is a condition of its own. */
static void merge(struct net_reader *r, struct net_arc *arc, const struct written_arc *written) {
  switch (written->kind) {
  case ARC_NORMAL:
    if (written->to_place)
      arc->puts = more(r, written, arc->puts);
    else
      arc->takes = more(r, written, arc->takes);
    break;
  case ARC_INHIBITOR:
    if (!arc->below || written->weight < arc->below)
      arc->below = written->weight;
    break;
  case ARC_RESET:
    arc->resets = true;
    break;
  case ARC_TEST:
    if (written->weight > arc->needs)
      arc->needs = written->weight;
    break;
  }
}

static void finish(struct net_arc *arc) {
  if (arc->takes > arc->needs)
    arc->needs = arc->takes;
}

static void add_arcs(struct net_reader *r, const struct written_arc *arcs, size_t count) {
  struct net *net = r->net;
  struct net_arc *last = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct written_arc *written = &arcs[i];
    if (!last || last->place != written->place || last->transition != written->transition) {
      last = ARENA_PUSH(r->arena, net->arcs, net->arc_count, net->arc_cap);
      *last = (struct net_arc){
          .place = written->place, .transition = written->transition, .at = written->at, .end = written->end};
    }
    merge(r, last, written);
  }
  for (size_t i = 0; i < net->arc_count; i++)
    finish(&net->arcs[i]);
}

static void set_ranges(struct net *net) {
  size_t next = 0;
  for (size_t t = 0; t < net->transition_count; t++) {
    net->transitions[t].first = next;
    while (next < net->arc_count && net->arcs[next].transition == t)
      next++;
    net->transitions[t].end = next;
  }
}

void net_add_arcs(struct net_reader *r, struct written_arc *arcs, size_t count) {
  if (count)
    qsort(arcs, count, sizeof *arcs, by_transition_and_place);
  add_arcs(r, arcs, count);
  set_ranges(r->net);
}

void net_read_arcs(struct net_reader *r) {
  struct written_arc *arcs = arena_array(r->arena, r->arc_count, sizeof *arcs);
  size_t count = 0;
  for (size_t i = 0; i < r->arc_count; i++)
    if (net_read_arc(r, r->arcs[i], &arcs[count]))
      arcs[count++].weight = number_of_label(r, r->arcs[i], "inscription", 1, 1);
  net_add_arcs(r, arcs, count);
}
