/* doc/semantics.md run straight from the syntax tree, without lowering: the checker's independent
   judge. Slow, and without static checks: for models that the checker has accepted. */
#ifndef TESTS_NAIVE_H
#define TESTS_NAIVE_H

#include "frontend/check/checker.h"
#include "model/model.h"

/* Successors of a state, each `width` values as in the ground model, and how many firings fail. */
struct naive_step {
  int64_t *successors; /* realloc'd as needed, free() by the caller */
  size_t count, cap, width;
  size_t failures;
};

void naive_expand(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                  struct naive_step *out);
/* An expression outside of processes; false when its evaluation fails. */
bool naive_eval(const struct syntax_model *syntax, const struct model *model, const int64_t *values,
                const struct syntax_expr *e, int64_t *value);

#endif
