#include "frontend/pnml/colour/colours.h"

#include <stdlib.h>
#include <string.h>

/* Colours of one sort. */
#define MOST_COLOURS (1u << 20)

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

/* ---- sorts ------------------------------------------------------------------------------------ */

static const struct colour_sort *named(struct colours *c, const struct xml_element *e, const char *id) {
  struct net_reader *r = c->r;
  uint32_t number;
  if (!id_table_find(&c->sort_ids, id, &number)) {
    READ_ERROR(r, e->at, id_table_hint(&c->sort_ids, id, r->arena), "unknown sort '%.100s'", id);
    return NULL;
  }
  struct named_sort *sort = &c->sorts[number];
  if (sort->open) {
    READ_ERROR(r, e->at, NULL, "sort '%.100s' is made of itself", id);
    return NULL;
  }
  if (!sort->sort && sort->element->children) {
    sort->open = true;
    const struct colour_sort *found = colour_sort_of(c, sort->element->children);
    c->sorts[number].sort = found;
    c->sorts[number].open = false;
  }
  return c->sorts[number].sort;
}

static const struct colour_sort *add_sort(struct colours *c, struct colour_sort sort) {
  struct colour_sort *copy = arena_alloc(c->r->arena, sizeof *copy);
  *copy = sort;
  return copy;
}

/* Each constant has an id of its own. */
static const struct colour_sort *enumeration(struct colours *c, const struct xml_element *e) {
  struct net_reader *r = c->r;
  const char **names = NULL;
  size_t n = 0, cap = 0, first = c->constant_count;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const char *id = trimmed_attribute(r, child, "id"), *name = trimmed_attribute(r, child, "name");
    if (!id_table_add(&c->constant_ids, id, (uint32_t)c->constant_count, NULL))
      READ_ERROR(r, child->at, NULL, "there is already a colour with the id '%.100s'", id);
    *ARENA_PUSH(r->arena, c->constants, c->constant_count, c->constant_cap) =
        (struct named_constant){NULL, (uint32_t)n};
    *ARENA_PUSH(r->arena, names, n, cap) = net_printable(r, *name ? name : id);
  }
  if (n == 0) {
    READ_ERROR(r, e->at, NULL, "this enumeration has no colours");
    return NULL;
  }
  const struct colour_sort *sort = add_sort(c, (struct colour_sort){.size = (uint32_t)n, .names = names});
  for (size_t i = first; i < c->constant_count; i++)
    c->constants[i].sort = sort;
  return sort;
}

static bool number_of_attribute(struct colours *c, const struct xml_element *e, const char *name, long *out) {
  const char *text = trimmed_attribute(c->r, e, name);
  char *end;
  *out = strtol(text, &end, 10);
  if (*text && !*end)
    return true;
  READ_ERROR(c->r, e->at, NULL, "the attribute '%s' of a range is a whole number, not '%.60s'", name, text);
  return false;
}

static const struct colour_sort *integers(struct colours *c, const struct xml_element *e) {
  struct net_reader *r = c->r;
  long start, end;
  if (!number_of_attribute(c, e, "start", &start) || !number_of_attribute(c, e, "end", &end))
    return NULL;
  if (start < -1000000000 || end > 1000000000 || start > end || end - start >= (long)MOST_COLOURS) {
    READ_ERROR(r, e->at, NULL, "a range has at most %u numbers", MOST_COLOURS);
    return NULL;
  }
  const char **names = arena_array(r->arena, (size_t)(end - start) + 1, sizeof *names);
  for (long i = start; i <= end; i++)
    names[i - start] = arena_printf(r->arena, "%ld", i);
  return add_sort(c, (struct colour_sort){.size = (uint32_t)(end - start + 1), .names = names, .is_range = true});
}

/* A product of one sort is this sort, as for tuples. */
static const struct colour_sort *product(struct colours *c, const struct xml_element *e) {
  struct net_reader *r = c->r;
  const struct colour_sort **parts = NULL;
  size_t n = 0, cap = 0;
  uint64_t size = 1;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct colour_sort *part = colour_sort_of(c, child);
    if (!part)
      return NULL;
    *ARENA_PUSH(r->arena, parts, n, cap) = part;
    size *= part->size;
    if (size > MOST_COLOURS) {
      READ_ERROR(r, e->at, NULL, "a product has at most %u colours", MOST_COLOURS);
      return NULL;
    }
  }
  if (n == 1)
    return parts[0];
  return add_sort(c, (struct colour_sort){.size = (uint32_t)size, .parts = parts, .part_count = n});
}

