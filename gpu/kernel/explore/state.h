/* Conversion between states and keys in the exploration: a key is the state's word, its index key, or its root. The
   text follows the generated code of a model. */
#ifndef FLOE_GPU_STATE_H
#define FLOE_GPU_STATE_H

#ifdef FLOE_MULTIWORD
KERNEL_FN floe_state state_of(const struct warp *w, uint64_t root) {
  floe_state s;
  multiword_decompose(w->space, root, w->state);
  MULTIWORD_LOOP
  for (int i = 0; i < MULTIWORD_WORDS; i++)
    s.w[i] = w->state->words[i];
  return s;
}
KERNEL_FN uint64_t key_of(const struct warp *w, const floe_state s) {
  (void)s;
  return w->state->root;
}
#else
KERNEL_FN floe_state state_of(const struct warp *w, uint64_t key) {
  (void)w;
#ifdef FLOE_INDEX_KEYS
  return floe_decode(key);
#else
  floe_state s;
  s.w[0] = key;
  return s;
#endif
}
KERNEL_FN uint64_t key_of(const struct warp *w, const floe_state s) {
  (void)w;
#ifdef FLOE_INDEX_KEYS
  return s.key;
#else
  return s.w[0];
#endif
}
#endif

/* Returns the same state; the compiler assumes nothing about it. */
KERNEL_FN floe_state opaque_state(floe_state s) {
  if ((int)FLOE_WORDS > (int)GPU_WORDS_IN_REGISTERS)
    return s;
  GPU_UNROLL
  for (int w = 0; w < (int)FLOE_WORDS; w++)
    s.w[w] = gpu_opaque(s.w[w]);
  return s;
}

#endif
