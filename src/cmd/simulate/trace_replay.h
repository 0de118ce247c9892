/* Re-execution of a trace that was read from a file. */
#ifndef FLOE_CMD_FOLLOW_H
#define FLOE_CMD_FOLLOW_H

#include "cmd/simulate/trace_file.h"

enum trace_replay_result {
  REPLAY_AS_CLAIMED,
  REPLAY_DIFFERS, /* the problem says where and how; the walk is at the last state that agrees */
  REPLAY_NO_MEMORY
};

/* Is the trace one of this model, for its present constants? (Whether its text is still the same is
 * no matter.) */
bool trace_replay_fits(const floe_model *model, const json_t *trace, struct problem *problem);

typedef void trace_replay_step(void *user, const floe_step *step, size_t number);

/* Walks from the initial state, where `walk` must be, along a trace that fits. Compares the first
   state, every member of every step (places in the model only while its text is the same), and in
   the end looks for what the trace claims. `each` (may be NULL) is called for every step that
   agrees, a failing one included. */
enum trace_replay_result follow(const floe_model *model, floe_simulator *simulator, const json_t *trace, trace_replay_step *each, void *user,
                       struct problem *problem);

#endif