const struct colour_sort *colour_sort_of(struct colours *c, const struct xml_element *e) {
  static const char *const truths[] = {"false", "true"};
  static const struct colour_sort dots = {.size = 1}, truth = {.size = 2, .names = truths};
  if (is(e, "usersort"))
    return named(c, e, trimmed_attribute(c->r, e, "declaration"));
  if (is(e, "dot"))
    return &dots;
  if (is(e, "bool"))
    return &truth;
  if (is(e, "cyclicenumeration") || is(e, "finiteenumeration"))
    return enumeration(c, e);
  if (is(e, "finiteintrange"))
    return integers(c, e);
  if (is(e, "productsort"))
    return product(c, e);
  READ_ERROR(c->r, e->at, "sorts are dot, bool, usersort, productsort, finiteintrange and enumerations",
             "sorts like '%.60s' are not supported", e->name);
  return NULL;
}

static bool same_names(const struct colour_sort *a, const struct colour_sort *b) {
  for (uint32_t i = 0; a->is_range && b->is_range && i < a->size; i++)
    if (strcmp(a->names[i], b->names[i]) != 0)
      return false;
  return a->is_range && b->is_range;
}

bool same_sort(const struct colour_sort *a, const struct colour_sort *b) {
  if (a->size != b->size || a->part_count != b->part_count)
    return false;
  for (size_t i = 0; i < a->part_count; i++)
    if (!same_sort(a->parts[i], b->parts[i]))
      return false;
  return a->part_count > 0 || a->names == b->names || same_names(a, b);
}

const char *colour_name(const struct colour_sort *sort, uint32_t colour, struct arena *arena) {
  if (!sort->part_count)
    return sort->names ? sort->names[colour] : "";
  const char *text = "";
  for (size_t i = sort->part_count; i-- > 0;) {
    const struct colour_sort *part = sort->parts[i];
    text = arena_printf(arena, "%s%s%s", colour_name(part, colour % part->size, arena), *text ? "," : "", text);
    colour /= part->size;
  }
  return text;
}

/* ---- declarations ------------------------------------------------------------------------------ */

typedef void declare(struct colours *c, const struct xml_element *e);

/* All elements of this name in declarations of the net and its pages. */
static void each_declared(struct colours *c, const struct xml_element *e, const char *name, declare *visit) {
  for (const struct xml_element *child = e->children; child; child = child->next)
    if (is(child, name))
      visit(c, child);
    else if (is(child, "declaration") || is(child, "structure") || is(child, "declarations") || is(child, "page"))
      each_declared(c, child, name, visit);
}

static void declare_sort(struct colours *c, const struct xml_element *e) {
  const char *id = trimmed_attribute(c->r, e, "id");
  if (id_table_add(&c->sort_ids, id, (uint32_t)c->sort_count, NULL))
    *ARENA_PUSH(c->r->arena, c->sorts, c->sort_count, c->sort_cap) = (struct named_sort){.element = e};
  else
    READ_ERROR(c->r, e->at, NULL, "there is already a sort with the id '%.100s'", id);
}

static void read_sort(struct colours *c, const struct xml_element *e) {
  if (!e->children)
    READ_ERROR(c->r, e->at, NULL, "this sort is empty");
  else
    named(c, e, trimmed_attribute(c->r, e, "id"));
}

static void declare_variable(struct colours *c, const struct xml_element *e) {
  struct net_reader *r = c->r;
  const char *id = trimmed_attribute(r, e, "id"), *name = trimmed_attribute(r, e, "name");
  const struct colour_sort *sort = e->children ? colour_sort_of(c, e->children) : NULL;
  if (!sort)
    return;
  if (id_table_add(&c->variable_ids, id, (uint32_t)c->variable_count, NULL))
    *ARENA_PUSH(r->arena, c->variables, c->variable_count, c->variable_cap) =
        (struct colour_variable){net_printable(r, *name ? name : id), sort};
  else
    READ_ERROR(r, e->at, NULL, "there is already a variable with the id '%.100s'", id);
}

void colours_declare(struct colours *c, struct net_reader *r, const struct xml_element *net) {
  *c = (struct colours){.r = r};
  c->sort_ids.arena = c->constant_ids.arena = c->variable_ids.arena = r->arena;
  each_declared(c, net, "namedsort", declare_sort);
  each_declared(c, net, "namedsort", read_sort);
  each_declared(c, net, "variabledecl", declare_variable);
}
