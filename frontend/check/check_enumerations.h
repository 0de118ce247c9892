/* Enumerations, and the names that are ranges. */
#ifndef FLOE_CHECK_ENUMERATIONS_H
#define FLOE_CHECK_ENUMERATIONS_H

#include "frontend/check/check.h"

void enumerations_declare(struct check *c);
/* A range that is the name of a process or of an enumeration. */
bool named_range(const struct scope *s, const struct syntax_range *range, int64_t *lo, int64_t *hi);
/* The enumeration that a range names, or NULL. */
const struct enumeration *range_names(const struct scope *s, const struct syntax_range *range);
/* The error of a site (NO_SITE: none) tells the names. */
void names_tell(struct check *c, uint32_t site, const struct enumeration *type);

#endif
