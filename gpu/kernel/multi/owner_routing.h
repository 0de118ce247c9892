/* Routing of successors to their owners (step/kernel/state_owner.h): successors of other members leave a warp's
   buffers for outboxes or mailboxes. Most are found again soon after the first time, by some other warp: a
   direct-mapped cache of sent keys, shared by all warps, filters those duplicates (engine/cpu/duplicate_filter.h).
   Every key in it is, or was, in an outbox. */
#ifndef FLOE_GPU_MEMBERS_H
#define FLOE_GPU_MEMBERS_H

#include "gpu/kernel/multi/mailbox.h"

#ifdef FLOE_MEMBERS
#include "step/kernel/state_owner.h"

/* The owner of a state. The text may contain the distribution of keys (FLOE_LOCAL_INDEX). */
KERNEL_FN uint32_t owner_in(const struct gpu_outboxes *outboxes, const uint64_t *state, uint32_t members) {
#if defined FLOE_LOCAL_INDEX
  const struct local_index shares = FLOE_LOCAL_INDEX;
  (void)outboxes, (void)members;
  return local_index_owner(&shares, *state);
#elif defined FLOE_MULTIWORD
  return owner_of(state, outboxes->owner_mask, FLOE_MULTIWORD, members);
#else
  return owner_of(state, &outboxes->owner_mask_bits, 1, members);
#endif
}

/* States of several words are not filtered: the cache holds whole keys. (Nor are keys for mailboxes: the lookup took
   as long as sending the third of the keys that it filtered.) */
KERNEL_FN bool was_sent_recently(const struct gpu_outboxes *outboxes, const uint64_t *state) {
#ifdef FLOE_MULTIWORD
  (void)outboxes, (void)state;
  return false;
#else
  uint64_t *const place =
      &outboxes->duplicate_filter[*state * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GPU_DUPLICATE_FILTER_BITS)];
  if (gpu_load64(place) == *state)
    return true;
  gpu_store64(place, *state);
  return false;
#endif
}

/* Sends the lanes' states for other members to outboxes. */
KERNEL_FN void send_states(const struct warp *w, bool has, uint32_t to, const uint64_t *state) {
  uint32_t rest = gpu_ballot(has);
  GPU_ROLLED
  while (rest) {
    const uint32_t next = gpu_shuffle(to, lowest_bit(rest));
    const uint32_t mask = gpu_ballot(has && to == next);
    put_into_outbox(w, next, mask, state);
    rest &= ~mask;
  }
}

/* The lane has n keys, or states, in its buffer. warp_send returns how many of this member's remain there. */
#ifdef FLOE_LINKED
#ifdef FLOE_ELSEWHERE
/* Sends keys of members without a mailbox to outboxes. True: this lane has a key that remains. */
KERNEL_FN bool send_unlinked(const struct warp *w, bool has, uint32_t owner, uint64_t key) {
  const bool far = has && owner - first_linked(w->space) >= LINKED_MEMBERS;
  send_states(w, far && !was_sent_recently(&w->space->outboxes, &key), owner, &key);
  return has && !far;
}
#endif

/* Counts of staged keys by distance `apart`; entry 0 is this member, whose keys stay in the buffers. Uniform over
   lanes and in registers: every loop over it is unrolled. */
struct outgoing {
  uint32_t keys[LINKED_MEMBERS];
};

KERNEL_FN uint32_t outgoing_count(const struct outgoing *outgoing, uint32_t apart) {
  uint32_t n = outgoing->keys[0];
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    n = apart == i ? outgoing->keys[i] : n;
  return n;
}

/* Sends packets of at least `least` keys from the outgoing staging; the first key pads a partial packet. False: there
   is none. */
KERNEL_FN bool send_packets(const struct warp *w, struct outgoing *outgoing, uint32_t least) {
  uint32_t full = 0;
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    full |= outgoing->keys[i] >= least ? UINT32_C(1) << i : 0;
  if (!full)
    return false;
  gpu_sync_warp(); /* other lanes read the outgoing staging */
  GPU_ROLLED
  for (uint32_t rest = full; rest; rest &= rest - 1) {
    const uint32_t apart = lowest_bit(rest), n = outgoing_count(outgoing, apart);
    send_packet(w, apart, mailboxes_of(w)->keys[apart - 1][w->lane < n ? w->lane : 0]);
  }
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    if (full >> i & 1)
      outgoing->keys[i] = outgoing->keys[i] > GPU_WARP ? outgoing->keys[i] - GPU_WARP : 0;
  return true;
}

/* Distance of the linked member that owns this key; LINKED_MEMBERS: no linked member does. */
KERNEL_FN uint32_t send_to(const struct warp *w, bool has, uint64_t key) {
#ifdef FLOE_ELSEWHERE
  const uint32_t owner = has ? owner_in(&w->space->outboxes, &key, w->space->outboxes.members) : 0;
  has = send_unlinked(w, has, owner, key);
  return has ? apart_of(w->space, owner - first_linked(w->space)) : (uint32_t)LINKED_MEMBERS;
#else
  return has ? apart_of(w->space, owner_in(&w->space->outboxes, &key, LINKED_MEMBERS)) : (uint32_t)LINKED_MEMBERS;
#endif
}

