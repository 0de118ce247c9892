/* What values a variable may have: by a range or by a type. */
#ifndef FLOE_CHECK_TYPES_H
#define FLOE_CHECK_TYPES_H

#include "frontend/check.h"

/* Of a variable. */
struct value_type {
  struct interval range;
  const struct enumeration *names; /* NULL: its values have none */
  bool is_bool, wraps;
};

/* A range with at least one value, all of 32 bits; `what` and `name` tell the errors whose it is. */
bool types_range(const struct scope *s, const struct syntax_range *range, const char *what, const char *name,
                 struct interval *out);
bool types_variable(const struct scope *s, const struct syntax_variable *syntax, struct value_type *out);

#endif
