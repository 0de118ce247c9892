#include "frontend/pnml/colour/colours.h"

#include <stdlib.h>
#include <string.h>

/* Of the multisets of a marking or an arc. */
#define MOST_SUMMANDS 1000000

static bool is(const struct xml_element *e, const char *name) { return strcmp(e->name, name) == 0; }

/* The operand in <subterm>; NULL: there is none. */
static const struct xml_element *operand(const struct xml_element *subterm) {
  return subterm && is(subterm, "subterm") ? subterm->children : NULL;
}

static const struct colour_term *add(struct colours *c, struct colour_term term) {
  struct colour_term *copy = arena_alloc(c->r->arena, sizeof *copy);
  *copy = term;
  return copy;
}

static const struct colour_term *term_of(struct colours *c, const struct xml_element *e);

/* ---- colours ----------------------------------------------------------------------------------- */

static const struct colour_term *variable(struct colours *c, const struct xml_element *e) {
  const char *id = trimmed_attribute(c->r, e, "refvariable");
  uint32_t number;
  if (id_table_find(&c->variable_ids, id, &number))
    return add(c, (struct colour_term){.op = COLOUR_VARIABLE, .value = number, .sort = c->variables[number].sort});
  READ_ERROR(c->r, e->at, id_table_hint(&c->variable_ids, id, c->r->arena), "unknown variable '%.100s'", id);
  return NULL;
}

static const struct colour_term *constant(struct colours *c, const struct xml_element *e) {
  const char *id = trimmed_attribute(c->r, e, "declaration");
  uint32_t number;
  if (id_table_find(&c->constant_ids, id, &number))
    return add(c, (struct colour_term){
                      .op = COLOUR_CONSTANT, .value = c->constants[number].value, .sort = c->constants[number].sort});
  READ_ERROR(c->r, e->at, id_table_hint(&c->constant_ids, id, c->r->arena), "unknown colour '%.100s'", id);
  return NULL;
}

/* <finiteintrangeconstant value="3"><finiteintrange start="1" end="4"/></...> */
static const struct colour_term *integer(struct colours *c, const struct xml_element *e) {
  const char *value = trimmed_attribute(c->r, e, "value");
  const struct colour_sort *sort = e->children ? colour_sort_of(c, e->children) : NULL;
  for (uint32_t i = 0; sort && sort->names && i < sort->size; i++)
    if (strcmp(sort->names[i], value) == 0)
      return add(c, (struct colour_term){.op = COLOUR_CONSTANT, .value = i, .sort = sort});
  READ_ERROR(c->r, e->at, NULL, "'%.60s' is not a number of this range", value);
  return NULL;
}

static const struct colour_term *all(struct colours *c, const struct xml_element *e) {
  const struct colour_sort *sort = e->children ? colour_sort_of(c, e->children) : NULL;
  return sort ? add(c, (struct colour_term){.op = COLOUR_ALL, .sort = sort}) : NULL;
}

static const struct colour_term *next(struct colours *c, const struct xml_element *e, int64_t by) {
  const struct xml_element *inner = operand(e->children);
  const struct colour_term *term = inner ? term_of(c, inner) : NULL;
  if (!term)
    return NULL;
  const struct colour_term **parts = arena_alloc(c->r->arena, sizeof *parts);
  parts[0] = term;
  return add(c,
             (struct colour_term){.op = COLOUR_NEXT, .value = by, .sort = term->sort, .parts = parts, .part_count = 1});
}

