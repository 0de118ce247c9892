/* Variables with sparse value sets: a state stores the position of the value in the ascending set. A read looks the
   value up in a constant table; an assignment looks up the position. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_VALUES_H
#define FLOE_FRONTEND_EXPR_CHECK_VALUES_H

#include "frontend/expr/check.h"

/* Largest number of tables of one variable. */
#define VALUES_TABLES 2
#define VALUES_MAX 65536

/* True if positions can be looked up. False: the values are too far apart, or there are too many. */
bool values_fit(const struct value_set *set);
/* Adds the tables of all variables with value sets or ranges of their elements: the last variables of the model. */
void values_tables(struct check *c);
/* Position of a value, or -1. */
int64_t values_find(const struct value_set *set, int64_t value);
/* Reads an element of any variable. */
const struct expr *values_read(struct check *c, source_at at, uint32_t variable, const struct expr *index);
/* Position of an assigned value in the variable's set; -1: not in the set. */
const struct expr *values_position(struct check *c, source_at at, uint32_t variable, const struct expr *value);

/* Range of an element; if the index is not constant, the range over all elements. */
struct value_range values_range(const struct variable *v, const struct expr *index);
/* Value to assign to an element with a range of its own: the value itself, or outside the element's range a value that
   no element may have. */
const struct expr *values_in_range(struct check *c, source_at at, const struct variable *v, const struct expr *index,
                                   const struct expr *value);

#endif
