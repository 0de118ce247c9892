/* Emitter of successors on a GPU: defines the macros that the generated text leaves open. Each lane expands its own
   state and writes keys into its successor buffer in shared memory. There is no collective here, because the lanes of a
   warp take different paths through the generated code. */
#ifndef FLOE_GPU_SINK_H
#define FLOE_GPU_SINK_H

#include "step/kernel/shim.h"

#ifdef FLOE_TRANSIENT
#include "gpu/kernel/base/sequence_stacks.h"
#endif

struct arc_table;
struct block_space;

struct floe_emitter {
  uint64_t *buffer; /* of this lane: key i at buffer[32 i], in shared memory; with FLOE_MULTIWORD its words from
                       buffer[FLOE_MULTIWORD i] on, in the lane's local memory */
  uint32_t used;    /* 32 times the number of keys in it; beyond BUFFER_END: including those that had no room */
  uint32_t degree;  /* successors of the state that are no longer in the buffer */
  bool failed;      /* some firing failed */
  bool moves;       /* some successor differs from the state; noted if the model is one of stuttering */
  struct block_space *block;
  const struct arc_table *arcs; /* FLOE_ARCS: the transitions */
#ifdef FLOE_TRANSIENT
  const struct gpu_sequences *sequences;
  uint64_t *stack;       /* of this lane */
  uint32_t pending;      /* entries on the stack: firings that led to states which have not been expanded */
  uint32_t ended, work;  /* sequences of the state; firings within them */
  uint32_t continued_by; /* firings of the transient state that is being expanded */
  bool within;           /* a transient state is being expanded: its firings are pushed */
  bool first_only;       /* of its firings only the first one */
  bool repeats;          /* a group fires again, and has pushed its firings */
#endif
};

#define FLOE_EMITTER struct floe_emitter *emitter
#define FLOE_EMITTER_ARGUMENT emitter
#define FLOE_CHANGED(word)
#define FLOE_MOVES(differs) (emitter->moves |= (differs))
#define FLOE_BEGIN
#define FLOE_END
#ifdef FLOE_MULTIWORD
#define FLOE_EMIT(number, which, t) floe_emit(emitter, number, (t).w)
#else
#define FLOE_EMIT(number, which, t) floe_emit(emitter, number, (t).w[0])
#endif
#define FLOE_EMIT_KEY(number, which, key, wrong) ((wrong) ? floe_no_key(emitter) : floe_emit(emitter, number, key))
#ifdef FLOE_TRANSIENT
/* Defined in gpu/kernel/explore/sequences.h, after the text of the model. */
#ifdef FLOE_MULTIWORD
KERNEL_FN_APART void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, const uint64_t *words);
#define FLOE_EMIT_WRITTEN(number, which, t, written) floe_emit_firing(emitter, number, (t).w)
#else
KERNEL_FN_APART void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, uint64_t word);
#define FLOE_EMIT_WRITTEN(number, which, t, written) floe_emit_firing(emitter, number, (t).w[0])
#endif
KERNEL_FN_APART void floe_fail_firing(struct floe_emitter *emitter);
#define FLOE_FAIL(number, which, failed_at) floe_fail_firing(emitter)
#define FLOE_SEQUENCES_PARAMETER , GPU_PARAMETER struct gpu_sequences sequences
#else
#define FLOE_FAIL(number, which, failed_at) (emitter->failed = true)
#define FLOE_SEQUENCES_PARAMETER
#endif
/* For a transition that fires only if no other does: each firing changes `used` or sets `failed`. */
#define FLOE_NOTE_FIRINGS const uint32_t noted = emitter->used;
#define FLOE_NOTHING_FIRED (emitter->used == noted && !emitter->failed)

/* Index keys: the successor has none. */
KERNEL_FN void floe_no_key(struct floe_emitter *emitter);
#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, const uint64_t *words);
#else
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint64_t key);
#endif

#endif
