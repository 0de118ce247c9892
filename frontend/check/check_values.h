/* Variables of sparse sets of values: a state holds the position of the value in the ascending set. A read is one of a
   constant table of the values; an assignment looks the position up. */
#ifndef FLOE_CHECK_VALUES_H
#define FLOE_CHECK_VALUES_H

#include "frontend/check/check.h"

/* Tables of one variable, at most. */
#define VALUES_TABLES 2
#define VALUES_MAX 65536

/* Could positions be looked up? Values that lie too far apart, too many of them, take too much room. */
bool values_fit(const struct value_set *set);
/* The tables of all variables that have a set, or ranges of their elements: the last variables of the model. */
void values_tables(struct check *c);
/* Position of a value, or -1. */
int64_t values_find(const struct value_set *set, int64_t value);
/* An element of any variable. */
const struct expr *values_read(struct check *c, source_at at, uint32_t variable, const struct expr *index);
/* The position of what is assigned to a variable that has a set; -1 where the set does not hold it. */
const struct expr *values_position(struct check *c, source_at at, uint32_t variable, const struct expr *value);

/* What an element may have: where the index is not constant, what any may have. */
struct value_range values_range(const struct variable *v, const struct expr *index);
/* A value for an element of a variable whose elements have ranges of their own: the same, but one that no element may
   have where it is outside the element's range. */
const struct expr *values_in_range(struct check *c, source_at at, const struct variable *v, const struct expr *index,
                                   const struct expr *value);

#endif
