/* Transfer of keys between devices during exploration. Each warp has a mailbox at every other member, in that
   member's memory, for the keys it sends there. Only the warp of the same number there reads it, so neither side
   needs an atomic. A mailbox is a ring of packets of 32 keys. The highest bit of each word tells the parity of the
   round in which it was written, so data need neither a flag nor an order (FastForward, Giacomoni et al., PPoPP 2008;
   with credits instead of empty cells). The sender derives free space from returned credits. If there is none for a
   while, or the receiver is not running, the packet goes to an outbox. No sender waits indefinitely, so there is no
   deadlock.

   Only members whose devices reach each other's memory have mailboxes. They are consecutive in the group, which may
   have other members (FLOE_ELSEWHERE), reached through outboxes. Here a member is identified by its number among the
   linked ones, or by its distance `apart` from this one, cyclically: 0 is this member. */
#ifndef FLOE_GPU_MAILBOX_H
#define FLOE_GPU_MAILBOX_H

#include "gpu/kernel/multi/outbox.h"

#ifdef FLOE_LINKED
enum {
  LINKED_MEMBERS = FLOE_LINKED,
  LINKED_OTHERS = FLOE_LINKED - 1,
  PACKETS_AT_ONCE = 2 /* loads in flight: each takes as long as a table probe */
};

/* A warp's progress in a level. */
enum mailbox_stage {
  MAILBOX_EXPANDING,   /* more states may remain for the warp */
  MAILBOX_CATCHING_UP, /* states remain, but it first receives the packets that have arrived */
  MAILBOX_EXPANDED,    /* last iteration with states of its own: partly filled packets are sent, too */
  MAILBOX_SENT,
  MAILBOX_ALL_SENT, /* all devices have sent all their keys */
  MAILBOX_OVER      /* all keys of this phase have been received, or a stop was requested */
};

/* Mailbox state of a warp, in shared memory; entry [apart - 1] is for the member at distance `apart`. */
struct warp_mailboxes {
  uint64_t keys[LINKED_OTHERS][GPU_WARP]; /* outgoing staging: keys that do not fill a packet yet */
  uint32_t count[LINKED_OTHERS];
  uint32_t head[LINKED_OTHERS], credit[LINKED_OTHERS]; /* packets sent; packets known to have been taken at the other
                                                          side */
  uint32_t tail[LINKED_OTHERS];                        /* packets taken here */
  uint32_t timed_out[LINKED_OTHERS];                   /* 1: there was no room in time; 0 again when there is */
  uint32_t received;                                   /* packets received from all members in this launch */
  uint32_t taken;                                      /* packets received in the last pass over the mailboxes */
  uint32_t backlog;                                    /* consecutive passes after which packets remained */
  uint32_t fetches;                                    /* lockstep fetches so far */
  uint32_t first_sender;                               /* the sender whose mailboxes came first in the last pass;
                                                          rotates */
  uint32_t stage;                                      /* enum mailbox_stage */
};

/* Placed behind the staging, so that it costs no register during expansion. */
struct staging_and_mailboxes {
  struct staging staging;
  struct warp_mailboxes mailboxes;
};

KERNEL_FN struct warp_mailboxes *mailboxes_of(const struct warp *w) {
  return &((struct staging_and_mailboxes *)w->staging)->mailboxes;
}

/* ---- members and addresses -------------------------------------------------------------------- */

/* The first linked member of the group. */
KERNEL_FN uint32_t first_linked(const struct gpu_space *space) {
#ifdef FLOE_ELSEWHERE
  return space->mailboxes.first;
#else
  (void)space;
  return 0;
#endif
}

KERNEL_FN uint32_t own_number(const struct gpu_space *space) { return space->outboxes.member - first_linked(space); }

KERNEL_FN uint32_t member_apart(const struct gpu_space *space, uint32_t apart) {
  const uint32_t member = own_number(space) + apart;
  return member < LINKED_MEMBERS ? member : member - LINKED_MEMBERS;
}

KERNEL_FN uint32_t apart_of(const struct gpu_space *space, uint32_t member) {
  const uint32_t self = own_number(space);
  return member >= self ? member - self : member + LINKED_MEMBERS - self;
}

/* Words of all mailboxes of a member: fewer than 2^31, so word indices have 32 bits. */
KERNEL_FN uint32_t words_of_mailboxes(const struct gpu_mailbox_view *view) {
  return LINKED_MEMBERS * view->boxes << (view->packets_log + GPU_WARP_LOG);
}