/* A tuple of one part is this part: GreatSPN writes each colour as a tuple. */
static const struct colour_term *tuple(struct colours *c, const struct xml_element *e) {
  struct arena *arena = c->r->arena;
  const struct colour_term **parts = NULL;
  const struct colour_sort **sorts = NULL;
  size_t n = 0, cap = 0, m = 0, sort_cap = 0;
  uint64_t size = 1;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct colour_term *part = operand(child) ? term_of(c, operand(child)) : NULL;
    if (!part)
      return NULL;
    *ARENA_PUSH(arena, parts, n, cap) = part;
    *ARENA_PUSH(arena, sorts, m, sort_cap) = part->sort;
    size *= part->sort->size;
    if (size > UINT32_MAX)
      return NULL;
  }
  if (n < 2)
    return n ? parts[0] : NULL;
  struct colour_sort *sort = arena_alloc(arena, sizeof *sort);
  *sort = (struct colour_sort){.size = (uint32_t)size, .parts = sorts, .part_count = n};
  return add(c, (struct colour_term){.op = COLOUR_TUPLE, .sort = sort, .parts = parts, .part_count = n});
}

static const struct colour_term *term_of(struct colours *c, const struct xml_element *e) {
  static const struct xml_element dot = {.name = "dot"}, truth = {.name = "bool"};
  const size_t errors = c->r->errors;
  const struct colour_term *term = NULL;
  if (is(e, "variable"))
    term = variable(c, e);
  else if (is(e, "useroperator"))
    term = constant(c, e);
  else if (is(e, "dotconstant"))
    term = add(c, (struct colour_term){.op = COLOUR_CONSTANT, .sort = colour_sort_of(c, &dot)});
  else if (is(e, "booleanconstant"))
    term = add(c, (struct colour_term){.op = COLOUR_CONSTANT,
                                       .value = strcmp(trimmed_attribute(c->r, e, "value"), "true") == 0,
                                       .sort = colour_sort_of(c, &truth)});
  else if (is(e, "finiteintrangeconstant"))
    term = integer(c, e);
  else if (is(e, "all"))
    term = all(c, e);
  else if (is(e, "successor") || is(e, "predecessor"))
    term = next(c, e, is(e, "successor") ? 1 : -1);
  else if (is(e, "tuple"))
    term = tuple(c, e);
  if (!term && c->r->errors == errors)
    READ_ERROR(c->r, e->at, NULL, "'%.60s' is not a colour that floe can read", e->name);
  return term;
}

/* ---- multisets ---------------------------------------------------------------------------------- */

static bool add_sum(struct colours *c, const struct xml_element *e, int64_t times, struct colour_sum *out);

static bool add_parts(struct colours *c, const struct xml_element *e, int64_t times, struct colour_sum *out) {
  bool first = true;
  for (const struct xml_element *child = e->children; child; child = child->next, first = false)
    if (!operand(child) || !add_sum(c, operand(child), first || !is(e, "subtract") ? times : -times, out))
      return false;
  return true;
}

/* <numberof> of a number and a colour, or of a colour; <scalarproduct> of a number and a multiset. */
static bool add_number(struct colours *c, const struct xml_element *e, int64_t times, struct colour_sum *out) {
  const struct xml_element *first = operand(e->children), *second = first ? operand(e->children->next) : NULL;
  const char *text = first ? trimmed_attribute(c->r, first, "value") : "";
  char *end;
  if (first && !second)
    return add_sum(c, first, times, out);
  const long number = strtol(text, &end, 10);
  if (first && is(first, "numberconstant") && *text && !*end && number >= 0 && number <= NET_MOST_TOKENS)
    return add_sum(c, second, times * number, out);
  READ_ERROR(c->r, e->at, NULL, "the first part of '%s' is no number of tokens", e->name);
  return false;
}

static bool add_sum(struct colours *c, const struct xml_element *e, int64_t times, struct colour_sum *out) {
  if (is(e, "add") || is(e, "subtract"))
    return add_parts(c, e, times, out);
  if (is(e, "empty"))
    return true;
  if (times > NET_MOST_TOKENS || times < -(int64_t)NET_MOST_TOKENS || out->count >= MOST_SUMMANDS) {
    READ_ERROR(c->r, e->at, NULL, "this multiset is too large");
    return false;
  }
  if (is(e, "numberof") || is(e, "scalarproduct"))
    return add_number(c, e, times, out);
  const struct colour_term *term = term_of(c, e);
  if (term)
    *ARENA_PUSH(c->r->arena, out->items, out->count, out->cap) = (struct colour_summand){times, term};
  return term != NULL;
}

