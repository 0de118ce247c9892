/* Formulas and automata on ultimately periodic words. */
#ifndef FLOE_LOGIC_EVALUATE_H
#define FLOE_LOGIC_EVALUATE_H

#include "logic/formula.h"

/* The valuations 0..count - 1 (bit i: atom i holds), then again those from `loop` on, for ever. */
struct periodic_word {
  const uint64_t *valuations;
  size_t count, loop; /* loop < count */
};

/* Whether the word satisfies the formula, by fixpoints over its positions. Memory from `arena`, whose guard is active.
 */
bool formula_holds(const struct formula *formula, const struct periodic_word *word, struct arena *arena);

/* Whether the automaton accepts the word: its product with the word has an accepting component. */
bool word_is_accepted(const struct automaton *automaton, const struct periodic_word *word, struct arena *arena);

#endif
