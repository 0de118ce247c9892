/* Models whose states take several words, and what there is in them: found by a search that has nothing of the
   engine's, which keeps all states in full. */
#ifndef FLOE_TEST_WIDE_MODELS_H
#define FLOE_TEST_WIDE_MODELS_H

#include "tests/step/loaded.h"

#include "engine/engine.h"

enum wide_kind {
  WIDE_CHAINS, /* `count` arrays of `length` elements 0..top; each is set to top once the one before it is: then the end
                */
  WIDE_COUNTERS /* `count` variables, each goes round through `length` multiples of `top` */
};

struct wide_model {
  enum wide_kind kind;
  unsigned count, length;
  uint64_t top;
  uint32_t least_words;
};

/* (length + 1)^count states, or length^count; the test fails where the layout has fewer words than stated. */
void wide_model_load(const struct wide_model *of, struct loaded *loaded);

struct truth {
  uint32_t words, levels, max_out_degree;
  uint64_t states, transitions, deadlocks, checksum;
  uint64_t *level_states;    /* [levels] */
  uint64_t *level_checksums; /* [levels] */
  uint64_t *found;           /* [states * words] as breadth-first search finds them */
  uint64_t *looked_up;       /* [(1 + transitions) * words] as it looks them up */
  uint64_t *fired;           /* [transition_count] */
  struct engine_violation *violations;   /* [property_count], states of the least words */
  size_t properties;
};

void truth_find(const struct loaded *loaded, struct truth *out);
void truth_free(struct truth *truth);

#endif
