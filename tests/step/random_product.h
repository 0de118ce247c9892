/* Product of a model and the automaton of a random formula over random conditions and steps. */
#ifndef FLOE_TESTS_STEP_RANDOM_PRODUCT_H
#define FLOE_TESTS_STEP_RANDOM_PRODUCT_H

#include "logic/automaton.h"
#include "model/temporal/fairness.h"
#include "tests/step/loaded.h"

enum { RANDOM_PRODUCT_ATOMS = 3 };

struct random_product {
  struct loaded loaded;       /* arena, log, model and layout of the product */
  const struct model *factor; /* the given one, with the sets of `enabled` */
  const struct automaton *automaton;
  /* Of each atom: an expression, which can fail, or `enabled` of the set; or the set of steps. */
  const struct expr *atoms[RANDOM_PRODUCT_ATOMS];
  const struct transition_set *taken[RANDOM_PRODUCT_ATOMS];
  struct transition_set sets[RANDOM_PRODUCT_ATOMS];
  struct fairness fairness;
  bool stutters;
  uint64_t seed;
  bool made;
};

/* False: the automaton is too large, or the states have too many successors. Call random_product_free in both cases. */
bool random_product_make(struct random_product *product, const struct model *factor, uint64_t seed);
void random_product_free(struct random_product *product);

#endif
