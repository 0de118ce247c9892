/* Outboxes: states for other members of a group, collected by the host after the launch. */
#ifndef FLOE_GPU_OUTBOX_H
#define FLOE_GPU_OUTBOX_H

#include "gpu/kernel/base/warp.h"

#ifdef FLOE_MEMBERS
#ifdef FLOE_MULTIWORD
enum { OUTBOX_WORDS = FLOE_MULTIWORD };
#else
enum { OUTBOX_WORDS = 1 };
#endif

/* Appends the states of the lanes of `mask`, all for one member, with one atomic, to adjacent places of an outbox. */
KERNEL_FN void put_into_outbox(const struct warp *w, uint32_t to, uint32_t mask, const uint64_t *state) {
  const struct gpu_outboxes *const outboxes = &w->space->outboxes;
  const uint32_t n = count_bits(mask);
  const uint64_t box = (uint64_t)to * outboxes->parts + (gpu_block() & (outboxes->parts - 1));
  const uint64_t position = keys_append(&outboxes->counts[box * GPU_OUTBOX_STRIDE], n, w->lane);
  if (mask >> w->lane & 1) {
    const uint64_t place = box * outboxes->room + position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1));
    for (uint32_t i = 0; i < OUTBOX_WORDS; i++)
      outboxes->states[place * OUTBOX_WORDS + i] = state[i];
  }
#if defined FLOE_LINKED && !defined FLOE_ELSEWHERE /* with FLOE_ELSEWHERE outboxes are always used, and the count is   \
                                                      not needed */
  if (w->lane == 0)
    gpu_add64(&w->space->control->mailbox.to_outbox, n);
#endif
  if (position + n >= outboxes->full && w->lane == 0)
    request_stop(w->space->control, w->level, GPU_EXIT_OUTBOX);
}
#endif

#endif
