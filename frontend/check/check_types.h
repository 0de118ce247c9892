/* Value types of variables: by a range, a type or a set. */
#ifndef FLOE_FRONTEND_CHECK_CHECK_TYPES_H
#define FLOE_FRONTEND_CHECK_CHECK_TYPES_H

#include "frontend/expr/check.h"

/* Value type of a variable. */
struct value_type {
  struct interval range;
  const struct enumeration *names;  /* NULL: its values have no names */
  const struct value_range *ranges; /* [range_count] for each element; NULL: `range` for all */
  size_t range_count;
  const struct value_set *values; /* value set; `range` then bounds positions. NULL: the values are the range */
  uint32_t instances_of;          /* as in struct variable */
  bool is_bool, wraps;
};

/* A range with at least one value, all of 32 bits; `what` and `name` identify it in errors. */
bool types_range(const struct scope *s, const struct syntax_range *range, const char *what, const char *name,
                 struct interval *out);
/* True if both have the same values; names are ignored. */
bool types_same(const struct value_type *a, const struct value_type *b);
bool types_variable(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out);

#endif
