/* Device memory of a model with transient states: a stack for each lane of floe_explore. A GPU follows fewer sequences
   of one state than a CPU, because buffers have room for the successors of all states that are being expanded. */
#ifndef FLOE_GPU_ENGINE_SEQUENCE_STACKS_H
#define FLOE_GPU_ENGINE_SEQUENCE_STACKS_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;

/* Chooses the most sequences of a state, so that the states beyond a limit (gpu_slack) are at most `most_words`, if
   possible, and changes grid.max_successors, which has the CPU's limit. Nothing without transient states. */
void sequence_stacks_plan(struct gpu_search *self, uint64_t most_words);
/* Takes the memory, for grid.blocks. */
floe_status sequence_stacks_open(struct gpu_search *self);
/* Logs that some state has more sequences, or longer ones, than a GPU follows; FLOE_ERROR_UNSUPPORTED. */
floe_status sequence_stacks_exceeded(const struct gpu_search *self);

#endif
