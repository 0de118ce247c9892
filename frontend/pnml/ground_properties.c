#include "frontend/pnml/ground_properties.h"

#include "base/utf8.h"
#include "logic/formula.h"

#include <string.h>

struct property_list {
  struct net_grounding *g;
  struct property properties[MODEL_MAX_PROPERTIES + 2];
  size_t count;
  struct measure *measures;
  size_t measure_count, measure_cap;
  bool full; /* an error was logged: there are too many */
};

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

static const struct xml_element *part(const struct xml_element *e, const char *name) {
  const struct xml_element *child = e->children;
  while (child && !is(child, name))
    child = child->next;
  return child;
}

/* The text of a part on one line, "" without it; control characters become blanks. */
static const char *text_of(const struct xml_element *e, const char *name, struct arena *arena) {
  const struct xml_element *child = part(e, name);
  if (!child)
    return "";
  const char *begin = child->text.text + strspn(child->text.text, " \t\r\n");
  char *text = arena_copy(arena, begin, strlen(begin));
  for (char *c = text; *c; c++)
    for (size_t n = utf8_control(c), i = 0; i < n; i++)
      c[i] = ' ';
  for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
    text[n - 1] = '\0';
  return text;
}

/* ---- ids ---------------------------------------------------------------------------------------- */

static bool is_taken(const struct property_list *l, const char *id) {
  if (strcmp(id, "deadlock") == 0 || strcmp(id, "errors") == 0)
    return true;
  for (size_t i = 0; i < l->count; i++)
    if (strcmp(l->properties[i].id, id) == 0)
      return true;
  for (size_t i = 0; i < l->measure_count; i++)
    if (strcmp(l->measures[i].id, id) == 0)
      return true;
  return false;
}

static bool check_id(struct property_list *l, const struct xml_element *e, const char *id) {
  struct builder *b = &l->g->build;
  if (!*id)
    BUILD_ERROR(b, e->at, NULL, "this property has no element 'id'");
  else if (is_taken(l, id))
    BUILD_ERROR(b, e->at, NULL, "there is already a property '%.100s'", id);
  else
    return true;
  return false;
}

/* ---- one property ------------------------------------------------------------------------------- */

/* The property's kind is decided by its outermost operators; `inner` is what is in them. */
static bool is_pair(const struct xml_element *e, const char *path, const char *time, const struct xml_element **inner) {
  if (!is(e, path) || !e->children || e->children->next || !is(e->children, time))
    return false;
  const struct xml_element *operand = e->children->children;
  if (!operand || operand->next || !is_condition(operand))
    return false;
  *inner = operand;
  return true;
}

static void add(struct property_list *l, struct property property) { l->properties[l->count++] = property; }

static void add_state_property(struct property_list *l, struct property property, const struct xml_element *inner) {
  property.expr = ground_condition(l->g, inner);
  if (!property.expr)
    return;
  property.text = condition_text(l->g, property.expr);
  add(l, property);
}

static void add_temporal(struct property_list *l, struct property property, const struct xml_element *inner) {
  property.kind = FLOE_LTL;
  property.temporal = ground_temporal(l->g, inner);
  if (!property.temporal)
    return;
  property.text = formula_text(property.temporal->formula, property.temporal->atom_texts, l->g->build.arena);
  add(l, property);
}

static void add_bound(struct property_list *l, const char *id, const struct xml_element *e) {
  struct measure measure = {.id = id, .text = ""};
  uint32_t *places;
  if (!ground_places(l->g, e, &places, &measure.count))
    return;
  measure.elements = places;
  for (size_t i = 0; i < measure.count; i++)
    measure.text =
        arena_printf(l->g->build.arena, "%s%s%s", measure.text, i ? " + " : "", l->g->net->places[places[i]].name);
  *ARENA_PUSH(l->g->build.arena, l->measures, l->measure_count, l->measure_cap) = measure;
}

bool is_state_formula(const struct xml_element *formula, floe_property_kind *kind,
                      const struct xml_element **condition) {
  *kind = is(formula, "exists-path") ? FLOE_REACHABLE : FLOE_INVARIANT;
  return is_pair(formula, "exists-path", "finally", condition) || is_pair(formula, "all-paths", "globally", condition);
}

