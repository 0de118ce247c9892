/* doc/semantics.md executed directly on the syntax tree, without lowering: an independent implementation to compare the
   checker with. Slow, and without static checks: for models that the checker has accepted. */
#ifndef FLOE_TESTS_FRONTEND_REFERENCE_SEMANTICS_H
#define FLOE_TESTS_FRONTEND_REFERENCE_SEMANTICS_H

#include "frontend/check/checker.h"
#include "model/model.h"

/* Successors of a state, each `width` values as in the ground model, and how many firings fail. */
struct reference_step {
  int64_t *successors; /* grown by realloc, freed by the caller */
  size_t count, cap, width;
  size_t failures;
};

void reference_expand(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                      struct reference_step *out);
/* Evaluates an expression outside processes; false: the evaluation fails. */
bool reference_eval(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                    const struct syntax_expr *e, int64_t *value);

#endif
