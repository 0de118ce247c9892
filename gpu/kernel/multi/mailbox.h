/* Keys on their way from device to device while all explore. Each warp has a mailbox at every other member for what it
   sends there, in the other's memory, which only the warp of the same number there empties: neither needs an atomic.
   A mailbox is a ring of packets of 32 keys. The highest bit of each word says in which round it was written, so that
   data need no flag and no order (FastForward, Giacomoni et al., PPoPP 2008; credits instead of empty cells). Who sends
   knows from the credits that come back where there is room; where there is none for a while, or who empties it is not
   at work, a packet goes to an outbox: nobody waits for a mailbox without end, so nothing can wait in a circle.

   Only members whose devices reach each other's memory have mailboxes: they are next to each other in the group, which
   may have more (FLOE_ELSEWHERE), to whom all goes by outboxes. Here a member is meant by its number among the linked
   ones, or by that from this one on, round the circle: 0 is this one, `apart` another one. */
#ifndef FLOE_GPU_MAILBOX_H
#define FLOE_GPU_MAILBOX_H

#include "gpu/kernel/multi/outbox.h"

#ifdef FLOE_LINKED
enum {
  LINKED_MEMBERS = FLOE_LINKED,
  LINKED_OTHERS = FLOE_LINKED - 1,
  PACKETS_AT_ONCE = 2 /* loads under way: each takes as long as a look at the table */
};

/* What a warp is at in a level. */
enum mail_stage {
  MAIL_EXPANDS,    /* there may be more states for it */
  MAIL_CATCHES_UP, /* which wait until it has taken what has come */
  MAIL_EXPANDED,   /* in the turn with the last ones: what does not fill a packet is sent, too */
  MAIL_SENT,
  MAIL_ALL_DONE, /* all devices have */
  MAIL_OVER      /* what others send in this phase is all here, or a stop is asked for */
};

/* A warp's, in shared memory; of the member `apart` from this one at [apart - 1]. */
struct postbag {
  uint64_t keys[LINKED_OTHERS][GPU_WARP]; /* that do not fill a packet yet */
  uint32_t count[LINKED_OTHERS];
  uint32_t head[LINKED_OTHERS], credit[LINKED_OTHERS]; /* packets sent; taken there, as far as is known */
  uint32_t tail[LINKED_OTHERS];                        /* packets taken here */
  uint32_t gave_up[LINKED_OTHERS];                     /* there was no room in time: 1, until there is */
  uint32_t received;                                   /* packets, from all, in this launch */
  uint32_t taken;                                      /* packets, at the last look at the mailboxes */
  uint32_t crowded;                                    /* looks, of late, after which there was more */
  uint32_t takes;                                      /* times it took states together with others */
  uint32_t first_from;                                 /* whose mailboxes came first then: each has its turn */
  uint32_t stage;                                      /* enum mail_stage */
};

/* It lies behind what the warp holds, so that it costs no register while states are expanded. */
struct held_and_bag {
  struct held held;
  struct postbag bag;
};

KERNEL_FN struct postbag *bag_of(const struct warp *w) { return &((struct held_and_bag *)w->held)->bag; }

/* ---- who and where they are ------------------------------------------------------------------- */

/* Of the group's members the first that is linked. */
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

/* Words of all mailboxes of a member: fewer than 2^31, so that numbers of words have 32 bits. */
KERNEL_FN uint32_t words_of_mailboxes(const struct gpu_mailbox_view *view) {
  return LINKED_MEMBERS * view->boxes << (view->packets_log + GPU_WARP_LOG);
}

/* In the memory of one member: the packets that another one sends to it by this mailbox. */
KERNEL_FN uint64_t *packets_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t from, uint32_t box) {
  return view->at[at] + ((from * view->boxes + box) << (view->packets_log + GPU_WARP_LOG));
}

/* After all packets: numbers of 32 bits. Credits: packets that `to` has taken of those that were sent to it. */
KERNEL_FN uint32_t *credit_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t to, uint32_t box) {
  return (uint32_t *)(view->at[at] + words_of_mailboxes(view)) + (to * view->boxes + box);
}
/* Packets that this member sent to, and took from, another one. */
KERNEL_FN uint32_t *head_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t to, uint32_t box) {
  return credit_of(view, at, LINKED_MEMBERS + to, box);
}
KERNEL_FN uint32_t *tail_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t from, uint32_t box) {
  return credit_of(view, at, 2 * LINKED_MEMBERS + from, box);
}
/* The last phase in which that member has sent all. */
KERNEL_FN uint32_t *done_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t member) {
  return credit_of(view, at, 3 * LINKED_MEMBERS, 0) + member * GPU_DONE_STRIDE;
}
/* What it says of the last phase in which it has received all, too (say_to_all). */
KERNEL_FN uint64_t *said_of(const struct gpu_mailbox_view *view, uint32_t at, uint32_t member) {
  return (uint64_t *)(done_of(view, at, member) + 2);
}

