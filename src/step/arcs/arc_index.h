/* Index of a table of arcs: the transitions that may be enabled in a state. Each transition is listed at bits of the
   state of which one must be set for it to be enabled, preferably one that is not set initially and that the fewest
   transitions need. A transition without such bits is always a candidate; one with a guard that no state satisfies
   never is. So a state of a net costs as much as its marked places, not as all transitions.

   A field that several variables share (step/layout/field.h) counts as a bit for each of its values, of which one is
   set. These bits follow those of the words. */
#ifndef FLOE_STEP_ARCS_ARC_INDEX_H
#define FLOE_STEP_ARCS_ARC_INDEX_H

#include "step/arcs/arc_table.h"

/* Transitions of one word of a set of transitions: bit i of word w is transition 64 w + i. */
struct arc_candidates {
  uint64_t mask;
  uint32_t word;
};

struct arc_shared_field {
  uint32_t word, shift;
  uint64_t mask;
  uint32_t first; /* number of the bit of value 0 */
};

struct arc_index {
  uint32_t words, set_words;             /* of a state, of a set of transitions */
  uint32_t bit_words;                    /* words of all bits, with those of shared fields */
  const struct arc_shared_field *shared; /* ascending by word */
  uint32_t shared_count;
  const uint64_t *always;            /* [set_words] transitions without bits */
  const uint64_t *bits;              /* [words] bits at which transitions are listed */
  const uint32_t *first;             /* [64 * bit_words + 1] lists of the bits: first[b]..first[b + 1] - 1 */
  const struct arc_candidates *list; /* a list has each word of the set once */
};

/* Memory from `arena`, whose guard is active. */
void arc_index_make(const struct arcs *arcs, const struct model *model, const struct layout *layout,
                    struct arena *arena, struct arc_index *out);

static inline void arc_index_add_list(const struct arc_index *index, uint32_t bit, uint64_t *set) {
  for (uint32_t i = index->first[bit]; i < index->first[bit + 1]; i++)
    set[index->list[i].word] |= index->list[i].mask;
}

/* Adds the candidates of the state to the set. */
static inline void arc_index_add(const struct arc_index *index, const uint64_t *state, uint64_t *set) {
  for (uint32_t w = 0; w < index->words; w++)
    for (uint64_t bits = state[w] & index->bits[w]; bits; bits &= bits - 1)
      arc_index_add_list(index, 64 * w + (uint32_t)__builtin_ctzll(bits), set);
  for (uint32_t i = 0; i < index->shared_count; i++) {
    const struct arc_shared_field *field = &index->shared[i];
    arc_index_add_list(index, field->first + (uint32_t)(state[field->word] >> field->shift & field->mask), set);
  }
}

#endif
