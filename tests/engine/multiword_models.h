/* Models of multiword states, and their expected results, computed by a plain search that shares no code with the
   engine and keeps all states in full. */
#ifndef FLOE_TESTS_ENGINE_MULTIWORD_MODELS_H
#define FLOE_TESTS_ENGINE_MULTIWORD_MODELS_H

#include "tests/step/loaded.h"

#include "engine/engine.h"

enum wide_kind {
  WIDE_CHAINS,  /* `count` arrays of `length` elements 0..top; each is set to top once the one before it is, until the
                   last */
  WIDE_COUNTERS /* `count` variables; each cycles through `length` multiples of `top` */
};

struct wide_model {
  enum wide_kind kind;
  unsigned count, length;
  uint64_t top;
  uint32_t least_words;
};

/* (length + 1)^count states, or length^count; the test fails if the layout has fewer words than stated. */
void wide_model_load(const struct wide_model *of, struct loaded *loaded);

struct truth {
  uint32_t words, levels, max_out_degree;
  uint64_t states, transitions, deadlocks, checksum;
  uint64_t *level_states;              /* [levels] */
  uint64_t *level_checksums;           /* [levels] */
  uint64_t *found;                     /* [states * words] in breadth-first order */
  uint64_t *looked_up;                 /* [(1 + transitions) * words] in the order of look-ups */
  uint64_t *fired;                     /* [transition_count] */
  struct engine_violation *violations; /* [property_count], the smallest state of each */
  size_t properties;
};

void truth_find(const struct loaded *loaded, struct truth *out);
void truth_free(struct truth *truth);

#endif
