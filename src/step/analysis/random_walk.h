/* Random walk through the state space with the interpreter: samples of reachable states. */
#ifndef FLOE_STEP_ANALYSIS_RANDOM_WALK_H
#define FLOE_STEP_ANALYSIS_RANDOM_WALK_H

#include "core/arena.h"
#include "core/threads/stop.h"
#include "model/model.h"

/* Calls `visit` for the initial state (before == after) and for some thousand steps, the same ones in each call. Fewer
   steps for models with very many transitions or at a stop. Ends if `visit` returns false, and returns its last result.
   `arena`'s guard is active. */
bool random_walk_steps(const struct model *model, const struct stop *stop, struct arena *arena,
                       bool (*visit)(void *user, const int64_t *before, const int64_t *after), void *user);

#endif
