/* Re-execution of a trace from a file. */
#ifndef FLOE_CMD_SIMULATE_TRACE_REPLAY_H
#define FLOE_CMD_SIMULATE_TRACE_REPLAY_H

#include "cmd/simulate/trace_file.h"

enum trace_replay_result {
  REPLAY_CONFIRMED, /* every step and the claim at the end agree */
  REPLAY_DIFFERS,   /* the problem describes the difference; the simulator is at the last state that agrees */
  REPLAY_NO_MEMORY
};

/* True if the trace is of a temporal property: it has a loop. */
bool is_temporal_trace(const json_t *trace);
/* True if the trace is for this model and its present constants. The model's text may have changed. */
bool trace_replay_fits(const floe_model *model, const json_t *trace, struct problem *problem);

/* `printed`: what the step prints. */
typedef void trace_replay_callback(void *user, const floe_step *step, const char *printed, size_t number);

/* Executes a trace that fits. `simulator` must be at the initial state. Compares the first state and every member of
   every step (lines only if the model's text is unchanged), and checks the trace's claim at the end. Calls `on_step`
   (NULL: none) for each step that agrees, including a failing one. */
enum trace_replay_result trace_replay_run(const floe_model *model, floe_simulator *simulator, const json_t *trace,
                                          trace_replay_callback *on_step, void *user, struct problem *problem);

#endif