/* In member `at`'s memory: the packets that member `from` sends to it through this mailbox. */
KERNEL_FN uint64_t *packets_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t from, uint32_t box) {
  return view->at[at] + ((from * view->boxes + box) << (view->packets_log + GPU_WARP_LOG));
}

/* 32-bit words after all packets. Credit: packets, of those sent to it, that `to` has taken. */
KERNEL_FN uint32_t *credit_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t to, uint32_t box) {
  return (uint32_t *)(view->at[at] + words_of_mailboxes(view)) + (to * view->boxes + box);
}
/* Packets that this member has sent to, and taken from, another one. */
KERNEL_FN uint32_t *head_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t to, uint32_t box) {
  return credit_of(view, at, LINKED_MEMBERS + to, box);
}
KERNEL_FN uint32_t *tail_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t from, uint32_t box) {
  return credit_of(view, at, 2 * LINKED_MEMBERS + from, box);
}
/* The last phase in which that member has sent all its keys. */
KERNEL_FN uint32_t *done_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t member) {
  return credit_of(view, at, 3 * LINKED_MEMBERS, 0) + member * GPU_DONE_STRIDE;
}
/* That member's published result of the last phase in which it has also received everything (publish_phase). */
KERNEL_FN uint64_t *phase_word(const struct gpu_mailbox_view *view, uint32_t at, uint32_t member) {
  return (uint64_t *)(done_of(view, at, member) + 2);
}

/* Phase number of the current level. */
KERNEL_FN uint32_t phase_of(const struct gpu_space *space, const struct level *level) {
  return space->mailboxes.phase + level->now.depth;
}

/* Parity of the ring's round in which a packet is written, as the highest bit of its words; memory is initially zero.
 */
KERNEL_FN uint64_t round_of(const struct gpu_mailbox_view *view, uint32_t packet) {
  return (uint64_t)((packet >> view->packets_log & 1) ^ 1) << 63;
}

KERNEL_FN uint32_t cell_of(const struct gpu_mailbox_view *view, uint32_t packet) {
  return (packet & ((UINT32_C(1) << view->packets_log) - 1)) << GPU_WARP_LOG;
}

/* ---- sending ---------------------------------------------------------------------------------- */

/* Number of polls for credit before a sender gives up. A receiver may lag by some iterations; beyond that it is
   considered not running, and the sender does not wait for it again until it makes progress. The tests set another
   value, because the emulated GPU polls slowly. */
#ifndef FLOE_MAILBOX_POLLS
#define FLOE_MAILBOX_POLLS 64
#endif

/* The ring is full as far as is known (`all` packets ahead); polls the credit for free space. */
KERNEL_FN bool mailbox_gets_room(const struct warp *w, uint32_t apart, uint32_t head, uint32_t all) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  uint32_t *const known = &mailboxes_of(w)->credit[apart - 1];
  const uint32_t before = *known;
  const uint32_t *const credit =
      credit_of(view, own_number(w->space), member_apart(w->space, apart), (uint32_t)warp_number());
  const uint32_t most = mailboxes_of(w)->timed_out[apart - 1] ? 1 : FLOE_MAILBOX_POLLS;
  uint32_t now = before;
  GPU_ROLLED
  for (uint32_t times = 0; times < most && head - now >= all; times++) {
    if (times)
      gpu_pause(times);
    if (w->lane == 0)
      now = gpu_load32_acquire_system(credit);
    now = gpu_shuffle(now, 0);
  }
  gpu_sync_warp(); /* all lanes have read the values written below */
  if (w->lane == 0) {
    *known = now;
    mailboxes_of(w)->timed_out[apart - 1] = head - now >= all;
  }
  gpu_sync_warp();
  return head - now < all;
}

/* Sends each lane's key to an outbox if the mailbox still has no room. Not inlined: rarely called, and it would take
   up instruction cache. */
KERNEL_FN_APART bool await_room(const struct gpu_space *space, struct level *level, struct staging *staging,
                                uint32_t apart, uint64_t key) {
  const uint32_t all = UINT32_C(1) << space->mailboxes.packets_log;
  struct warp w = {0};
  w.space = space;
  w.level = level;
  w.staging = staging;
  w.lane = gpu_thread() % GPU_WARP;
  const bool room = (uint32_t)warp_number() < space->mailboxes.boxes &&
                    mailbox_gets_room(&w, apart, mailboxes_of(&w)->head[apart - 1], all);
  if (!room)
    put_into_outbox(&w, first_linked(space) + member_apart(space, apart), ALL_LANES, &key);
  return room;
}

