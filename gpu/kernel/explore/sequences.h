/* Sequences of firings through transient states as one step (doc/design/transient.md), by one lane. The CPU's version
   is step/kernel/sequence.h; both find the same steps and count the same firings, in another order.

   A firing that leads to a transient state, and each firing of such a state, is pushed on the lane's stack.
   floe_follow takes the firing on top: it emits the state at the end of a sequence, or pushes the firings of a
   transient state. So it emits at most one state.

   The text follows the generated code of a model. Before it are defined: floe_emit,
     floe_count_firing   counts a firing that is continued
     floe_exceeds        a stack is full, or a limit is exceeded: the result is useless (sequences_abandon) */
#ifndef FLOE_GPU_SEQUENCES_H
#define FLOE_GPU_SEQUENCES_H

#ifdef FLOE_MULTIWORD
#define SEQUENCE_LOOP MULTIWORD_LOOP
#else
#define SEQUENCE_LOOP GPU_UNROLL
#endif

enum { SEQUENCE_ENTRY = (FLOE_WORDS + 1) * (int)GPU_WARP }; /* words of an entry of all stacks of a warp */

KERNEL_FN void sequences_begin(struct floe_emitter *emitter, const struct gpu_sequences *sequences) {
  const uint64_t warp = ((uint64_t)gpu_block() * GPU_BLOCK + gpu_thread()) / GPU_WARP;
  emitter->sequences = sequences;
  emitter->stack = sequences->stacks + warp * sequences->depth * SEQUENCE_ENTRY + gpu_thread() % GPU_WARP;
  emitter->pending = 0;
  emitter->within = emitter->first_only = emitter->repeats = false;
}

KERNEL_FN void sequences_begin_state(struct floe_emitter *emitter) { emitter->ended = emitter->work = 0; }

/* ---- firings --------------------------------------------------------------------------------------- */

/* Whether the firing of a transient state belongs to the step. */
KERNEL_FN bool sequence_takes(struct floe_emitter *emitter) {
  const bool takes = !emitter->first_only || emitter->continued_by == 0;
  emitter->continued_by += takes;
  return takes;
}

/* Follows no more sequences of the state. */
KERNEL_FN void sequences_abandon(struct floe_emitter *emitter) {
  floe_exceeds(emitter);
  emitter->pending = 0;
  emitter->work = emitter->sequences->most_firings;
}

/* Counts a sequence that ends or fails. False: it exceeds the limit. */
KERNEL_FN bool sequence_counts(struct floe_emitter *emitter) {
  if (emitter->ended >= emitter->sequences->most_ended) {
    sequences_abandon(emitter);
    return false;
  }
  emitter->ended++;
  return true;
}

KERNEL_FN void sequence_push(struct floe_emitter *emitter, uint32_t number, const floe_state *s) {
  if (emitter->pending >= emitter->sequences->depth || emitter->work >= emitter->sequences->most_firings) {
    sequences_abandon(emitter);
    return;
  }
  uint64_t *const entry = emitter->stack + (uint64_t)emitter->pending++ * SEQUENCE_ENTRY;
  emitter->work++;
  entry[0] = number;
  SEQUENCE_LOOP
  for (int i = 0; i < (int)FLOE_WORDS; i++)
    entry[(i + 1) * (int)GPU_WARP] = s->w[i];
}

KERNEL_FN void emit_state(struct floe_emitter *emitter, uint32_t number, const floe_state *s) {
#ifdef FLOE_MULTIWORD
  floe_emit(emitter, number, s->w);
#else
  floe_emit(emitter, number, s->w[0]);
#endif
}

#ifdef FLOE_MULTIWORD
KERNEL_FN_APART void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, const uint64_t *words) {
  floe_state s;
  SEQUENCE_LOOP
  for (int i = 0; i < (int)FLOE_WORDS; i++)
    s.w[i] = words[i];
#else
KERNEL_FN_APART void floe_emit_firing(struct floe_emitter *emitter, uint32_t number, uint64_t word) {
  floe_state s;
  s.w[0] = word;
#endif
  if (emitter->within ? sequence_takes(emitter) : floe_holder(s) != 0) {
    if (!emitter->repeats)
      sequence_push(emitter, number, &s);
  } else if (!emitter->within) {
    emit_state(emitter, number, &s);
  }
}

KERNEL_FN_APART void floe_fail_firing(struct floe_emitter *emitter) {
  if (!emitter->within || (sequence_takes(emitter) && sequence_counts(emitter)))
    emitter->failed = true;
}

/* ---- sequences ------------------------------------------------------------------------------------- */

/* Pushes the firings of a transient state; false: there are none. A group does not fire again meanwhile. */
KERNEL_FN bool sequence_continues(struct floe_emitter *emitter, const floe_state s, uint32_t holder) {
  emitter->continued_by = 0;
  emitter->first_only = floe_first_only(holder);
  emitter->within = true;
  floe_fire_holder(s, emitter);
  emitter->within = false;
  return emitter->continued_by > 0;
}

KERNEL_FN void sequence_ends(struct floe_emitter *emitter, uint32_t number, const floe_state *s) {
  if (sequence_counts(emitter))
    emit_state(emitter, number, s);
}

/* Follows the firing on top of the stack, which is not empty; the buffer has room for one state. */
KERNEL_FN_APART void floe_follow(struct floe_emitter *emitter) {
  const uint64_t *const entry = emitter->stack + (uint64_t)--emitter->pending * SEQUENCE_ENTRY;
  const uint32_t number = (uint32_t)entry[0];
  floe_state s;
  SEQUENCE_LOOP
  for (int i = 0; i < (int)FLOE_WORDS; i++)
    s.w[i] = entry[(i + 1) * (int)GPU_WARP];
  const uint32_t holder = floe_holder(s);
  if (holder && sequence_continues(emitter, s, holder)) {
    floe_count_firing(emitter, number);
    return;
  }
  if (holder && floe_blocked_site(holder) != FLOE_NO_SITE) {
    emitter->failed = sequence_counts(emitter) || emitter->failed;
    return;
  }
  if (holder)
    s = floe_released(s);
  sequence_ends(emitter, number, &s);
}

#endif
