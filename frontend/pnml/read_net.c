#include "frontend/pnml/read_net.h"

#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Messages have hints with similar names up to this many errors. */
#define MOST_HINTS 20

/* ---- parts of the tree ------------------------------------------------------------------------ */

const struct xml_element *child_of(const struct xml_element *element, const char *name) {
  const struct xml_element *child = element->children;
  while (child && strcmp(child->name, name) != 0)
    child = child->next;
  return child;
}

const struct xml_attribute *attribute_of(const struct xml_element *element, const char *name) {
  const struct xml_attribute *attribute = element->attributes;
  while (attribute && strcmp(attribute->name, name) != 0)
    attribute = attribute->next;
  return attribute;
}

/* A position in the text, for messages: its first character that is not blank. */
static size_t skip_blanks(const struct located_text *text) { return strspn(text->text, " \t\r\n"); }

const char *trimmed(const struct located_text *text, struct arena *arena) {
  const char *begin = text->text + skip_blanks(text);
  size_t length = strlen(begin);
  while (length > 0 && strchr(" \t\r\n", begin[length - 1]))
    length--;
  return arena_copy(arena, begin, length);
}

const char *trimmed_attribute(const struct net_reader *r, const struct xml_element *element, const char *name) {
  const struct xml_attribute *attribute = attribute_of(element, name);
  return attribute ? trimmed(&attribute->value, r->arena) : "";
}

const char *trimmed_text(const struct net_reader *r, const struct xml_element *element) {
  return trimmed(&element->text, r->arena);
}

const char *label_of(const struct net_reader *r, const struct xml_element *element, const char *name, source_at *at) {
  const struct xml_element *label = child_of(element, name);
  const struct xml_element *text = label ? child_of(label, "text") : NULL;
  if (!text)
    return NULL;
  const size_t blanks = skip_blanks(&text->text);
  *at = text->text.at[blanks];
  return trimmed(&text->text, r->arena);
}

static bool to_number(const char *text, int64_t *out) {
  char *end;
  if (!isdigit((unsigned char)*text))
    return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && *end == '\0';
}

/* Nothing but its layout. */
static bool is_layout(const struct xml_element *label) {
  bool graphics = false;
  for (const struct xml_element *child = label->children; child; child = child->next)
    if (strcmp(child->name, "graphics") == 0)
      graphics = true;
    else if (strcmp(child->name, "toolspecific") != 0)
      return false;
  return graphics && !label->text.text[skip_blanks(&label->text)];
}

