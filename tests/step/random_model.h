/* Random models that use the whole language, made by tests/reference/random_models.py. */
#ifndef FLOE_TESTS_STEP_RANDOM_MODEL_H
#define FLOE_TESTS_STEP_RANDOM_MODEL_H

#include "tests/step/loaded.h"

struct random_model {
  char name[40];
  unsigned seed;
  char *text;
  size_t length;
  struct loaded loaded;
};

/* False: no Python 3.8 or newer, which makes the models. */
bool random_models_possible(void);

/* FLOE_TEST_SEEDS, for soaks; otherwise the given number. */
unsigned random_seeds(unsigned otherwise);

/* Calls `visit` with `count` models of the kind "plain", "wide" (states of several words) or "lively" (no errors, so
   more states), from seed FLOE_TEST_FIRST (0) on. Leaves out those that the checker rejects: about a tenth at most. */
void each_random_model(const char *kind, unsigned count, void (*visit)(struct random_model *model));

#endif
