/* Memory in which the lanes of a kernel follow sequences of firings through transient states
   (gpu/kernel/explore/sequences.h). Text shared by host C and CUDA C. For models that have transient states
   (FLOE_TRANSIENT): the last parameter of floe_predecessors and floe_explore. */
#ifndef FLOE_GPU_SEQUENCE_STACKS_H
#define FLOE_GPU_SEQUENCE_STACKS_H

struct gpu_sequences {
  /* A stack for each lane of the grid. Word w of entry e is at
     [((warp * depth + e) * (FLOE_WORDS + 1) + w) * GPU_WARP + lane], where `warp` is its number in the grid: first the
     transition, then the state that its firing led to */
  uint64_t *stacks;
  uint32_t depth; /* entries of a stack */
  /* Limits for the sequences of one state, lower than those of model/transitions/successor_bound.h also if the warps of
     a block share the state. If a state exceeds one of them, or a stack is full, the kernel sets results.broken to
     GPU_BROKEN_SEQUENCES, and the host ends the search. */
  uint32_t most_ended, most_firings;
};

enum { GPU_BROKEN_SEQUENCES = 2 };

#endif
