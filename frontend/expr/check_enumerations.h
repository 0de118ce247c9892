/* Enumerations, constants and constant ranges. */
#ifndef FLOE_FRONTEND_EXPR_CHECK_ENUMERATIONS_H
#define FLOE_FRONTEND_EXPR_CHECK_ENUMERATIONS_H

#include "frontend/expr/check.h"

void enumerations_declare(struct check *c);
/* True if the range is the name of a process or an enumeration; sets its bounds. */
bool named_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi);
/* The enumeration that a range names, or NULL. */
const struct enumeration *range_names(const struct scope *s, const struct syntax_range *range);

bool constant_eval(const struct scope *s, const struct syntax_expr *e, int64_t *value);
/* Bounds of lo..hi, bool, or the name of a process or an enumeration. The range may be empty. */
bool constant_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi);

#endif
