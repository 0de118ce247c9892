/* Emitter of successors in the passes: as gpu/kernel/base/emitter.h, but only steps that satisfy a condition go to the
   lane's buffer. */
#ifndef FLOE_GPU_CYCLES_STEP_EMITTER_H
#define FLOE_GPU_CYCLES_STEP_EMITTER_H

#include "step/kernel/shim.h"

struct floe_emitter {
  uint64_t *buffer;         /* of this lane: key i at buffer[32 i]; with FLOE_MULTIWORD its words from
                               buffer[FLOE_MULTIWORD i] on */
  uint32_t used;            /* 32 times the number of keys in it; beyond BUFFER_END: including those that had no room */
  bool fired;               /* some transition of the state fired, or failed */
  bool all;                 /* all steps count; else those that have the mark of the condition */
  bool enabled;             /* unless `all`: the condition is a constraint of fairness that is enabled */
  const uint64_t *marks;    /* [FLOE_AUTOMATON_DEGREE] acceptance sets of the automaton's edges from this state */
  const uint64_t *fairness; /* [FLOE_TRANSITIONS] constraints of fairness that the transition belongs to */
  uint32_t condition;
};

#define FLOE_EMITTER struct floe_emitter *emitter
#define FLOE_EMITTER_ARGUMENT emitter
#define FLOE_CHANGED(word)
#define FLOE_MOVES(differs)
#define FLOE_BEGIN
#define FLOE_END
#ifdef FLOE_MULTIWORD
#define FLOE_EMIT(number, which, t) floe_emit(emitter, number, which, (t).w)
#else
#define FLOE_EMIT(number, which, t) floe_emit(emitter, number, which, (t).w[0])
#endif
#define FLOE_EMIT_KEY(number, which, key, wrong) ((wrong) ? (void)0 : floe_emit(emitter, number, which, key))
#define FLOE_FAIL(number, which, failed_at) floe_fired(emitter, number)
#define FLOE_NOTE_FIRINGS const bool noted = emitter->fired = false;
#define FLOE_NOTHING_FIRED (!emitter->fired)

/* The transition fired, or failed. True: its steps have the mark of a constraint of fairness. */
KERNEL_FN bool floe_fired(struct floe_emitter *emitter, uint32_t number) {
  emitter->fired = true;
  if (emitter->all || !(emitter->fairness[number] >> emitter->condition & 1))
    return false;
  emitter->enabled = true;
  return true;
}

#ifdef FLOE_MULTIWORD
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint32_t which, const uint64_t *words);
#else
KERNEL_FN void floe_emit(struct floe_emitter *emitter, uint32_t number, uint32_t which, uint64_t key);
#endif

#endif