bool colour_sum_of(struct colours *c, const struct xml_element *e, struct colour_sum *out) {
  const size_t errors = c->r->errors;
  const bool done = add_sum(c, e, 1, out);
  if (!done && c->r->errors == errors)
    READ_ERROR(c->r, e->at, NULL, "'%.60s' has a part that is not in 'subterm'", e->name);
  return done;
}

/* ---- conditions --------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum condition_op op;
  bool negated, swapped;
} comparisons[] = {
    {"equality", CONDITION_EQUAL, false, false},  {"inequality", CONDITION_EQUAL, true, false},
    {"lessthan", CONDITION_LESS, false, false},   {"lessthanorequal", CONDITION_AT_MOST, false, false},
    {"greaterthan", CONDITION_LESS, false, true}, {"greaterthanorequal", CONDITION_AT_MOST, false, true},
};

static const struct colour_condition *condition(struct colours *c, struct colour_condition condition) {
  struct colour_condition *copy = arena_alloc(c->r->arena, sizeof *copy);
  *copy = condition;
  return copy;
}

static const struct colour_condition *negate(struct colours *c, const struct colour_condition *inner) {
  const struct colour_condition **parts = arena_alloc(c->r->arena, sizeof *parts);
  parts[0] = inner;
  return condition(c, (struct colour_condition){.op = CONDITION_NOT, .parts = parts, .part_count = 1});
}

static bool has_several(const struct colour_term *term) {
  for (size_t i = 0; i < term->part_count; i++)
    if (has_several(term->parts[i]))
      return true;
  return term->op == COLOUR_ALL;
}

static const struct colour_condition *compare(struct colours *c, const struct xml_element *e, size_t which) {
  const struct xml_element *left = operand(e->children), *right = left ? operand(e->children->next) : NULL;
  const struct colour_term *x = right ? term_of(c, left) : NULL, *y = x ? term_of(c, right) : NULL;
  if (!y)
    return NULL;
  if (!same_sort(x->sort, y->sort) || has_several(x) || has_several(y)) {
    READ_ERROR(c->r, e->at, NULL, "'%s' compares two colours of one sort", e->name);
    return NULL;
  }
  struct colour_condition result = {.op = comparisons[which].op, .left = x, .right = y};
  if (comparisons[which].swapped) {
    result.left = y;
    result.right = x;
  }
  return comparisons[which].negated ? negate(c, condition(c, result)) : condition(c, result);
}

static const struct colour_condition *join(struct colours *c, const struct xml_element *e, enum condition_op op) {
  const struct colour_condition **parts = NULL;
  size_t n = 0, cap = 0;
  for (const struct xml_element *child = e->children; child; child = child->next) {
    const struct colour_condition *part = operand(child) ? colour_condition_of(c, operand(child)) : NULL;
    if (!part)
      return NULL;
    *ARENA_PUSH(c->r->arena, parts, n, cap) = is(e, "imply") && child == e->children ? negate(c, part) : part;
  }
  return condition(c, (struct colour_condition){.op = op, .parts = parts, .part_count = n});
}

const struct colour_condition *colour_condition_of(struct colours *c, const struct xml_element *e) {
  const size_t errors = c->r->errors;
  const struct colour_condition *result = NULL;
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (is(e, comparisons[i].name))
      result = compare(c, e, i);
  if (is(e, "and") || is(e, "or") || is(e, "imply"))
    result = join(c, e, is(e, "and") ? CONDITION_AND : CONDITION_OR);
  else if (is(e, "not") && operand(e->children)) {
    const struct colour_condition *inner = colour_condition_of(c, operand(e->children));
    result = inner ? negate(c, inner) : NULL;
  } else if (is(e, "booleanconstant"))
    result = condition(c, (struct colour_condition){.op = strcmp(trimmed_attribute(c->r, e, "value"), "true") == 0
                                                              ? CONDITION_AND
                                                              : CONDITION_OR});
  if (!result && c->r->errors == errors)
    READ_ERROR(c->r, e->at, NULL, "'%.60s' is not a condition that floe can read", e->name);
  return result;
}

/* ---- evaluation --------------------------------------------------------------------------------- */

