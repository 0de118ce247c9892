/* How many successors a state can have, at most. */
#ifndef FLOE_BOUND_H
#define FLOE_BOUND_H

#include "core/arena.h"
#include "model/model.h"

/* More firings of one state are refused: every expansion reserves room for all of them. */
#define MAX_SUCCESSORS ((uint64_t)1 << 22)

/* More selects or temporaries of one transition (a broadcast to many has many) are refused. */
#define MAX_SELECTS 256
#define MAX_TEMPS 4096

/* Number of choices of select values of a ground transition; at most UINT64_MAX. */
uint64_t transition_choices(const struct transition *transition);

/* The test of the initiator's location, or NULL: of transitions with different locations here at
 * most one is enabled. */
const struct location_test *initiator_test(const struct model *model, const struct transition *transition);

/* Upper bound of the firings of one state, failing ones included: choices of all transitions, but
   of each initiator only the location with the most. FLOE_ERROR_MODEL, with a message in `log`
   (NULL: none), where it exceeds MAX_SUCCESSORS or a transition the other limits. */
floe_status successor_bound(const struct model *model, floe_log *log, uint32_t *out);

/* The same, but of transitions that exclude each other (model/exclusive_guards.h) only the one with the most choices: no state
   has more firings whose guards can all be evaluated. At most the bound above. Scratch memory from `arena`. */
uint64_t successors_expected(const struct model *model, struct arena *arena);

#endif
