/* The automaton of a product (model/temporal/product.h), for the stepper on the table of arcs: each firing of the table
   is one of the product for each edge that the state permits. */
#ifndef FLOE_STEP_ARCS_ARC_AUTOMATON_H
#define FLOE_STEP_ARCS_ARC_AUTOMATON_H

#include "step/arcs/element_reads.h"

#define ARC_AUTOMATON_WORDS 5 /* of a set of edges */

/* What the automaton's state permits: masks of PERMITTED_BITS edges each. */
struct arc_automaton_state {
  const struct expr *permitted[ARC_AUTOMATON_WORDS];
  struct element_reads reads;
};

struct arc_automaton {
  uint32_t word, shift; /* of its state in a state of the product */
  uint64_t mask;
  uint32_t degree, words;
  uint32_t stutter; /* number of the transition that fires only if no other does */
  const struct arc_automaton_state *states;
  const int64_t *targets; /* [states * degree] of their edges */
};

/* Memory from `arena`, whose guard is active. False: another form, because edges are about steps. */
bool arc_automaton_make(const struct model *model, const struct layout *layout, struct arena *arena,
                        struct arc_automaton *out);

static inline uint64_t arc_automaton_state(const struct arc_automaton *self, const uint64_t *state) {
  return state[self->word] >> self->shift & self->mask;
}

/* The edges that the state permits; false: none. `values` [model->value_count] is scratch space. */
bool arc_automaton_permitted(const struct arc_automaton *self, const struct model *model, const uint64_t *state,
                             int64_t *values, uint64_t *edges);

/* Word self->word of a state after edge `number`, if the model's part stays. */
static inline uint64_t arc_automaton_take(const struct arc_automaton *self, const uint64_t *state, uint32_t number) {
  const int64_t target = self->targets[arc_automaton_state(self, state) * self->degree + number];
  return (state[self->word] & ~(self->mask << self->shift)) | (uint64_t)target << self->shift;
}

#endif
