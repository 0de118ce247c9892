/* Ground models built by hand, for exact cases. Everything lives in one arena. */
#ifndef FLOE_TESTS_STEP_HANDMADE_H
#define FLOE_TESTS_STEP_HANDMADE_H

#include "model/model.h"

/* Expressions; their intervals suffice for these small numbers. */
const struct expr *constant(struct arena *arena, int64_t value);
const struct expr *get(struct arena *arena, uint32_t variable, const struct expr *index);
const struct expr *chosen(struct arena *arena, uint32_t select);
const struct expr *temp(struct arena *arena, uint32_t id);
const struct expr *bounded(struct arena *arena, const struct expr *index, int64_t bound, uint32_t site);
const struct expr *unary(struct arena *arena, enum expr_op op, const struct expr *a);
const struct expr *binary(struct arena *arena, enum expr_op op, const struct expr *a, const struct expr *b);
const struct expr *divide(struct arena *arena, enum expr_op op, const struct expr *a, const struct expr *b,
                          uint32_t site);
const struct expr *choice(struct arena *arena, const struct expr *a, const struct expr *b, const struct expr *c);

struct statement let(uint32_t id, const struct expr *value, uint32_t site);
struct statement assign(uint32_t id, const struct expr *index, const struct expr *value, uint32_t site);
struct statement assertion(const struct expr *value, uint32_t site);

/* A variable of `count` elements. Initial values: all range.lo; of a constant lo, lo + 1, ... */
struct variable variable(struct arena *arena, const char *name, enum variable_kind kind, uint32_t count,
                         struct value_range range, bool assigned);
/* Numbers the elements: `first` of each variable and value_count. */
void number_elements(struct model *model);

#endif