static void add_formula(struct property_list *l, struct property property, const struct xml_element *e) {
  const struct xml_element *inner;
  if (is(e, "place-bound"))
    add_bound(l, property.id, e);
  else if (is_state_formula(e, &property.kind, &inner))
    add_state_property(l, property, inner);
  else if (is(e, "all-paths")) {
    if (operand_count(l->g, e, 1, 1) > 0)
      add_temporal(l, property, e->children);
  } else
    BUILD_ERROR(&l->g->build, e->at, "formulas begin with exists-path/finally, all-paths (linear time) or place-bound",
                "floe cannot decide formulas that begin with '%.60s'", e->name);
}

const struct xml_element *property_formula(const struct xml_element *property, struct arena *arena, const char **id) {
  const struct xml_element *formula = part(property, "formula");
  *id = text_of(property, "id", arena);
  return formula ? formula->children : NULL;
}

bool is_asked(const struct net_questions *questions, const char *id) {
  bool found = !questions || !questions->ids;
  for (size_t i = 0; !found && i < questions->count; i++)
    found = strcmp(questions->ids[i], id) == 0;
  return found;
}

static void add_property(struct property_list *l, const struct xml_element *e) {
  struct builder *b = &l->g->build;
  const char *id;
  const struct xml_element *formula = property_formula(e, b->arena, &id);
  if (!is_asked(l->g->questions, id) || !check_id(l, e, id))
    return;
  if (!formula) {
    BUILD_ERROR(b, e->at, NULL, "property '%.100s' has no formula", id);
    return;
  }
  if (formula->next) {
    BUILD_ERROR(b, formula->next->at, "write a property for each", "property '%.100s' has more than one formula", id);
    return;
  }
  if (l->count == MODEL_MAX_PROPERTIES) {
    if (!l->full)
      BUILD_ERROR(b, e->at, "divide the file", "the file has more than %d properties", MODEL_MAX_PROPERTIES);
    l->full = true;
    return;
  }
  add_formula(l, (struct property){.id = id, .description = text_of(e, "description", b->arena), .at = e->at}, formula);
}

/* ---- measures of a net without properties --------------------------------------------------------- */

static void add_measure(struct property_list *l, const char *id, const char *text, uint32_t first, size_t count) {
  uint32_t *places = arena_array(l->g->build.arena, count, sizeof *places);
  for (uint32_t i = 0; i < count; i++)
    places[i] = first + i;
  *ARENA_PUSH(l->g->build.arena, l->measures, l->measure_count, l->measure_cap) =
      (struct measure){.id = id, .text = text, .elements = places, .count = count};
}

/* The tokens of all places; then those of each place, and if several were unfolded from one, of these together after
   them. The groups of references are left out. */
static void add_default_measures(struct property_list *l) {
  const struct net *net = l->g->net;
  uint32_t next = 0;
  add_measure(l, "tokens", "all places", 0, net->place_count);
  for (size_t i = 0; i < net->group_count; i++) {
    const struct net_group *group = &net->groups[i];
    if (!group->is_place || group->first != next)
      continue;
    for (; next < group->first + group->count; next++)
      add_measure(l, net->places[next].name, "", next, 1);
    if (group->count > 1)
      add_measure(l, group->id, "", group->first, group->count);
  }
}

void ground_properties(struct net_grounding *g, const struct xml_element *set) {
  struct builder *b = &g->build;
  struct property_list *l = arena_alloc(b->arena, sizeof *l);
  l->g = g;
  if (set && !is(set, "property-set"))
    BUILD_ERROR(b, set->at, NULL, "the root element is '%.60s', not 'property-set'", set->name);
  for (const struct xml_element *e = set ? set->children : NULL; e; e = e->next)
    if (is(e, "property"))
      add_property(l, e);
  if (!l->measure_count && !g->written)
    add_default_measures(l);
  if (is_asked(g->questions, "deadlock"))
    add(l, (struct property){"deadlock", "", FLOE_DEADLOCK, NULL, "", NOWHERE, NULL});
  add(l, (struct property){"errors", "", FLOE_ERRORS, NULL, "", NOWHERE, NULL});
  b->model->properties = l->properties;
  b->model->property_count = l->count;
  b->model->measures = l->measures;
  b->model->measure_count = l->measure_count;
}
