/* The reference semantics, on values: expressions, firings, and parts of a firing for callers that try many transitions
   in one state. */
#ifndef FLOE_INTERPRETER_H
#define FLOE_INTERPRETER_H

#include "model/model.h"

/* What made an error: rounds of a loop and uses of a define share a site. */
struct interpreter_failure {
  const struct statement *statement; /* NULL: in a guard, or no firing */
  const struct expr *expr;           /* the index, the division or the shift; NULL: the check of the statement itself */
  int64_t value;                     /* the index, the distance of the shift, what was to be stored */
};

/* Reference evaluation of one expression over unpacked values (selects, temps may be NULL when the
   expression has none). Returns the first error's site, or NO_SITE and *value. */
uint32_t interpreter_eval(const struct model *model, const struct expr *expr, const int64_t *values,
                          const int64_t *selects, const int64_t *temps, int64_t *value);
/* Re-executes one firing: false when it is not enabled in `values`; else *site tells an error or
   NO_SITE, and `values` holds the successor; temps (may be NULL) receives the temporaries (who took
   part in a broadcast). After an error both are as the failing guard or statement saw them. */
bool interpreter_fire(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values, int64_t *temps,
                      uint32_t *site);

/* The same of an expression without selects, and of a firing; *failure is set where there is an error. */
uint32_t interpreter_explain(const struct model *model, const struct expr *expr, const int64_t *values,
                             struct interpreter_failure *failure);
bool interpreter_explain_firing(const struct model *model, uint32_t transition, uint32_t choice, int64_t *values,
                                int64_t *temps, uint32_t *site, struct interpreter_failure *failure);

/* Is every instance where the transition wants it? */
bool interpreter_tests_hold(const struct model *model, const struct transition *transition, const int64_t *values);

/* One choice of a transition whose tests hold. As interpreter_fire, but the successor goes to
   `after`, which may be `before` itself; after a failure it is undefined. */
bool interpreter_try(const struct model *model, const struct transition *transition, uint32_t choice,
                     const int64_t *before, int64_t *after, int64_t *temps, uint32_t *site);

#endif
