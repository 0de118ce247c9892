/* Conversion between states and keys in the exploration: a key is the state's word, its index key, or its root. The
   text follows the generated code of a model. */
#ifndef FLOE_GPU_STATE_H
#define FLOE_GPU_STATE_H

#include "gpu/kernel/explore/fire_groups.h"

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

#endif