/* That of the level in work. */
KERNEL_FN uint32_t phase_of(const struct gpu_space *space, const struct level *level) {
  return space->mailboxes.phase + level->now.depth;
}

/* The round that a packet is written in, as the highest bit of its words; memory is zero at first. */
KERNEL_FN uint64_t round_of(const struct gpu_mailbox_view *view, uint32_t packet) {
  return (uint64_t)((packet >> view->packets_log & 1) ^ 1) << 63;
}

KERNEL_FN uint32_t cell_of(const struct gpu_mailbox_view *view, uint32_t packet) {
  return (packet & ((UINT32_C(1) << view->packets_log) - 1)) << GPU_WARP_LOG;
}

/* ---- sending ---------------------------------------------------------------------------------- */

/* Who empties it may be late by some turns; then he is not at work, and is not waited for again until he is seen to
   be: times that the credit is looked up. The tests set another, as a look takes the imitated GPU long. */
#ifndef FLOE_MAIL_PATIENCE
#define FLOE_MAIL_PATIENCE 64
#endif

/* A packet is `all` ahead of the last one that was taken: looks whether that is so yet. */
KERNEL_FN bool mailbox_gets_room(const struct warp *w, uint32_t apart, uint32_t head, uint32_t all) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  uint32_t *const known = &bag_of(w)->credit[apart - 1];
  const uint32_t before = *known;
  const uint32_t *const credit =
      credit_of(view, own_number(w->space), member_apart(w->space, apart), (uint32_t)warp_number());
  const uint32_t most = bag_of(w)->gave_up[apart - 1] ? 1 : FLOE_MAIL_PATIENCE;
  uint32_t now = before;
  GPU_ROLLED
  for (uint32_t times = 0; times < most && head - now >= all; times++) {
    if (times)
      gpu_pause(times);
    if (w->lane == 0)
      now = gpu_load32_acquire_system(credit);
    now = gpu_shuffle(now, 0);
  }
  gpu_sync_warp(); /* all lanes have read what is written now */
  if (w->lane == 0) {
    *known = now;
    bag_of(w)->gave_up[apart - 1] = head - now >= all;
  }
  gpu_sync_warp();
  return head - now < all;
}

/* The key of each lane goes to an outbox, if there is no room for it in the mailbox even now. Apart, as that is seldom,
   and would take room in the cache of instructions. */
KERNEL_FN_APART bool finds_room(const struct gpu_space *space, struct level *level, struct held *held, uint32_t apart,
                                uint64_t key) {
  const uint32_t all = UINT32_C(1) << space->mailboxes.packets_log;
  struct warp w = {0};
  w.space = space;
  w.level = level;
  w.held = held;
  w.lane = gpu_thread() % GPU_WARP;
  const bool room =
      (uint32_t)warp_number() < space->mailboxes.boxes && mailbox_gets_room(&w, apart, bag_of(&w)->head[apart - 1], all);
  if (!room)
    put_into_outbox(&w, first_linked(space) + member_apart(space, apart), ALL_LANES, &key);
  return room;
}

/* A key of each lane, which has read it from wherever other lanes write next. */
KERNEL_FN void send_packet(const struct warp *w, uint32_t apart, uint64_t key) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t to = member_apart(w->space, apart), all = UINT32_C(1) << view->packets_log;
  const uint32_t head = bag_of(w)->head[apart - 1];
  const bool known = (uint32_t)warp_number() < view->boxes && head - bag_of(w)->credit[apart - 1] < all;
  const bool room = known || finds_room(w->space, w->level, w->held, apart, key);
  if (room) {
    uint64_t *const packets = packets_of(view, to, own_number(w->space), (uint32_t)warp_number());
    gpu_store64_system(&packets[cell_of(view, head) + w->lane], key | round_of(view, head));
  }
  gpu_sync_warp();
  if (room && w->lane == 0)
    bag_of(w)->head[apart - 1] = head + 1;
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

/* The next packets of one mailbox, as many as lie there and the columns have room for, behind what is there; false:
   that is all. */
