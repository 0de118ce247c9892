/* Upper bounds of the number of successors of a state. */
#ifndef FLOE_MODEL_TRANSITIONS_SUCCESSOR_BOUND_H
#define FLOE_MODEL_TRANSITIONS_SUCCESSOR_BOUND_H

#include "core/arena.h"
#include "model/model.h"

/* Models with more firings in one state are rejected, because every expansion reserves memory for all of them. */
#define MAX_SUCCESSORS ((uint64_t)1 << 22)

/* Limits of one transition; a broadcast to many receivers has many selects and temporaries. */
#define MAX_SELECTS 256
#define MAX_TEMPS 32768

/* Limits of the sequences of firings through transient states that begin in one state. */
#define SEQUENCE_FIRINGS 10000            /* of one sequence */
#define SEQUENCE_SUCCESSORS 65536         /* sequences, those not yet followed to the end included */
#define SEQUENCE_WORK ((uint32_t)1 << 20) /* firings in all */

/* Number of choices of select values of a ground transition; at most UINT64_MAX. */
uint64_t transition_choices(const struct transition *transition);

/* The test of the initiator's location, or NULL. Transitions with different locations here are never enabled
   together. */
const struct location_test *initiator_test(const struct model *model, const struct transition *transition);

/* Upper bound of the firings in one state, failing ones included: choices of all transitions, counting for each
   initiator only the location with the most. FLOE_ERROR_MODEL, with a message in `log` (NULL: none), if the bound
   exceeds MAX_SUCCESSORS or a transition exceeds the other limits. With transient states also SEQUENCE_SUCCESSORS. */
floe_status successor_bound(const struct model *model, floe_log *log, uint32_t *out);

/* The same bound, but of transitions that exclude each other (model/transitions/exclusive_guards.h) only the one with
   the most choices counts: no state has more firings whose guards can all be evaluated. At most the bound above.
   Scratch memory from `arena`. */
uint64_t successors_expected(const struct model *model, struct arena *arena);

#endif
