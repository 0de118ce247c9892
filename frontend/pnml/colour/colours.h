/* Colours of symmetric nets (ISO 15909-2): finite sorts, and terms over variables. A colour is its number in its sort.
 */
#ifndef FLOE_FRONTEND_PNML_COLOURS_H
#define FLOE_FRONTEND_PNML_COLOURS_H

#include "frontend/pnml/read_net.h"

struct colour_sort {
  uint32_t size;
  const char *const *names;               /* [size] of an enumeration; NULL: a product, or dots */
  const struct colour_sort *const *parts; /* [part_count] of a product; the last varies fastest */
  size_t part_count;
  bool is_range; /* of numbers: equal ranges are one sort, equal enumerations are not */
};

enum colour_op {
  COLOUR_CONSTANT, /* value */
  COLOUR_VARIABLE, /* value: its number */
  COLOUR_ALL,      /* every colour of the sort */
  COLOUR_NEXT,     /* parts[0], `value` further in a cycle */
  COLOUR_TUPLE
};
/* One or several colours of a sort. */
struct colour_term {
  enum colour_op op;
  int64_t value;
  const struct colour_sort *sort;
  const struct colour_term *const *parts;
  size_t part_count;
};

/* A multiset: the sum of `count` times each colour of `term`. */
struct colour_summand {
  int64_t count;
  const struct colour_term *term;
};
struct colour_sum {
  struct colour_summand *items;
  size_t count, cap;
};

enum condition_op { CONDITION_AND, CONDITION_OR, CONDITION_NOT, CONDITION_LESS, CONDITION_AT_MOST, CONDITION_EQUAL };
struct colour_condition {
  enum condition_op op;
  const struct colour_condition *const *parts; /* AND, OR, NOT */
  size_t part_count;
  const struct colour_term *left, *right; /* comparisons, of two single colours of one sort */
};

struct colour_variable {
  const char *name;
  const struct colour_sort *sort;
};

struct named_sort {
  const struct colour_sort *sort; /* NULL: not yet read */
  const struct xml_element *element;
  bool open; /* being read */
};

struct named_constant {
  const struct colour_sort *sort;
  uint32_t value;
};

/* Declarations of a net. */
struct colours {
  struct net_reader *r;
  struct id_table sort_ids, constant_ids, variable_ids;
  struct named_sort *sorts;
  size_t sort_count, sort_cap;
  struct named_constant *constants;
  size_t constant_count, constant_cap;
  struct colour_variable *variables;
  size_t variable_count, variable_cap;
};

/* colour_sorts.c */
void colours_declare(struct colours *c, struct net_reader *r, const struct xml_element *net);
/* The sort of an element like `usersort`; NULL: an error is logged. */
const struct colour_sort *colour_sort_of(struct colours *c, const struct xml_element *e);
bool same_sort(const struct colour_sort *a, const struct colour_sort *b);
/* "(1,red)", "red"; "" for dots. */
const char *colour_name(const struct colour_sort *sort, uint32_t colour, struct arena *arena);

/* colour_terms.c: NULL, or false, if an error is logged. */
bool colour_sum_of(struct colours *c, const struct xml_element *e, struct colour_sum *out);
const struct colour_condition *colour_condition_of(struct colours *c, const struct xml_element *e);
/* Appends the colours of the term for these values of the variables. */
struct colour_list {
  uint32_t *items;
  size_t count, cap;
};
void colours_of_term(struct arena *arena, const struct colour_term *term, const uint32_t *values,
                     struct colour_list *out);
bool colour_condition_holds(const struct colour_condition *condition, const uint32_t *values);
/* Sets the variables that are used. */
void term_variables(const struct colour_term *term, bool *used);
void condition_variables(const struct colour_condition *condition, bool *used);

#endif
