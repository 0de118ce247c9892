/* What values a variable may have: by a range or by a type. */
#ifndef FLOE_CHECK_TYPES_H
#define FLOE_CHECK_TYPES_H

#include "frontend/check/check.h"

/* Of a variable. */
struct value_type {
  struct interval range;
  const struct enumeration *names;  /* NULL: its values have none */
  const struct value_range *ranges; /* of `range_count` elements; NULL: the same for all, `range` */
  size_t range_count;
  const struct value_set *values; /* then range is that of positions; NULL: the values are the range */
  bool is_bool, wraps;
};

/* A range with at least one value, all of 32 bits; `what` and `name` tell the errors whose it is. */
bool types_range(const struct scope *s, const struct syntax_range *range, const char *what, const char *name,
                 struct interval *out);
/* The same values, whatever their names. */
bool types_same(const struct value_type *a, const struct value_type *b);
bool types_variable(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out);

#endif
