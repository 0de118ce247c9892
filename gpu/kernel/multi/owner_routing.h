/* Successors that other members of a group have (step/kernel/state_owner.h), on their way out of a warp's columns into
   outboxes. Most are met again soon after the first time (engine/cpu/duplicate_filter.h), by some other warp: a direct-mapped cache
   of keys that were sent, of all warps, keeps those back. What stands in it is in an outbox, or was. */
#ifndef FLOE_GPU_MEMBERS_H
#define FLOE_GPU_MEMBERS_H

#include "gpu/kernel/multi/mailbox.h"

#ifdef FLOE_MEMBERS
#include "step/kernel/state_owner.h"

/* Whose a state is. The text may know how keys are shared (FLOE_LOCAL_INDEX). */
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

/* States of several words are not looked for: the cache has whole keys. (Nor is what goes to mailboxes: the look took
   as long as the third of the keys that it held back.) */
KERNEL_FN bool was_sent_lately(const struct gpu_outboxes *outboxes, const uint64_t *state) {
#ifdef FLOE_MULTIWORD
  (void)outboxes, (void)state;
  return false;
#else
  uint64_t *const place = &outboxes->duplicate_filter[*state * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GPU_DUPLICATE_FILTER_BITS)];
  if (gpu_load64(place) == *state)
    return true;
  gpu_store64(place, *state);
  return false;
#endif
}

/* Of the lanes that have a state for another member: it leaves this warp. */
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

/* The lane has n keys, or states, in its column. Returns how many are left there, of this member. */
#ifdef FLOE_LINKED
#ifdef FLOE_ELSEWHERE
/* Keys of members that no mailbox reaches leave. True: this lane has one that does not. */
KERNEL_FN bool send_far(const struct warp *w, bool has, uint32_t owner, uint64_t key) {
  const bool far = has && owner - first_linked(w->space) >= LINKED_MEMBERS;
  send_states(w, far && !was_sent_lately(&w->space->outboxes, &key), owner, &key);
  return has && !far;
}
#endif

/* Of the members apart, by that number; 0 is this one, whose keys stay in the columns. The same in all lanes, in
   registers: every loop over it is unrolled. */
struct waiting {
  uint32_t keys[LINKED_MEMBERS];
};

KERNEL_FN uint32_t waiting_of(const struct waiting *waiting, uint32_t apart) {
  uint32_t n = waiting->keys[0];
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    n = apart == i ? waiting->keys[i] : n;
  return n;
}

/* Packets of `least` keys at least leave the bag; what one lacks its first key fills. False: there is none. */
KERNEL_FN bool send_packets(const struct warp *w, struct waiting *waiting, uint32_t least) {
  uint32_t full = 0;
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    full |= waiting->keys[i] >= least ? UINT32_C(1) << i : 0;
  if (!full)
    return false;
  gpu_sync_warp(); /* other lanes read the bag */
  GPU_ROLLED
  for (uint32_t rest = full; rest; rest &= rest - 1) {
    const uint32_t apart = lowest_bit(rest), n = waiting_of(waiting, apart);
    send_packet(w, apart, bag_of(w)->keys[apart - 1][w->lane < n ? w->lane : 0]);
  }
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    if (full >> i & 1)
      waiting->keys[i] = waiting->keys[i] > GPU_WARP ? waiting->keys[i] - GPU_WARP : 0;
  return true;
}

/* The number apart of the linked member whose key this is; LINKED_MEMBERS: no linked one's. */
KERNEL_FN uint32_t send_to(const struct warp *w, bool has, uint64_t key) {
#ifdef FLOE_ELSEWHERE
  const uint32_t owner = has ? owner_in(&w->space->outboxes, &key, w->space->outboxes.members) : 0;
  has = send_far(w, has, owner, key);
  return has ? apart_of(w->space, owner - first_linked(w->space)) : (uint32_t)LINKED_MEMBERS;
#else
  return has ? apart_of(w->space, owner_in(&w->space->outboxes, &key, LINKED_MEMBERS)) : (uint32_t)LINKED_MEMBERS;
#endif
}

/* A row at a time goes to where its keys belong: those of this member to the front of the columns, dealt out anew, so
   that there is room for as much as can be of what comes. At the end of its states nothing stays in the bag. It is done
   for each successor: what it took of instructions was a fifth of a search (doc/results/devices.md). */
