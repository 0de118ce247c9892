/* States and their keys in the exploration: a key is the state's word itself, or its rank. The text comes after the
   generated code of a model. */
#ifndef FLOE_GPU_STATE_H
#define FLOE_GPU_STATE_H

#ifdef FLOE_RANKED
KERNEL_FN floe_state state_of(uint64_t key) { return floe_decode(key); }
KERNEL_FN uint64_t key_of(const floe_state s) { return s.key; }
#else
KERNEL_FN floe_state state_of(uint64_t key) {
  floe_state s;
  s.w[0] = key;
  return s;
}
KERNEL_FN uint64_t key_of(const floe_state s) { return s.w[0]; }
#endif

/* The compiler does not know that it is the same state. */
KERNEL_FN floe_state opaque_state(floe_state s) {
  GPU_UNROLL
  for (int w = 0; w < (int)FLOE_WORDS; w++)
    s.w[w] = gpu_opaque(s.w[w]);
  return s;
}

#endif