/* Routes a row of keys at a time: this member's keys move to the front of the buffers, evenly over the lanes, so that
   as much room as possible is left for received keys. After the last own states the outgoing staging is emptied. This
   runs for each successor: its instructions were a fifth of a search (doc/results/devices.md). */
KERNEL_FN uint32_t warp_send(const struct warp *w, uint64_t *buffers, uint32_t n) {
  const uint32_t before = (UINT32_C(1) << w->lane) - 1;
  struct outgoing outgoing;
  bool more = true;
  outgoing.keys[0] = 0;
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    outgoing.keys[i] = mailboxes_of(w)->count[i - 1];
  GPU_ROLLED
  for (uint32_t k = 0; more; k++) {
    const bool has = k < n;
    more = gpu_ballot(has);
    if (!more && mailboxes_of(w)->stage != MAILBOX_EXPANDED)
      break;
    const uint64_t key = has ? buffers[k * GPU_WARP + w->lane] : 0;
    const uint32_t to = send_to(w, has, key);
    uint32_t same = gpu_ballot(to == 0);
    uint32_t at = outgoing.keys[0];
    outgoing.keys[0] += count_bits(same);
    GPU_UNROLL
    for (uint32_t i = 1; i < LINKED_MEMBERS; i++) {
      const uint32_t mask = gpu_ballot(to == i);
      same = to == i ? mask : same;
      at = to == i ? outgoing.keys[i] : at;
      outgoing.keys[i] += count_bits(mask);
    }
    at += count_bits(same & before);
    gpu_sync_warp(); /* all lanes have read what is overwritten */
    const bool others = to > 0 && to < LINKED_MEMBERS;
    if (to == 0)
      buffers[at] = key;
    else if (others && at < GPU_WARP)
      mailboxes_of(w)->keys[to - 1][at] = key;
    if (send_packets(w, &outgoing, more ? GPU_WARP : 1) && others && at >= GPU_WARP)
      mailboxes_of(w)->keys[to - 1][at - GPU_WARP] = key; /* which had no room before */
  }
  gpu_sync_warp(); /* all lanes have read the counts */
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    if (w->lane == 0)
      mailboxes_of(w)->count[i - 1] = outgoing.keys[i];
  gpu_sync_warp(); /* other lanes read the buffers and the outgoing staging */
  return outgoing.keys[0];
}

/* Sends other members' keys and receives keys into the buffers, which have room for `most`; returns the lane's number
   of keys. Not inlined, so that its registers are not taken from the firing of transitions. */
KERNEL_FN_APART uint32_t warp_exchange_packets(const struct gpu_space *space, struct level *level,
                                               struct staging *staging, uint64_t *buffers, uint32_t n, uint32_t most) {
  struct warp w = {0};
  w.space = space;
  w.level = level;
  w.staging = staging;
  w.lane = gpu_thread() % GPU_WARP;
  n = warp_send(&w, buffers, n);
  return (warp_receive(&w, buffers, n, most) + GPU_WARP - 1 - w.lane) / GPU_WARP;
}
#else
/* Start of key k in the lane's buffer; the words of a state are contiguous. */
KERNEL_FN uint64_t *buffer_at(const struct warp *w, uint64_t *buffers, uint32_t k) {
#ifdef FLOE_MULTIWORD
  (void)w;
  return buffers + k * OUTBOX_WORDS;
#else
  return buffers + k * GPU_WARP + w->lane;
#endif
}

/* Key k of the lanes' buffers: sends the keys of other members. True: this lane has one of this member's. */
KERNEL_FN bool send_row(const struct warp *w, const uint64_t *state, bool has) {
  const struct gpu_outboxes *const outboxes = &w->space->outboxes;
  const uint32_t to = has ? owner_in(outboxes, state, outboxes->members) : outboxes->member;
  const bool others = to != outboxes->member;
  send_states(w, others && !was_sent_recently(outboxes, state), to, state);
  return has && !others;
}

KERNEL_FN uint32_t warp_send(const struct warp *w, uint64_t *buffers, uint32_t n) {
  uint32_t left = 0;
  GPU_ROLLED
  for (uint32_t k = 0; gpu_ballot(k < n); k++) {
    const uint64_t *const state = buffer_at(w, buffers, k);
    if (!send_row(w, state, k < n))
      continue;
    uint64_t *const place = buffer_at(w, buffers, left++);
    for (uint32_t i = 0; i < OUTBOX_WORDS; i++)
      place[i] = state[i];
  }
  gpu_sync_warp(); /* other lanes read the buffer */
  return left;
}
#endif
#else
KERNEL_FN uint32_t warp_send(const struct warp *w, const uint64_t *buffers, uint32_t n) {
  (void)w, (void)buffers;
  return n;
}
#endif

#endif
