/* Firing transitions of a table of arcs (step/kernel/arcs.h), in groups of equal size. The lanes of a warp test the
   same transition at about the same time, so that one access serves them all. */
#ifndef FLOE_GPU_FIRE_ARCS_H
#define FLOE_GPU_FIRE_ARCS_H

#include "step/kernel/arc_tests.h"

enum {
  ARC_GROUP = 64,
  FLOE_INITIATOR_SUCCESSORS = ARC_GROUP,
  FLOE_INITIATOR_COUNT = FLOE_TRANSITIONS / ARC_GROUP /* at most */
};

KERNEL_FN unsigned group_count(const struct arc_table *arcs) {
  return arcs->transitions ? (arcs->transitions + ARC_GROUP - 1) / ARC_GROUP : 1;
}

KERNEL_FN int32_t floe_committed(const floe_state s) {
  (void)s;
  return 0;
}

KERNEL_FN void fire_arc(const struct arc_table *arcs, uint32_t transition, const floe_state *s, FLOE_EMITTER) {
  floe_state t = *s;
  const struct arc_range *const failure = arc_failure(arcs, transition, s->w);
  if (failure) {
    FLOE_FAIL(transition, 0, failure->site);
    return;
  }
  GPU_ROLLED
  for (uint32_t i = arcs->rows[transition].update; i < arcs->rows[transition + 1].update; i++) {
    const struct arc_update *const update = &arcs->updates[i];
    t.w[update->word] = (t.w[update->word] & update->keep) + update->add;
  }
  FLOE_EMIT(transition, 0, t);
}

/* Transitions first..end - 1, as far as there are so many. */
KERNEL_FN void fire_arcs(const floe_state *s, uint32_t first, uint32_t end, FLOE_EMITTER) {
  const struct arc_table arcs = *emitter->arcs;
  if (end > arcs.transitions)
    end = arcs.transitions;
  GPU_ROLLED
  for (uint32_t t = first; t < end; t++)
    if (arc_enabled(&arcs, t, s->w))
      fire_arc(&arcs, t, s, emitter);
}

KERNEL_FN void floe_successors(const floe_state s, FLOE_EMITTER) { fire_arcs(&s, 0, UINT32_MAX, emitter); }

KERNEL_FN void fire_groups(const floe_state s, FLOE_EMITTER) { floe_successors(s, emitter); }

KERNEL_FN void fire_group(const floe_state s, int32_t committed, unsigned group, FLOE_EMITTER) {
  (void)committed;
  fire_arcs(&s, group * ARC_GROUP, (group + 1) * ARC_GROUP, emitter);
}

#endif