KERNEL_FN bool take_some(const struct warp *w, struct arrival *arrival, const uint64_t *packets, uint32_t *first) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  uint64_t words[PACKETS_AT_ONCE];
  bool goes_on = true;
  GPU_UNROLL
  for (uint32_t k = 0; k < PACKETS_AT_ONCE; k++)
    words[k] = gpu_load64_system(&packets[cell_of(view, *first + k) + w->lane]);
  const bool stops = gpu_load32(&w->space->control->handoff.stop) != 0; /* under way at the same time */
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

KERNEL_FN void take_packets(const struct warp *w, struct arrival *arrival, uint32_t from, uint32_t box, uint32_t *tail) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t self = own_number(w->space), before = *tail;
  const uint64_t *const packets = packets_of(view, self, from, box);
  uint32_t first = before;
  GPU_ROLLED
  while (take_some(w, arrival, packets, &first)) {
  }
  if (first == before)
    return;
  gpu_sync_warp(); /* all lanes have read what is written now */
  if (w->lane == 0) {
    *tail = first;
    if ((before ^ first) >> (view->packets_log - 1)) /* half of it is free again */
      gpu_store32_release_system(credit_of(view, from, self, box), first);
  }
}

/* Looks at the mailboxes one after the other for which the columns had no room for all, until what has come is taken
   first. Else warps that find much by themselves are ever further behind with what others find for them, until their
   mailboxes are full. With 4 looks there was too little in them for turns of its own (doc/results/devices.md). The
   tests set another. */
#ifndef FLOE_MAIL_CROWDED
#define FLOE_MAIL_CROWDED 64
#endif

/* One lane's, after a look at the mailboxes. (Small levels are dealt out by turns, none of which may be left out.) */
KERNEL_FN void note_crowd(const struct warp *w, bool more) {
  struct postbag *const bag = bag_of(w);
  bag->crowded = more ? bag->crowded + 1 : 0;
  if (bag->stage == MAIL_EXPANDS && bag->crowded >= FLOE_MAIL_CROWDED && !w->level->whole)
    bag->stage = MAIL_CATCHES_UP;
  else if (bag->stage == MAIL_CATCHES_UP && !more)
    bag->stage = MAIL_EXPANDS;
}

/* Adds what has come to the n keys in the warp's columns, which have room for `most`; returns how many there are then.
   Nothing, once a stop is asked for: what is on its way then has no end. */
KERNEL_FN uint32_t warp_receive(const struct warp *w, uint64_t *columns, uint32_t n, uint32_t most) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  struct arrival arrival = {columns, most, n, 0, false};
  const uint32_t first = LINKED_MEMBERS > 2 ? bag_of(w)->first_from : 1;
  gpu_sync_warp(); /* other lanes have read the columns */
  GPU_ROLLED
  for (uint32_t box = (uint32_t)warp_number(); box < view->boxes; box += (uint32_t)warp_count()) {
    uint32_t apart = first;
    GPU_ROLLED
    for (uint32_t i = 1; i < LINKED_MEMBERS && !arrival.more; i++) {
      const uint32_t from = member_apart(w->space, apart);
      uint32_t *const tail =
          box == (uint32_t)warp_number() ? &bag_of(w)->tail[apart - 1] : tail_of(view, own_number(w->space), from, box);
      take_packets(w, &arrival, from, box, tail);
      apart = apart + 1 < LINKED_MEMBERS ? apart + 1 : 1;
    }
  }
  if (w->lane == 0) {
    bag_of(w)->first_from = first + 1 < LINKED_MEMBERS ? first + 1 : 1;
    bag_of(w)->taken = arrival.packets;
    note_crowd(w, arrival.more);
    bag_of(w)->received += arrival.packets;
  }
  gpu_sync_warp(); /* other lanes read the columns */
  return arrival.n;
}

/* ---- the end of a phase ----------------------------------------------------------------------- */

KERNEL_FN void mailbox_begin(struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t apart = w->lane, self = own_number(w->space);
  if (apart == 0) {
    bag_of(w)->received = bag_of(w)->crowded = bag_of(w)->takes = 0;
    bag_of(w)->first_from = 1;
  }
  if (apart == 0 || apart >= LINKED_MEMBERS)
    return;
  const uint32_t to = member_apart(w->space, apart);
  const bool has_box = (uint32_t)warp_number() < view->boxes;
  bag_of(w)->count[apart - 1] = bag_of(w)->gave_up[apart - 1] = 0;
  bag_of(w)->head[apart - 1] = has_box ? *head_of(view, self, to, (uint32_t)warp_number()) : 0;
  bag_of(w)->credit[apart - 1] = bag_of(w)->head[apart - 1] - (UINT32_C(1) << view->packets_log); /* to be looked up */
  bag_of(w)->tail[apart - 1] = has_box ? *tail_of(view, self, to, (uint32_t)warp_number()) : 0;
}

