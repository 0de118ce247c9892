/* Firing groups of transitions: all one after the other, or one. The text follows the generated code of a model. Its
   transitions are generated code or, with FLOE_ARCS, a table. */
#ifndef FLOE_GPU_FIRE_GROUPS_H
#define FLOE_GPU_FIRE_GROUPS_H

#ifndef FLOE_SHARED
#define FLOE_SHARED int32_t
#endif
#ifndef FLOE_OTHERWISE_INITIATOR
#define FLOE_OTHERWISE_INITIATOR -1 /* none */
#endif

#ifdef FLOE_MULTIWORD
#define FLOE_BUFFER_WORDS FLOE_MULTIWORD
#else
#define FLOE_BUFFER_WORDS 1
#endif

/* Buffer length, in keys, that suffices for nearly all states. The tests set a smaller one. */
#ifndef FLOE_BUFFER_SUFFICES
#define FLOE_BUFFER_SUFFICES ((int)FLOE_EXPECTED_SUCCESSORS > 5 ? (int)FLOE_EXPECTED_SUCCESSORS : 5)
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

#ifdef FLOE_ARCS
#include "gpu/kernel/explore/fire_arcs.h"
#else
KERNEL_FN unsigned group_count(const struct arc_table *arcs) {
  (void)arcs;
  return (unsigned)FLOE_INITIATOR_COUNT;
}

/* The state is made opaque for each group: otherwise the compiler evaluates the guards of all groups before the first
   one, because they depend on the state alone. */
KERNEL_FN void fire_groups(const floe_state given, FLOE_EMITTER) {
  const FLOE_SHARED committed = floe_committed(given);
  FLOE_NOTE_FIRINGS
#define FIRE_NEXT(number, first)                                                                                       \
  if (number != FLOE_OTHERWISE_INITIATOR || FLOE_NOTHING_FIRED) {                                                      \
    const floe_state s = opaque_state(given);                                                                          \
    floe_fire_##first(s, committed, emitter);                                                                          \
  }
  FLOE_INITIATORS(FIRE_NEXT)
#undef FIRE_NEXT
  (void)committed, (void)noted;
}

/* (The state is made opaque as in fire_groups.) */
KERNEL_FN void fire_group(const floe_state given, FLOE_SHARED committed, unsigned group, FLOE_EMITTER) {
  const floe_state s = opaque_state(given);
#define FIRE_GROUP(number, first)                                                                                      \
  case number:                                                                                                         \
    floe_fire_##first(s, committed, emitter);                                                                          \
    break;
  switch (group) {
    FLOE_INITIATORS(FIRE_GROUP)
  default:
    break;
  }
#undef FIRE_GROUP
}

#endif

#endif
