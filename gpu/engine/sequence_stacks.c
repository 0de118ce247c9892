#include "gpu/engine/sequence_stacks.h"

#include "base/numbers.h"
#include "core/diag.h"
#include "gpu/engine/gpu_search.h"
#include "model/transitions/successor_bound.h"

/* Sequences of a state. With the most, the buffers of a full grid take a few GB. */
#define MOST_SEQUENCES 1024
#define LEAST_SEQUENCES 64
/* Entries of a stack. */
#define MOST_DEPTH 256
#define LEAST_DEPTH 32
/* Warps that may share a state. */
#define SHARERS GPU_WARPS
/* Firings within the sequences of a state, and so in one sequence. */
#define MOST_FIRINGS SEQUENCE_FIRINGS

/* No state that a GPU accepts exceeds a limit of the CPU. */
_Static_assert((MOST_SEQUENCES + MOST_DEPTH) * SHARERS < SEQUENCE_SUCCESSORS,
               "a GPU follows more sequences than a CPU");
_Static_assert((MOST_FIRINGS + MOST_SEQUENCES) * SHARERS < SEQUENCE_WORK, "a GPU follows more firings than a CPU");

static bool has_sequences(const struct gpu_search *self) { return self->search.task->model->transient != NULL; }

void sequence_stacks_plan(struct gpu_search *self, uint64_t most_words) {
  if (!has_sequences(self))
    return;
  const uint64_t warps = (uint64_t)self->grid.blocks * GPU_WARPS, setting = self->test_settings.sequences;
  const uint32_t others = self->grid.max_successors - SEQUENCE_SUCCESSORS;
  uint32_t most = setting ? (uint32_t)least(setting, MOST_SEQUENCES) : MOST_SEQUENCES;
  while (!setting && most > LEAST_SEQUENCES && gpu_slack(warps, others + most) > most_words)
    most /= 2;
  self->grid.max_successors = others + most;
  self->sequences.view.most_ended = most;
  self->sequences.view.most_firings = MOST_FIRINGS;
}

floe_status sequence_stacks_open(struct gpu_search *self) {
  if (!has_sequences(self))
    return FLOE_OK;
  const uint64_t entry = (self->search.task->layout->words + UINT64_C(1)) * sizeof(uint64_t);
  const uint64_t entries = (uint64_t)self->grid.blocks * GPU_BLOCK * entry; /* one of each lane */
  const uint64_t setting = self->test_settings.stack;
  const uint64_t depth = setting ? setting : greatest(LEAST_DEPTH, self->budget.limit / 32 / entries);
  self->sequences.view.depth = (uint32_t)least(depth, MOST_DEPTH);
  FLOE_TRY(gpu_search_take(self, self->sequences.view.depth * entries, &self->sequences.memory));
  self->sequences.view.stacks = ON_DEVICE(uint64_t, self->sequences.memory);
  return FLOE_OK;
}

floe_status sequence_stacks_exceeded(const struct gpu_search *self) {
  diag_error(self->search.log, NULL, NOWHERE, "--engine=cpu explores on all cores",
             "some state has more or longer atomic sequences than a GPU can follow");
  return FLOE_ERROR_UNSUPPORTED;
}
