/* Where the successors of a state go on a GPU: the macros that the generated text leaves open. Each lane expands a
   state of its own and writes keys into its column in shared memory; no collective stands here, as the lanes of a
   warp take different ways through the generated code. */
#ifndef FLOE_GPU_SINK_H
#define FLOE_GPU_SINK_H

#include "step/kernel/shim.h"

struct block_space;

struct floe_emitter {
  uint64_t *column; /* of this lane: key i at column[32 i], in shared memory; with FLOE_MULTIWORD its words from
                       column[FLOE_MULTIWORD i] on, in the lane's own */
  uint32_t held;    /* 32 times the keys in it; beyond COLUMN_END: those that had no room too */
  uint32_t degree;  /* successors of the state that are no longer in it */
  bool failed;      /* some firing failed */
  struct block_space *block;
};

#define FLOE_EMITTER struct floe_emitter *sink
#define FLOE_EMITTER_ARGUMENT sink
#define FLOE_CHANGED(word)
#define FLOE_BEGIN
#define FLOE_END
#ifdef FLOE_MULTIWORD
#define FLOE_EMIT(number, which, t) floe_emit(sink, number, (t).w)
#else
#define FLOE_EMIT(number, which, t) floe_emit(sink, number, (t).w[0])
#endif
#define FLOE_EMIT_KEY(number, which, key, wrong) ((wrong) ? floe_no_key(sink) : floe_emit(sink, number, key))
#define FLOE_FAIL(number, which, failed_at) (sink->failed = true)

/* Keys by rank: the successor has none. */
KERNEL_FN void floe_no_key(struct floe_emitter *sink);
#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *sink, uint32_t number, const uint64_t *words);
#else
KERNEL_FN void floe_emit(struct floe_emitter *sink, uint32_t number, uint64_t key);
#endif

#endif
