/* Firing the groups of transitions one after the other. The text follows the generated code of a model. */
#ifndef FLOE_GPU_FIRE_GROUPS_H
#define FLOE_GPU_FIRE_GROUPS_H

/* Returns the same state; the compiler assumes nothing about it. */
KERNEL_FN floe_state opaque_state(floe_state s) {
  if ((int)FLOE_WORDS > (int)GPU_WORDS_IN_REGISTERS)
    return s;
  GPU_UNROLL
  for (int w = 0; w < (int)FLOE_WORDS; w++)
    s.w[w] = gpu_opaque(s.w[w]);
  return s;
}

/* The state is made opaque for each group: otherwise the compiler evaluates the guards of all groups before the first
   one, because they depend on the state alone. */
KERNEL_FN void fire_groups(const floe_state given, FLOE_EMITTER) {
  const int32_t committed = floe_committed(given);
#define FIRE_NEXT(number, first)                                                                                       \
  {                                                                                                                    \
    const floe_state s = opaque_state(given);                                                                          \
    floe_fire_##first(s, committed, emitter);                                                                          \
  }
  FLOE_INITIATORS(FIRE_NEXT)
#undef FIRE_NEXT
  (void)committed;
}

#endif