/* Sends one key per lane. Each lane has read its key before other lanes overwrite the source. */
KERNEL_FN void send_packet(const struct warp *w, uint32_t apart, uint64_t key) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t to = member_apart(w->space, apart), all = UINT32_C(1) << view->packets_log;
  const uint32_t head = mailboxes_of(w)->head[apart - 1];
  const bool known = (uint32_t)warp_number() < view->boxes && head - mailboxes_of(w)->credit[apart - 1] < all;
  const bool room = known || await_room(w->space, w->level, w->staging, apart, key);
  if (room) {
    uint64_t *const packets = packets_of(view, to, own_number(w->space), (uint32_t)warp_number());
    gpu_store64_system(&packets[cell_of(view, head) + w->lane], key | round_of(view, head));
  }
  gpu_sync_warp();
  if (room && w->lane == 0)
    mailboxes_of(w)->head[apart - 1] = head + 1;
  gpu_sync_warp();
}

/* ---- receiving -------------------------------------------------------------------------------- */

/* State of one pass over the mailboxes. */
struct arrival {
  uint64_t *buffers; /* successor buffers of the warp */
  uint32_t most;     /* keys that they have room for */
  uint32_t n;        /* keys in the buffers so far */
  uint32_t packets;  /* received */
  bool more;         /* packets remain that have no room in the buffers */
};

/* Takes the next packets of one mailbox, as far as they have arrived and the buffers have room, and appends them to
   the buffers. False: none remain to be taken. */
KERNEL_FN bool take_some(const struct warp *w, struct arrival *arrival, const uint64_t *packets, uint32_t *first) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  uint64_t words[PACKETS_AT_ONCE];
  bool goes_on = true;
  GPU_UNROLL
  for (uint32_t k = 0; k < PACKETS_AT_ONCE; k++)
    words[k] = gpu_load64_system(&packets[cell_of(view, *first + k) + w->lane]);
  const bool stops = gpu_load32(&w->space->control->handoff.stop) != 0; /* this load is in flight at the same time */
  GPU_UNROLL
  for (uint32_t k = 0; k < PACKETS_AT_ONCE; k++) {
    const bool here = (words[k] ^ round_of(view, *first)) >> 63 == 0;
    goes_on = goes_on && gpu_ballot(here && !stops) == ALL_LANES;
    arrival->more = arrival->more || (goes_on && arrival->n + GPU_WARP > arrival->most);
    goes_on = goes_on && !arrival->more;
    if (goes_on) {
      arrival->buffers[arrival->n + w->lane] = words[k] & ~(UINT64_C(1) << 63);
      arrival->n += GPU_WARP;
      arrival->packets++;
      ++*first;
    }
  }
  return goes_on;
}

KERNEL_FN void take_packets(const struct warp *w, struct arrival *arrival, uint32_t from, uint32_t box,
                            uint32_t *tail) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t self = own_number(w->space), before = *tail;
  const uint64_t *const packets = packets_of(view, self, from, box);
  uint32_t first = before;
  GPU_ROLLED
  while (take_some(w, arrival, packets, &first)) {
  }
  if (first == before)
    return;
  gpu_sync_warp(); /* all lanes have read the values written below */
  if (w->lane == 0) {
    *tail = first;
    if ((before ^ first) >> (view->packets_log - 1)) /* half of the ring is free again */
      gpu_store32_release_system(credit_of(view, from, self, box), first);
  }
}

/* Back-pressure: after so many consecutive passes with packets left over, a warp receives before it expands further
   states. Otherwise warps that find many successors fall further and further behind with received keys, until their
   mailboxes are full. With 4 passes there were too few packets to fill iterations of their own
   (doc/results/devices.md). The tests set another value. */
#ifndef FLOE_MAILBOX_CROWDED
#define FLOE_MAILBOX_CROWDED 64
#endif

/* Called by one lane after a pass over the mailboxes. (Small levels are distributed by iteration, none of which may
   be skipped.) */