KERNEL_FN uint32_t warp_send(const struct warp *w, uint64_t *columns, uint32_t n) {
  const uint32_t before = (UINT32_C(1) << w->lane) - 1;
  struct waiting waiting;
  bool more = true;
  waiting.keys[0] = 0;
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    waiting.keys[i] = bag_of(w)->count[i - 1];
  GPU_ROLLED
  for (uint32_t k = 0; more; k++) {
    const bool has = k < n;
    more = gpu_ballot(has);
    if (!more && bag_of(w)->stage != MAIL_EXPANDED)
      break;
    const uint64_t key = has ? columns[k * GPU_WARP + w->lane] : 0;
    const uint32_t to = send_to(w, has, key);
    uint32_t same = gpu_ballot(to == 0);
    uint32_t at = waiting.keys[0];
    waiting.keys[0] += count_bits(same);
    GPU_UNROLL
    for (uint32_t i = 1; i < LINKED_MEMBERS; i++) {
      const uint32_t mask = gpu_ballot(to == i);
      same = to == i ? mask : same;
      at = to == i ? waiting.keys[i] : at;
      waiting.keys[i] += count_bits(mask);
    }
    at += count_bits(same & before);
    gpu_sync_warp(); /* all lanes have read what is overwritten */
    const bool others = to > 0 && to < LINKED_MEMBERS;
    if (to == 0)
      columns[at] = key;
    else if (others && at < GPU_WARP)
      bag_of(w)->keys[to - 1][at] = key;
    if (send_packets(w, &waiting, more ? GPU_WARP : 1) && others && at >= GPU_WARP)
      bag_of(w)->keys[to - 1][at - GPU_WARP] = key; /* which had no room before */
  }
  gpu_sync_warp(); /* all lanes have read how many waited */
  GPU_UNROLL
  for (uint32_t i = 1; i < LINKED_MEMBERS; i++)
    if (w->lane == 0)
      bag_of(w)->count[i - 1] = waiting.keys[i];
  gpu_sync_warp(); /* other lanes read the columns, and the bag */
  return waiting.keys[0];
}

/* Sends what is others', and takes what has come to the columns, which have room for `most`; returns how many keys the
   lane has then. Apart, so that registers that this takes are not taken from the firing of transitions. */
KERNEL_FN_APART uint32_t warp_mail(const struct gpu_space *space, struct level *level, struct held *held,
                                   uint64_t *columns, uint32_t n, uint32_t most) {
  struct warp w = {0};
  w.space = space;
  w.level = level;
  w.held = held;
  w.lane = gpu_thread() % GPU_WARP;
  n = warp_send(&w, columns, n);
  return (warp_receive(&w, columns, n, most) + GPU_WARP - 1 - w.lane) / GPU_WARP;
}
#else
/* Number k of the lane's column begins here, and the words of a state follow each other. */
KERNEL_FN uint64_t *column_at(const struct warp *w, uint64_t *columns, uint32_t k) {
#ifdef FLOE_MULTIWORD
  (void)w;
  return columns + k * SENT_WORDS;
#else
  return columns + k * GPU_WARP + w->lane;
#endif
}

/* Number k of the lanes' columns: what is not this member's is on its way then. True: this lane has one that is. */
KERNEL_FN bool send_row(const struct warp *w, const uint64_t *state, bool has) {
  const struct gpu_outboxes *const outboxes = &w->space->outboxes;
  const uint32_t to = has ? owner_in(outboxes, state, outboxes->members) : outboxes->member;
  const bool others = to != outboxes->member;
  send_states(w, others && !was_sent_lately(outboxes, state), to, state);
  return has && !others;
}

KERNEL_FN uint32_t warp_send(const struct warp *w, uint64_t *columns, uint32_t n) {
  uint32_t left = 0;
  GPU_ROLLED
  for (uint32_t k = 0; gpu_ballot(k < n); k++) {
    const uint64_t *const state = column_at(w, columns, k);
    if (!send_row(w, state, k < n))
      continue;
    uint64_t *const place = column_at(w, columns, left++);
    for (uint32_t i = 0; i < SENT_WORDS; i++)
      place[i] = state[i];
  }
  gpu_sync_warp(); /* other lanes read the column */
  return left;
}
#endif
#else
KERNEL_FN uint32_t warp_send(const struct warp *w, const uint64_t *columns, uint32_t n) {
  (void)w, (void)columns;
  return n;
}
#endif

#endif