/* All that is sent and taken is counted, and goes on where it was in the next launch. */
KERNEL_FN void mailbox_end(struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  const uint32_t apart = w->lane, self = own_number(w->space);
  if (apart == 0 && bag_of(w)->received)
    gpu_add64(&w->space->control->mailbox.received, bag_of(w)->received);
  if (apart == 0 || apart >= LINKED_MEMBERS || (uint32_t)warp_number() >= view->boxes)
    return;
  const uint32_t to = member_apart(w->space, apart);
  uint32_t *const head = head_of(view, self, to, (uint32_t)warp_number());
  *tail_of(view, self, to, (uint32_t)warp_number()) = bag_of(w)->tail[apart - 1];
  if (bag_of(w)->head[apart - 1] == *head)
    return;
  gpu_add64(&w->space->control->mailbox.packets, (uint32_t)(bag_of(w)->head[apart - 1] - *head));
  *head = bag_of(w)->head[apart - 1];
}

/* This warp sends nothing more in this level. The last one of the device tells the others, if it has no states left.
   `arrived`: the block's, 0 at first. */
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

/* All other linked members have sent all. */
KERNEL_FN bool mailbox_all_done(const struct warp *w) {
  const struct gpu_mailbox_view *const view = &w->space->mailboxes;
  bool done = true;
  if (w->lane < LINKED_MEMBERS && w->lane != own_number(w->space))
    done = gpu_load32_acquire_system(done_of(view, own_number(w->space), w->lane)) == phase_of(w->space, w->level);
  return gpu_ballot(done) == ALL_LANES;
}

KERNEL_FN void set_stage(const struct warp *w, enum mail_stage stage) {
  gpu_sync_warp(); /* all lanes have read it */
  if (w->lane == 0)
    bag_of(w)->stage = stage;
  gpu_sync_warp();
}

/* Before a look at the mailboxes without states of its own. */
KERNEL_FN void mailbox_wait(const struct warp *w, uint32_t times) {
  const enum mail_stage stage = (enum mail_stage)bag_of(w)->stage;
  if (stage == MAIL_CATCHES_UP)
    return;
  const bool stops = gpu_shuffle(gpu_load32(&w->space->control->handoff.stop), 0) != 0;
  const uint32_t taken = bag_of(w)->taken;
  if (!w->space->mailboxes.closes_phase || stops || (stage == MAIL_ALL_DONE && taken == 0)) {
    set_stage(w, MAIL_OVER);
    return;
  }
  if (taken == 0)
    gpu_pause(times);
  set_stage(w, mailbox_all_done(w) ? MAIL_ALL_DONE : MAIL_SENT);
}

/* ---- what members say of a phase -------------------------------------------------------------- */

/* One word, once, and never taken back, so that all come to the same, whenever they hear it: the phase, whether the
   host has something to do, and the states of its own that the next level has. */
enum { SAID_PHASE = 32, SAID_HOST = 31 };
#define SAID_STATES (UINT32_C(0x7fffffff))

KERNEL_FN void say_to_all(const struct gpu_space *space, uint32_t phase, bool host, uint32_t states) {
  const uint64_t word = (uint64_t)phase << SAID_PHASE | (uint64_t)host << SAID_HOST | states;
  GPU_ROLLED
  for (uint32_t to = 0; to < LINKED_MEMBERS; to++)
    gpu_store64_release_system(said_of(&space->mailboxes, to, own_number(space)), word);
}

struct heard {
  uint64_t states; /* of all, in the next level */
  bool all;        /* have said it */
  bool host;       /* somebody's host has something to do */
};

KERNEL_FN void hear_all(const struct gpu_space *space, uint32_t phase, struct heard *out) {
  out->states = 0;
  out->all = true;
  out->host = false;
  GPU_ROLLED
  for (uint32_t from = 0; from < LINKED_MEMBERS; from++) {
    const uint64_t word = gpu_load64_acquire_system(said_of(&space->mailboxes, own_number(space), from));
    const bool says = word >> SAID_PHASE == phase;
    out->all = out->all && says;
    out->host = out->host || (says && word >> SAID_HOST & 1);
    out->states += (uint32_t)word & SAID_STATES;
  }
}
#else
enum { LINKED_MEMBERS = 0, PACKETS_AT_ONCE = 1 };
#endif

#endif