KERNEL_FN void note_backpressure(const struct warp *w, bool more) {
  struct warp_mailboxes *const mailboxes = mailboxes_of(w);
  mailboxes->backlog = more ? mailboxes->backlog + 1 : 0;
  if (mailboxes->stage == MAILBOX_EXPANDING && mailboxes->backlog >= FLOE_MAILBOX_CROWDED && !w->level->one_round)
    mailboxes->stage = MAILBOX_CATCHING_UP;
  else if (mailboxes->stage == MAILBOX_CATCHING_UP && !more)
    mailboxes->stage = MAILBOX_EXPANDING;
}

/* Appends received keys to the n keys in the warp's buffers, which have room for `most`; returns the new number.
   Receives nothing after a stop request: the stream of keys need not end then. */
KERNEL_FN uint32_t warp_receive(const struct warp *w, uint64_t *buffers, uint32_t n, uint32_t most) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  struct arrival arrival = {buffers, most, n, 0, false};
  const uint32_t first = LINKED_MEMBERS > 2 ? mailboxes_of(w)->first_sender : 1;
  gpu_sync_warp(); /* other lanes have read the buffers */
  GPU_ROLLED
  for (uint32_t box = (uint32_t)warp_number(); box < view->boxes; box += (uint32_t)warp_count()) {
    uint32_t apart = first;
    GPU_ROLLED
    for (uint32_t i = 1; i < LINKED_MEMBERS && !arrival.more; i++) {
      const uint32_t from = member_apart(w->space, apart);
      uint32_t *const tail = box == (uint32_t)warp_number() ? &mailboxes_of(w)->tail[apart - 1]
                                                            : tail_of(view, own_number(w->space), from, box);
      take_packets(w, &arrival, from, box, tail);
      apart = apart + 1 < LINKED_MEMBERS ? apart + 1 : 1;
    }
  }
  if (w->lane == 0) {
    mailboxes_of(w)->first_sender = first + 1 < LINKED_MEMBERS ? first + 1 : 1;
    mailboxes_of(w)->taken = arrival.packets;
    note_backpressure(w, arrival.more);
    mailboxes_of(w)->received += arrival.packets;
  }
  gpu_sync_warp(); /* other lanes read the buffers */
  return arrival.n;
}

/* ---- the end of a phase ----------------------------------------------------------------------- */

KERNEL_FN void mailbox_begin(struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t apart = w->lane, self = own_number(w->space);
  if (apart == 0) {
    mailboxes_of(w)->received = mailboxes_of(w)->backlog = mailboxes_of(w)->fetches = 0;
    mailboxes_of(w)->first_sender = 1;
  }
  if (apart == 0 || apart >= LINKED_MEMBERS)
    return;
  const uint32_t to = member_apart(w->space, apart);
  const bool has_box = (uint32_t)warp_number() < view->boxes;
  mailboxes_of(w)->count[apart - 1] = mailboxes_of(w)->timed_out[apart - 1] = 0;
  mailboxes_of(w)->head[apart - 1] = has_box ? *head_of(view, self, to, (uint32_t)warp_number()) : 0;
  mailboxes_of(w)->credit[apart - 1] =
      mailboxes_of(w)->head[apart - 1] - (UINT32_C(1) << view->packets_log); /* forces a look at the credit */
  mailboxes_of(w)->tail[apart - 1] = has_box ? *tail_of(view, self, to, (uint32_t)warp_number()) : 0;
}

/* Adds the counts of packets sent and taken; the next launch continues from the stored positions. */
KERNEL_FN void mailbox_end(struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t apart = w->lane, self = own_number(w->space);
  if (apart == 0 && mailboxes_of(w)->received)
    gpu_add64(&w->space->control->mailbox.received, mailboxes_of(w)->received);
  if (apart == 0 || apart >= LINKED_MEMBERS || (uint32_t)warp_number() >= view->boxes)
    return;
  const uint32_t to = member_apart(w->space, apart);
  uint32_t *const head = head_of(view, self, to, (uint32_t)warp_number());
  *tail_of(view, self, to, (uint32_t)warp_number()) = mailboxes_of(w)->tail[apart - 1];
  if (mailboxes_of(w)->head[apart - 1] == *head)
    return;
  gpu_add64(&w->space->control->mailbox.packets, (uint32_t)(mailboxes_of(w)->head[apart - 1] - *head));
  *head = mailboxes_of(w)->head[apart - 1];
}

/* This warp sends nothing more in this level. The last warp of the device notifies the other members, if no states
   are left. `arrived`: the block's counter, initially 0. */
