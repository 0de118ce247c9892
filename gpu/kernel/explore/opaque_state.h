/* The text follows the generated code of a model. */
#ifndef FLOE_GPU_OPAQUE_STATE_H
#define FLOE_GPU_OPAQUE_STATE_H

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