int64_t number_of_label(struct net_reader *r, const struct xml_element *element, const char *name, int64_t least,
                        int64_t missing) {
  source_at at = element->at;
  int64_t number;
  const struct xml_element *label = child_of(element, name);
  const char *text = label_of(r, element, name, &at);
  if (!text && label && !is_layout(label))
    READ_ERROR(r, label->at, "write <text>1</text> in it", "'%s' has no element 'text'", name);
  if (!text || !*text)
    return missing;
  if (to_number(text, &number) && number >= least && number <= NET_MOST_TOKENS)
    return number;
  READ_ERROR(r, at, NULL, "'%s' is a whole number from %lld to %lld, not '%.60s'", name, (long long)least,
             (long long)NET_MOST_TOKENS, text);
  return missing;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

const struct net_node *node_of(struct net_reader *r, const char *id, source_at at) {
  uint32_t number;
  if (id_table_find(&r->ids, id, &number))
    return &r->nodes[number];
  READ_ERROR(r, at, r->errors < MOST_HINTS ? id_table_hint(&r->ids, id, r->arena) : NULL,
             "the net has no place or transition '%.100s'", id);
  return NULL;
}

/* Names are printed as they are. */
const char *net_printable(const struct net_reader *r, const char *name) {
  const char *control = name;
  while (*control && !utf8_control(control))
    control++;
  if (!*control)
    return name;
  char *copy = arena_copy(r->arena, name, strlen(name));
  for (char *c = copy; *c; c++)
    for (size_t n = utf8_control(c), i = 0; i < n; i++)
      c[i] = '_';
  return copy;
}

/* NULL, with an error, without an id. */
static const char *id_of(struct net_reader *r, const struct xml_element *element) {
  const char *id = trimmed_attribute(r, element, "id");
  if (*id)
    return net_printable(r, id);
  READ_ERROR(r, element->at, NULL, "this '%s' has no attribute 'id'", element->name);
  return NULL;
}

static void add_node(struct net_reader *r, const char *id, struct net_node node) {
  uint32_t previous;
  if (id_table_add(&r->ids, id, (uint32_t)r->node_count, &previous)) {
    *ARENA_PUSH(r->arena, r->nodes, r->node_count, r->node_cap) = node;
    return;
  }
  READ_ERROR(r, node.at, NULL, "the id '%.100s' is used twice", id);
  diag_note(r->log, r->source, r->nodes[previous].at, NULL, "'%.100s' is first used here", id);
}

static const char *name_of(const struct net_reader *r, const struct xml_element *element) {
  source_at at;
  const char *name = label_of(r, element, "name", &at);
  return name ? net_printable(r, name) : "";
}

/* Labels that other formats of nets have as attributes. */
static void refuse_attribute(struct net_reader *r, const struct xml_element *element, const char *name) {
  const struct xml_attribute *attribute = attribute_of(element, name);
  if (attribute)
    READ_ERROR(r, attribute->value.at[0], arena_printf(r->arena, "write <%s><text>1</text></%s>", name, name),
               "'%s' is an element in PNML, not an attribute", name);
}

/* A limit of tokens; 0: there is none. */
static void refuse_capacity(struct net_reader *r, const struct xml_element *place) {
  const struct xml_element *label = child_of(place, "capacity"), *number = label;
  if (label && label->children)
    number = child_of(label, "text") ? child_of(label, "text") : child_of(label, "value");
  const char *text = number ? trimmed_text(r, number) : "";
  if (*text && strcmp(text, "0") != 0)
    READ_ERROR(r, label->at, "leave it out, or add a place for the free tokens",
               "capacities of places are not supported");
}

static void read_place(struct net_reader *r, const struct xml_element *element) {
  struct net *net = r->net;
  const char *id = id_of(r, element);
  if (!id)
    return;
  refuse_attribute(r, element, "initialMarking");
  refuse_capacity(r, element);
  add_node(r, id, (struct net_node){.is_place = true, .number = (uint32_t)net->place_count, .at = element->at});
  *ARENA_PUSH(r->arena, r->place_elements, r->place_element_count, r->place_element_cap) = element;
  *ARENA_PUSH(r->arena, net->places, net->place_count, net->place_cap) =
      (struct net_place){.id = id,
                         .name = name_of(r, element),
                         .at = element->at,
                         .initial = number_of_label(r, element, "initialMarking", 0, 0)};
}

static void read_transition(struct net_reader *r, const struct xml_element *element) {
  struct net *net = r->net;
  const char *id = id_of(r, element);
  if (!id)
    return;
  add_node(r, id, (struct net_node){.number = (uint32_t)net->transition_count, .at = element->at});
  *ARENA_PUSH(r->arena, r->transition_elements, r->transition_element_count, r->transition_element_cap) = element;
  *ARENA_PUSH(r->arena, net->transitions, net->transition_count, net->transition_cap) =
      (struct net_transition){.id = id, .name = name_of(r, element), .at = element->at};
}

static void read_reference(struct net_reader *r, const struct xml_element *element) {
  const char *id = id_of(r, element), *reference = trimmed_attribute(r, element, "ref");
  if (!*reference)
    READ_ERROR(r, element->at, NULL, "this '%s' has no attribute 'ref'", element->name);
  else if (id)
    add_node(r, id,
             (struct net_node){.is_place = strcmp(element->name, "referencePlace") == 0,
                               .reference = net_printable(r, reference),
                               .at = element->at});
}

static void read_arc(struct net_reader *r, const struct xml_element *element) {
  refuse_attribute(r, element, "inscription");
  *ARENA_PUSH(r->arena, r->arcs, r->arc_count, r->arc_cap) = element;
}

/* ---- pages ------------------------------------------------------------------------------------ */

static void read_page(struct net_reader *r, const struct xml_element *page);

static const struct {
  const char *name;
  void (*read)(struct net_reader *r, const struct xml_element *element);
} parts[] = {
    {"place", read_place}, {"transition", read_transition},    {"arc", read_arc},
    {"page", read_page},   {"referencePlace", read_reference}, {"referenceTransition", read_reference},
};

/* `inputArc` and the like of other formats. */
static void refuse_arc(struct net_reader *r, const struct xml_element *element) {
  if (attribute_of(element, "source") && attribute_of(element, "target"))
    READ_ERROR(r, element->at, "arcs are elements 'arc'", "elements '%.60s' are not supported", element->name);
}

/* Other elements (names, graphics, data of tools) do not change the net. */
static void read_page(struct net_reader *r, const struct xml_element *page) {
  const size_t n = sizeof parts / sizeof *parts;
  for (const struct xml_element *child = page->children; child; child = child->next) {
    size_t i = 0;
    while (i < n && strcmp(child->name, parts[i].name) != 0)
      i++;
    (i < n ? parts[i].read : refuse_arc)(r, child);
  }
}

/* Data of tools may be anywhere. */
static void read_tool_data(struct net_reader *r, const struct xml_element *element) {
  for (const struct xml_element *child = element->children; child; child = child->next)
    if (strcmp(child->name, "page") == 0)
      read_tool_data(r, child);
    else if (strcmp(child->name, "toolspecific") == 0 && strcmp(trimmed_attribute(r, child, "tool"), "nupn") == 0)
      net_read_units(r, child);
}

/* ---- references ------------------------------------------------------------------------------- */

static void resolve_reference(struct net_reader *r, struct net_node *node) {
  const struct net_node *target = node;
  for (size_t steps = 0; target && target->reference; steps++) {
    if (steps > r->node_count) {
      READ_ERROR(r, node->at, NULL, "this reference refers to itself");
      return;
    }
    target = node_of(r, target->reference, target->at);
  }
  if (target && target->is_place != node->is_place)
    READ_ERROR(r, node->at, NULL, "the reference of a %s refers to a %s", node->is_place ? "place" : "transition",
               target->is_place ? "place" : "transition");
  else if (target)
    node->number = target->number;
}

static void resolve_references(struct net_reader *r) {
  for (size_t i = 0; i < r->node_count; i++)
    if (r->nodes[i].reference)
      resolve_reference(r, &r->nodes[i]);
}

/* ---- names ------------------------------------------------------------------------------------ */

/* None is missing, and all differ. */
static bool has_names(struct net_reader *r, size_t count, const char *(*nth_name)(const struct net *net, size_t i)) {
  struct id_table names = {.arena = r->arena};
  for (size_t i = 0; i < count; i++) {
    const char *name = nth_name(r->net, i);
    if (!*name || !id_table_add(&names, name, 0, NULL))
      return false;
  }
  return true;
}

static const char *place_name(const struct net *net, size_t i) { return net->places[i].name; }
static const char *transition_name(const struct net *net, size_t i) { return net->transitions[i].name; }

/* Names that are missing or not unique are replaced by the ids, all together: then it is clear which they are. */
static void choose_names(struct net_reader *r) {
  struct net *net = r->net;
  if (!has_names(r, net->place_count, place_name))
    for (size_t i = 0; i < net->place_count; i++)
      net->places[i].name = net->places[i].id;
  if (!has_names(r, net->transition_count, transition_name))
    for (size_t i = 0; i < net->transition_count; i++)
      net->transitions[i].name = net->transitions[i].id;
}

/* ---- ids -------------------------------------------------------------------------------------- */

/* References stand for their targets. */
static void add_groups(struct net_reader *r) {
  struct net *net = r->net;
  net->place_ids.arena = net->transition_ids.arena = r->arena;
  for (size_t i = 0; i < r->node_count; i++) {
    const struct net_node *node = &r->nodes[i];
    id_table_add(node->is_place ? &net->place_ids : &net->transition_ids, r->ids.ids.names[i],
                 (uint32_t)net->group_count, NULL);
    *ARENA_PUSH(r->arena, net->groups, net->group_count, net->group_cap) =
        (struct net_group){r->ids.ids.names[i], node->is_place, node->number, 1};
  }
}

/* ---- the net ---------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* Types of nets with colours: what symmetric nets do not have is an error where it is used. */
static bool is_coloured(const struct net_reader *r, const struct xml_element *net) {
  const char *type = trimmed_attribute(r, net, "type");
  return ends_with(type, "/symmetricnet") || ends_with(type, "/highlevelnet") || ends_with(type, "/pt-hlpng");
}

/* The types of ISO 15909-2; tools without types of their own use that of the core model. */
static void check_type(struct net_reader *r, const struct xml_element *net) {
  const char *type = trimmed_attribute(r, net, "type");
  const struct xml_attribute *attribute = attribute_of(net, "type");
  if (!attribute || ends_with(type, "/ptnet") || ends_with(type, "/pnmlcoremodel") || is_coloured(r, net))
    return;
  READ_ERROR(r, attribute->value.at[0], "types end in grammar/ptnet or grammar/symmetricnet",
             "nets of type '%.100s' are not supported", type);
}

static void read_net_element(struct net_reader *r, const struct xml_element *element) {
  const char *name = name_of(r, element), *id = trimmed_attribute(r, element, "id");
  r->net->name = *name ? name : *id ? net_printable(r, id) : "net";
  check_type(r, element);
  if (r->errors)
    return;
  read_page(r, element);
  resolve_references(r);
  choose_names(r);
  add_groups(r);
  if (!r->errors)
    (is_coloured(r, element) ? net_unfold(r, element) : net_read_arcs(r));
  if (!r->errors && !is_coloured(r, element)) /* such data are about the places of the file */
    read_tool_data(r, element);
  if (!r->errors && r->net->place_count == 0)
    READ_ERROR(r, element->at, NULL, "the net has no places");
}

static void read_root(struct net_reader *r, const struct xml_element *root) {
  const struct xml_element *net = child_of(root, "net");
  if (strcmp(root->name, "pnml") != 0)
    READ_ERROR(r, root->at, NULL, "the root element is '%.60s', not 'pnml'", root->name);
  else if (!net)
    READ_ERROR(r, root->at, NULL, "the file has no net");
  else
    read_net_element(r, net);
  for (const struct xml_element *next = net ? net->next : NULL; next; next = next->next)
    if (strcmp(next->name, "net") == 0) {
      READ_ERROR(r, next->at, "write each net to a file of its own", "the file has more than one net");
      return;
    }
}

floe_status net_read(const struct source *source, struct arena *arena, floe_log *log, struct net **out) {
  struct net *net = arena_alloc(arena, sizeof *net);
  struct net_reader r = {.source = source, .arena = arena, .log = log, .net = net, .ids = {.arena = arena}};
  struct xml_element *root;
  FLOE_TRY(xml_parse(source, XML_NAMESPACES, arena, log, &root));
  net->source = source;
  read_root(&r, root);
  *out = net;
  return r.errors ? FLOE_ERROR_MODEL : FLOE_OK;
}