KERNEL_FN void mailbox_arrive(const struct warp *w, uint32_t *arrived) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  struct gpu_control *const control = w->space->control;
  gpu_sync_warp();
  if (w->lane != 0)
    return;
  gpu_fence_system();
  if (gpu_add32(arrived, 1) % GPU_WARPS != GPU_WARPS - 1)
    return;
  gpu_fence_system();
  if (gpu_add32(&control->handoff.flushed_blocks, 1) != gpu_blocks() - 1)
    return;
  gpu_fence_system();
  gpu_store32(&control->handoff.flushed_blocks, 0);
  if (!view->closes_phase || gpu_load32(&control->handoff.stop))
    return;
  for (uint32_t to = 0; to < LINKED_MEMBERS; to++)
    if (to != own_number(w->space))
      gpu_store32_release_system(done_of(view, to, own_number(w->space)), phase_of(w->space, w->level));
}

/* Whether all other linked members have sent all their keys. */
KERNEL_FN bool mailbox_all_done(const struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  bool done = true;
  if (w->lane < LINKED_MEMBERS && w->lane != own_number(w->space))
    done = gpu_load32_acquire_system(done_of(view, own_number(w->space), w->lane)) == phase_of(w->space, w->level);
  return gpu_ballot(done) == ALL_LANES;
}

KERNEL_FN void set_stage(const struct warp *w, enum mailbox_stage stage) {
  gpu_sync_warp(); /* all lanes have read it */
  if (w->lane == 0)
    mailboxes_of(w)->stage = stage;
  gpu_sync_warp();
}

/* Called before each pass over the mailboxes without own states. */
KERNEL_FN void mailbox_wait(const struct warp *w, uint32_t times) {
  const enum mailbox_stage stage = (enum mailbox_stage)mailboxes_of(w)->stage;
  if (stage == MAILBOX_CATCHING_UP)
    return;
  const bool stops = gpu_shuffle(gpu_load32(&w->space->control->handoff.stop), 0) != 0;
  const uint32_t taken = mailboxes_of(w)->taken;
  if (!w->space->mailboxes.closes_phase || stops || (stage == MAILBOX_ALL_SENT && taken == 0)) {
    set_stage(w, MAILBOX_OVER);
    return;
  }
  if (taken == 0)
    gpu_pause(times);
  set_stage(w, mailbox_all_done(w) ? MAILBOX_ALL_SENT : MAILBOX_SENT);
}

/* ---- results of a phase ----------------------------------------------------------------------- */

/* The result of a phase is one word, written once and never retracted, so all members reach the same decision
   whenever they read it: the phase, whether the host must act, and the number of own states in the next level. */
enum { PHASE_SHIFT = 32, PHASE_HOST = 31 };
#define PHASE_STATES (UINT32_C(0x7fffffff))

KERNEL_FN void publish_phase(const struct gpu_space *space, uint32_t phase, bool host, uint32_t states) {
  const uint64_t word = (uint64_t)phase << PHASE_SHIFT | (uint64_t)host << PHASE_HOST | states;
  GPU_ROLLED
  for (uint32_t to = 0; to < LINKED_MEMBERS; to++)
    gpu_store64_release_system(phase_word(&space->mailboxes, to, own_number(space)), word);
}

struct phase_results {
  uint64_t states;       /* of all members, in the next level */
  bool all;              /* all members have published */
  bool host;             /* some member's host must act */
  uint32_t without_host; /* mask of the members that have published, and whose hosts need not act */
};

KERNEL_FN void read_phases(const struct gpu_space *space, uint32_t phase, struct phase_results *out) {
  out->states = 0;
  out->all = true;
  out->host = false;
  out->without_host = 0;
  GPU_ROLLED
  for (uint32_t from = 0; from < LINKED_MEMBERS; from++) {
    const uint64_t word = gpu_load64_acquire_system(phase_word(&space->mailboxes, own_number(space), from));
    const bool says = word >> PHASE_SHIFT == phase, host = word >> PHASE_HOST & 1;
    out->all = out->all && says;
    out->host = out->host || (says && host);
    out->without_host |= (uint32_t)(says && !host) << from;
    out->states += (uint32_t)word & PHASE_STATES;
  }
}
#else
enum { LINKED_MEMBERS = 0, PACKETS_AT_ONCE = 1 };
#endif

#endif
