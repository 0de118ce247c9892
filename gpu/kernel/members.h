/* Successors that other members of a group have (step/kernel/owner.h), on their way out of a warp's columns into
   outboxes. Most are met again soon after the first time (engine/recent.h), by some other warp: a direct-mapped cache
   of keys that were sent, of all warps, keeps those back. What stands in it is in an outbox, or was. */
#ifndef FLOE_GPU_MEMBERS_H
#define FLOE_GPU_MEMBERS_H

#include "gpu/kernel/warp.h"

#ifdef FLOE_MEMBERS
#include "step/kernel/owner.h"

#ifdef FLOE_WIDE
enum { SENT_WORDS = FLOE_WIDE };
#else
enum { SENT_WORDS = 1 };
#endif

/* Number k of the lane's column begins here, and the words of a state follow each other. */
KERNEL_FN uint64_t *column_at(const struct warp *w, uint64_t *columns, uint32_t k) {
#ifdef FLOE_WIDE
  (void)w;
  return columns + k * SENT_WORDS;
#else
  return columns + k * GPU_WARP + w->lane;
#endif
}

/* States of several words are not looked for: the cache has whole keys. */
KERNEL_FN bool was_sent_lately(const struct gpu_outboxes *sent, const uint64_t *state) {
#ifdef FLOE_WIDE
  (void)sent, (void)state;
  return false;
#else
  uint64_t *const place = &sent->lately[*state * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GPU_LATELY_BITS)];
  if (gpu_load64(place) == *state)
    return true;
  gpu_store64(place, *state);
  return false;
#endif
}

/* The states of the lanes of `mask`, all for one member: one atomic, and neighbours in an outbox. */
KERNEL_FN void put_into_outbox(const struct warp *w, uint32_t to, uint32_t mask, const uint64_t *state) {
  const struct gpu_outboxes *const sent = &w->space->sent;
  const uint32_t n = count_bits(mask);
  const uint64_t box = (uint64_t)to << GPU_OUTBOX_PARTS_LOG | (gpu_block() & (GPU_OUTBOX_PARTS - 1));
  const uint64_t position = keys_append(&sent->counts[box * GPU_OUTBOX_APART], n, w->lane);
  if (mask >> w->lane & 1) {
    const uint64_t place = box * sent->room + position + count_bits(mask & ((UINT32_C(1) << w->lane) - 1));
    for (uint32_t i = 0; i < SENT_WORDS; i++)
      sent->states[place * SENT_WORDS + i] = state[i];
  }
  if (position + n >= sent->full && w->lane == 0)
    request_stop(w->space->control, w->level, GPU_LEFT_SENT);
}

/* Of the lanes that have a state for another member. */
KERNEL_FN void send_states(const struct warp *w, bool said, uint32_t to, const uint64_t *state) {
  uint32_t rest = gpu_ballot(said);
  GPU_ROLLED
  while (rest) {
    const uint32_t next = gpu_shuffle(to, lowest_bit(rest));
    const uint32_t mask = gpu_ballot(said && to == next);
    put_into_outbox(w, next, mask, state);
    rest &= ~mask;
  }
}

/* The lane has n keys, or states, in its column. Returns how many are left there, of this member, in order. */
KERNEL_FN uint32_t warp_send(const struct warp *w, uint64_t *columns, uint32_t n) {
  const struct gpu_outboxes *const sent = &w->space->sent;
  uint32_t left = 0;
  GPU_ROLLED
  for (uint32_t k = 0; gpu_ballot(k < n); k++) {
    const uint64_t *const state = column_at(w, columns, k);
    const uint32_t to = k < n ? owner_of(state, SENT_WORDS, sent->members) : sent->member;
    const bool others = to != sent->member;
    if (k < n && !others) {
      uint64_t *const place = column_at(w, columns, left++);
      for (uint32_t i = 0; i < SENT_WORDS; i++)
        place[i] = state[i];
    }
    send_states(w, others && !was_sent_lately(sent, state), to, state);
  }
  gpu_sync_warp(); /* other lanes read the column */
  return left;
}
#else
KERNEL_FN uint32_t warp_send(const struct warp *w, const uint64_t *columns, uint32_t n) {
  (void)w, (void)columns;
  return n;
}
#endif

#endif
