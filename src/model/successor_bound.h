/* Upper bounds of the number of successors of a state. */
#ifndef FLOE_BOUND_H
#define FLOE_BOUND_H

#include "core/arena.h"
#include "model/model.h"

/* Models with more firings of one state are refused, because every expansion reserves room for all of them. */
#define MAX_SUCCESSORS ((uint64_t)1 << 22)

/* Limits of one transition; a broadcast to many receivers has many selects and temporaries. */
#define MAX_SELECTS 256
#define MAX_TEMPS 4096

/* Number of choices of select values of a ground transition; at most UINT64_MAX. */
uint64_t transition_choices(const struct transition *transition);

/* The test of the initiator's location, or NULL. Transitions with different locations here exclude each other. */
const struct location_test *initiator_test(const struct model *model, const struct transition *transition);

/* Upper bound of the firings of one state, failing ones included: choices of all transitions, but
   of each initiator only the location with the most. FLOE_ERROR_MODEL, with a message in `log`
   (NULL: none), where it exceeds MAX_SUCCESSORS or a transition the other limits. */
floe_status successor_bound(const struct model *model, floe_log *log, uint32_t *out);

/* The same bound, but transitions that exclude each other (model/exclusive_guards.h) count once, with the most choices:
   no state has more firings whose guards can all be evaluated. At most the bound above. Scratch memory from `arena`. */
uint64_t successors_expected(const struct model *model, struct arena *arena);

#endif
