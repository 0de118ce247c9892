/* A walk at random through the state space, by the interpreter: samples of reachable states. */
#ifndef FLOE_FACTS_WALK_H
#define FLOE_FACTS_WALK_H

#include "core/arena.h"
#include "core/stop.h"
#include "model/model.h"

/* Calls `visit` for the initial state (before == after) and for steps, the same ones each time; some thousand, fewer in
   models of very many transitions, or where `stop` says so. Ends when `visit` returns false, and returns that.
   `arena`'s guard is active. */
bool walk_steps(const struct model *model, const struct stop *stop, struct arena *arena,
                bool (*visit)(void *user, const int64_t *before, const int64_t *after), void *user);

#endif