/* Of a term without `all`. */
static uint32_t colour_of(const struct colour_term *term, const uint32_t *values) {
  const int64_t size = term->sort->size;
  uint32_t colour = 0;
  switch (term->op) {
  case COLOUR_VARIABLE:
    return values[term->value];
  case COLOUR_NEXT:
    return (uint32_t)(((int64_t)colour_of(term->parts[0], values) + term->value + size) % size);
  case COLOUR_TUPLE:
    for (size_t i = 0; i < term->part_count; i++)
      colour = colour * term->parts[i]->sort->size + colour_of(term->parts[i], values);
    return colour;
  default:
    return (uint32_t)term->value;
  }
}

static void add_tuples(struct arena *arena, const struct colour_term *term, size_t part, uint32_t prefix,
                       const uint32_t *values, struct colour_list *out) {
  if (part == term->part_count) {
    *ARENA_PUSH(arena, out->items, out->count, out->cap) = prefix;
    return;
  }
  struct colour_list colours = {0};
  colours_of_term(arena, term->parts[part], values, &colours);
  for (size_t i = 0; i < colours.count; i++)
    add_tuples(arena, term, part + 1, prefix * term->parts[part]->sort->size + colours.items[i], values, out);
}

static void add_next(struct arena *arena, const struct colour_term *term, const uint32_t *values,
                     struct colour_list *out) {
  const int64_t size = term->sort->size;
  struct colour_list colours = {0};
  colours_of_term(arena, term->parts[0], values, &colours);
  for (size_t i = 0; i < colours.count; i++)
    *ARENA_PUSH(arena, out->items, out->count, out->cap) =
        (uint32_t)(((int64_t)colours.items[i] + term->value + size) % size);
}

void colours_of_term(struct arena *arena, const struct colour_term *term, const uint32_t *values,
                     struct colour_list *out) {
  switch (has_several(term) ? term->op : COLOUR_CONSTANT) {
  case COLOUR_ALL:
    for (uint32_t i = 0; i < term->sort->size; i++)
      *ARENA_PUSH(arena, out->items, out->count, out->cap) = i;
    break;
  case COLOUR_NEXT:
    add_next(arena, term, values, out);
    break;
  case COLOUR_TUPLE:
    add_tuples(arena, term, 0, 0, values, out);
    break;
  default:
    *ARENA_PUSH(arena, out->items, out->count, out->cap) = colour_of(term, values);
  }
}

bool colour_condition_holds(const struct colour_condition *condition, const uint32_t *values) {
  switch (condition->op) {
  case CONDITION_AND:
  case CONDITION_OR:
    for (size_t i = 0; i < condition->part_count; i++)
      if (colour_condition_holds(condition->parts[i], values) == (condition->op == CONDITION_OR))
        return condition->op == CONDITION_OR;
    return condition->op == CONDITION_AND;
  case CONDITION_NOT:
    return !colour_condition_holds(condition->parts[0], values);
  case CONDITION_LESS:
    return colour_of(condition->left, values) < colour_of(condition->right, values);
  case CONDITION_AT_MOST:
    return colour_of(condition->left, values) <= colour_of(condition->right, values);
  case CONDITION_EQUAL:
    break;
  }
  return colour_of(condition->left, values) == colour_of(condition->right, values);
}

void term_variables(const struct colour_term *term, bool *used) {
  if (term->op == COLOUR_VARIABLE)
    used[term->value] = true;
  for (size_t i = 0; i < term->part_count; i++)
    term_variables(term->parts[i], used);
}

void condition_variables(const struct colour_condition *condition, bool *used) {
  for (size_t i = 0; i < condition->part_count; i++)
    condition_variables(condition->parts[i], used);
  if (condition->left) {
    term_variables(condition->left, used);
    term_variables(condition->right, used);
  }
}
