/* What the host and the kernels of the GPU engine exchange, and the kernels' entry points. Text shared by host C and
   CUDA C: fixed-width types only. The host includes it after "tables/kernel/iceberg.h".

   Every kernel is launched with blocks of GPU_BLOCK threads in one dimension and no dynamic shared memory. A visited
   set is what table_place gives: VISITED is struct iceberg or struct linear, by the scheme of the module's
   configuration.

   __global__ void floe_explore(VISITED table, struct gpu_space space)
     Expands states level by level from where `space.control` stands, until something of GPU_LEFT_* happens; then
     control->left says what. Cooperative launch: all blocks must be resident. No key, state or count is lost at any
     end: the next launch goes on (after growth with another table). See struct gpu_control for before and after.

   __global__ void floe_insert(VISITED table, struct gpu_space space)
     find-or-put of the keys source[0..source_count): the initial state, or keys that found no place in the table
     before it grew. New ones are appended at next_end and added to the checksum; keys without a place go to `pending`
     (which must not be `source`; the host swaps two arrays). Does not look at stop limits: the host leaves room in
     the ring. Any grid.

   __global__ void floe_rehash(VISITED from, VISITED to, struct gpu_control *control)
     Recovers every key of `from` and puts it into `to`. control->misplaced: keys without a place in `to` (`to` is
     then to be dropped; `from` is unchanged); control->moved: keys that were put; control->repeated: keys that were
     there already, which is an error of the program. Any grid. Where the slot widths differ the module is one whose
     configuration names both geometries.

   With FLOE_MULTIWORD:
   __global__ void floe_name(struct gpu_space space)
     The roots of the states unnamed[0..source_count) to `source`; control->unnamed_count: those that found a table
     full, of which there is none. To be launched again, with larger tables, until there are no such. Any grid.
   __global__ void floe_tree_put(struct tree_table table, uint64_t n)
     Numbers [0, n) with their contents into slots that are empty. Any grid.

   One of several members of a group (FLOE_MEMBERS; gpu/multi/member.c): floe_explore looks up those successors that this
   member has (step/kernel/state_owner.h), and leaves the others in outboxes, one for each member; with FLOE_LINKED it sends
   them to mailboxes, looks up what it finds in its own, and leaves in outboxes what finds no room there. The host sets
   one_part: with mail.awaits no level is closed then but by all members together.
   __global__ void floe_receive(VISITED table, struct gpu_space space)
     As floe_insert, for many keys: those that other members have sent. Not with FLOE_MULTIWORD. Any grid.

   For checkpoints, in modules of their own (gpu/kernel/explore/key_transfer.h); any grid:
   __global__ void floe_export(VISITED from, uint64_t first, uint64_t n, uint64_t *keys, uint32_t *counts)
     The keys in slots [first, first + n) of all levels, in order: of each GPU_STRIP slots, number i of them, those from
     keys[i * GPU_STRIP] on, counts[i] of them. Beyond the table's slots there are none.
   __global__ void floe_load(VISITED to, const uint64_t *keys, uint64_t n, struct gpu_control *control)
     Puts keys; control->moved, misplaced and repeated as floe_rehash.

   A visited set of two levels (FLOE_TWO_LEVELS; gpu/engine/host_backed_set.h): floe_explore's table is the part of the newest keys,
   and what it counts with next_end, from 0 on, and puts into `found` are candidates: keys that were not there. It
   closes no level (the host sets one_part), adds nothing to the checksum, and GPU_LEFT_QUEUE says that `found` is full.
   Then, in a module of the table of the oldest keys, any grid:
   __global__ void floe_ask(VISITED oldest, struct gpu_host_lookup asking)
   __global__ void floe_bin(struct gpu_host_lookup asking)
   __global__ void floe_host_lookup_apply(struct gpu_sifting sifting)
     Those answered as new are appended to the ring at control->next_end, and added to the checksum.

   Tables alone, in modules of their own (any grid); operation and answers as in table_run (tables/table.h), the table is
   the scheme's struct; which operations there are the scheme's text says:
   __global__ void floe_table_<operation>(TABLE table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers)

   A table's memory is zero when empty. Of iceberg tables it is in the layout of table_offsets(), with at most 2^32 - 1
   buckets at levels 1 and 2 (gpu_table_fits). */
#ifndef FLOE_GPU_CONTROL_H
#define FLOE_GPU_CONTROL_H

#include "tree/kernel/tree_table.h"

enum {
  GPU_WARP_LOG = 5,
  GPU_WARP = 1 << GPU_WARP_LOG,
  GPU_WARPS_LOG = 3,
  GPU_WARPS = 1 << GPU_WARPS_LOG, /* of a block */
  GPU_BLOCK = GPU_WARPS * GPU_WARP,
  GPU_PROPERTIES = 64,
  GPU_WARP_HOLDS = 5 * GPU_WARP, /* most keys that a warp holds back between two states (bitmaps: else 3 times 32) */
  GPU_TICKET_TURNS = 2,          /* most times 32 states that a warp takes with one ticket */
  GPU_STRIP = 1024,              /* slots that a warp exports together */
  GPU_WORDS_IN_REGISTERS = 8,    /* of a state; loops over more are not unrolled */
  GPU_TREE_NEAR = 14,            /* tables of a tree that are a parameter of the kernels: of 8 words */
  GPU_OUTBOX_PARTS = 16,         /* most */
  GPU_OUTBOX_APART = 16,         /* words from one outbox's count to the next */
  GPU_LATELY_BITS = 18,          /* 2 MiB, in the second-level cache */
  GPU_MOST_LINKED = 8, /* devices that have mailboxes for each other: each takes shared memory of every block */
  GPU_MOST_TAKEN = 8,  /* packets that a warp takes at once */
  GPU_DONE_APART = 32, /* numbers of 32 bits from one to the next that another device writes */
  GPU_LEAST_DEALT = 1  /* a warp takes no fewer states of a small level */
};

/* control->left. The first group may come within a level: then states of the current part remain, or there are
   pending keys, or (by chance) the level was just done; in any case launching again goes on. */
enum {
  GPU_LEFT_GROW = 1,   /* states >= grow_at */
  GPU_LEFT_FULL = 2,   /* pending keys: enlarge the table, floe_insert them, go on */
  GPU_LEFT_QUEUE = 4,  /* the ring has no room for what one more round may find: take states out of it */
  GPU_LEFT_TIME = 8,   /* the time slice is over */
  GPU_LEFT_LOG = 16,   /* the log is nearly full: take it out, set log_count to 0 */
  GPU_LEFT_NAMES = 32, /* unnamed states: enlarge the tree's tables, floe_name and floe_insert them, go on */
  GPU_LEFT_SENT = 64,  /* FLOE_MEMBERS: an outbox is full: empty them */
  /* At the end of a level (it is closed: `current` is the new level, its size the last of level_states): */
  GPU_LEFT_TRIGGERED = 256, /* `triggered` has bits of `wanted` */
  GPU_LEFT_DEPTH = 512,     /* depth == depth_limit */
  GPU_LEFT_STATES = 1024,   /* states > max_states */
  GPU_LEFT_LEVELS = 2048,   /* level_states has no room for another one */
  GPU_LEFT_EMPTY = 4096,    /* the new level has no states: the search is complete (no entry in level_states) */
  /* one_part: all states of [current, current_end) are expanded; the level is not closed, depth is as before */
  GPU_LEFT_PART = 8192
};

/* The level in work and its limits. Positions are those of states in the ring since the beginning. */
#define GPU_LEVEL_FIELDS                                                                                               \
  /* Set by the host, moved on by the kernel when it closes a level */                                                 \
  uint64_t current, current_end; /* states of this level still to be expanded */                                       \
  uint64_t next;                                                                                                       \
  uint64_t states_before; /* all states found so far = states_before + (next_end - next) */                            \
  uint32_t depth;         /* of the level in work */                                                                   \
  uint32_t level_count;   /* entries of level_states in use */                                                         \
  /* Set by the host before each launch */                                                                             \
  uint64_t grow_at;     /* UINT64_MAX: never */                                                                        \
  uint64_t max_states;  /* UINT64_MAX: no bound */                                                                     \
  uint64_t slack;       /* gpu_slack() of this launch */                                                               \
  uint64_t slice;       /* nanoseconds; UINT64_MAX: no end */                                                          \
  uint64_t wanted;      /* mask of properties to evaluate */                                                           \
  uint64_t errors_only; /* and of those that do not trigger, but ERRORS when evaluation fails */                       \
  uint32_t depth_limit;                                                                                                \
  uint32_t one_part;        /* leave at the end of the part, do not close the level */                                 \
  uint32_t properties_only; /* evaluate properties, generate nothing (depth bound); one_part */                        \
  /* Set by the kernel */                                                                                              \
  uint32_t left;      /* GPU_LEFT_*, of this launch */                                                                 \
  uint64_t triggered; /* properties of `wanted` that triggered since the host cleared it */

struct gpu_level {
  GPU_LEVEL_FIELDS
};
enum { GPU_LEVEL_WORDS = sizeof(struct gpu_level) / sizeof(uint64_t) }; /* less than 16 */

/* In device memory; the host writes it before a launch and reads it after. Sums go on from launch to launch; the host
   may read and clear them at any time between. Positions are those of states in the ring since the beginning:
   the state at position p is ring[p & ring_mask]. Invariant: current <= current_end <= next <= next_end. */
struct gpu_control {
  /* Written by all warps, each on a line of its own */
  uint64_t ticket; /* kernel's own: next state to be taken. The host need not set it */
  uint64_t apart0[15];
  uint64_t next_end; /* the next level so far: [next, next_end) */
  uint64_t apart1[15];
  uint32_t arrived; /* kernel's own: barrier. 0 at creation */
  uint32_t apart2[31];
  uint32_t generation; /* the same */
  uint32_t apart3[31];
  uint64_t pending_count; /* keys in `pending` */
  uint64_t apart4[15];
  uint64_t log_count; /* keys in `log` */
  uint64_t apart5[15];
  uint64_t unnamed_count; /* states in `unnamed` */
  uint64_t apart7[15];

  /* Kernel's own: the level and its next_end as one block hands them to all, a line read by a warp at once. The one
     after a barrier has the number of its generation modulo 2: a block that is slow to read it is never overtaken, as
     the next barrier waits for it before the one after writes there again */
  uint64_t handed[2][16];
  uint64_t resume;  /* kernel's own: where the level goes on after a stop */
  uint32_t stop;    /* kernel's own: what warps want to stop for. `left` is decided on between levels */
  uint32_t flushed; /* kernel's own, FLOE_LINKED: blocks that send nothing more. 0 at creation */

  /* FLOE_LINKED: levels that all members close by themselves (gpu/kernel/explore/levels.h) */
  uint64_t all_states;   /* of all members, up to the level in work. The host sets it, the kernel moves it on; where it
                            is too large, hosts close the level that seems to end the search */
  uint64_t failed_known; /* the host: properties of `failed` that all hosts know of */
  uint32_t cut_known;    /* the host: all know of a cut_depth */
  uint32_t asks_host;    /* the host: the level in work, and those after it, are for hosts to close */
  uint32_t closes_only;  /* the host: expand nothing, but close the level, if the others have */
  uint32_t said;         /* kernel's own: the last phase of which it has told the others what it found. 0 at creation */

  GPU_LEVEL_FIELDS

  /* Set by the kernel */
  uint64_t transitions, deadlocks, checksum; /* sums */
  uint64_t max_out_degree;                   /* a maximum */
  uint64_t failed;                           /* properties whose evaluation failed in some state so far */
  uint32_t cut_depth; /* of the first state in which a firing failed; the host sets UINT32_MAX at the beginning */
  uint32_t broken;    /* keys by rank: some successor has none. The host ends the search; 0 at the beginning */
  uint64_t least[GPU_PROPERTIES]; /* least states of `triggered`; the host sets all to UINT64_MAX when it clears that */
  uint64_t moved, misplaced, repeated;  /* floe_rehash: sums */
  uint64_t packets, received, left_out; /* FLOE_LINKED: sums of packets put into mailboxes and taken out of them, and of
                                           states in outboxes (not with FLOE_ELSEWHERE) */
  uint32_t from_low_bits, low_bits;     /* the same: of keys that stand for roots, before and after */
};

/* FLOE_MEMBERS: states of other members, found and not looked up. Member m's are in `parts` outboxes, from number
   m * parts on; each block writes to one of them, as one address takes some 0.4 G atomics a second.
 */
struct gpu_outboxes {
  uint64_t *states;    /* state i of outbox b is number b * room + i, of FLOE_MULTIWORD words, where that is set */
  uint64_t *counts;    /* of outbox b: counts[GPU_OUTBOX_APART * b]; the host sets all to 0 */
  uint64_t room, full; /* states; floe_explore leaves when an outbox has `full`, and may add the gpu_slack of the blocks
                          that write to it */
  uint64_t *lately; /* [1 << GPU_LATELY_BITS] keys that were sent, each where its hash has it: zeros at the beginning,
                       but for the first, which is 1 (engine/cpu/duplicate_filter.h) */
  uint64_t owner_mask_bits;   /* states of one word: the bits that say whose a state is (engine/distributed/state_owner.h) */
  const uint64_t *owner_mask; /* [FLOE_MULTIWORD] the same of others */
  uint32_t member, members;
  uint32_t parts; /* a power of two */
};

/* FLOE_LINKED: so many members are devices that reach each other's memory (gpu/kernel/multi/mailbox.h), from number `first`
   on; FLOE_ELSEWHERE: there are others. Number m of them has
     uint64_t packets[FLOE_LINKED][boxes][1 << packets_log][GPU_WARP]
     uint32_t credits[FLOE_LINKED][boxes], heads[FLOE_LINKED][boxes], tails[FLOE_LINKED][boxes]
     uint32_t done[FLOE_LINKED][GPU_DONE_APART], of which words 2 and 3 are what is said of a phase
   at at[m], zeros at first. */
struct gpu_mail {
  uint64_t *at[GPU_MOST_LINKED];
  uint32_t boxes; /* at each member for each other one; 0: there are none, all goes to outboxes */
  uint32_t packets_log;
  uint32_t in_step; /* warps of a block that begin to fire together (gpu/kernel/explore/explore.h): a power of two */
  uint32_t phase;   /* of the level in work, less its depth: from 1 on, the same number for all */
  uint32_t awaits; /* the launch has all states that the member still has in this phase: when they are expanded it tells
                      the others, and takes what comes until all have, or a stop. Then all close the level and go on
                      with the next one, or left is GPU_LEFT_PART alone, for all of them */
  uint32_t first;
};

/* Bytes of what a member has. */
#define gpu_mail_bytes(members, boxes, packets_log)                                                                    \
  ((((uint64_t)(members) * (boxes)) << ((packets_log) + GPU_WARP_LOG)) * sizeof(uint64_t) +                            \
   (3 * (uint64_t)(members) * (boxes) + (uint64_t)(members)*GPU_DONE_APART) * sizeof(uint32_t))

/* By value. Pointers are device addresses. Of states of several words (modules with FLOE_MULTIWORD) what is called a state
   or a key here is a root (tree/kernel/tree.h), and the visited set has tree_key(root, low_bits). */
struct gpu_space {
  struct gpu_control *control;
  uint64_t *ring; /* ring_mask + 1 words, a power of two, more than `slack` */
  uint64_t ring_mask;
  uint64_t *pending;      /* floe_explore: room for `slack` keys; floe_insert: for source_count */
  uint64_t *fired;        /* [FLOE_TRANSITIONS] firings of each ground transition, sums */
  uint64_t *level_states; /* sizes of levels as they are closed */
  uint64_t level_capacity;
  uint64_t *log; /* modules with config.log: every key answered; room for more than `slack` */
  uint64_t log_capacity;
  const uint64_t *source; /* floe_insert */
  uint64_t source_count;
  uint64_t *found; /* FLOE_TWO_LEVELS: the first found_room candidates; what warps find beyond them, before they have
                      seen that it is full, goes to `pending` */
  uint64_t found_room;
  uint64_t *unnamed; /* floe_explore: room for `slack` states; floe_name: source_count of them, to `source` */
  const struct tree_table *tables;       /* all of the tree's */
  struct tree_table near[GPU_TREE_NEAR]; /* the first of them */
  uint32_t low_bits;
  struct gpu_outboxes sent;
  struct gpu_mail mail;
  uint32_t ticket_turns; /* times 32 states that a warp takes with one ticket, where the module's set allows it: 1 or
                            gpu_slack is for so many. 0: 1 */
};

/* The most states (or refused keys) that `warps` warps may still add after one has seen a limit: each finishes the 32
   states it has taken (times ticket_turns: `max_successors` is then to be multiplied) and what it holds back. The host
   chooses fewer blocks when this is too much for the ring. */
#define gpu_slack(warps, max_successors) ((uint64_t)(warps) * ((uint64_t)GPU_WARP * (max_successors) + GPU_WARP_HOLDS))

/* Bucket numbers have 32 bits in the kernels of schemes that have buckets. */
#define gpu_table_fits(buckets, second_buckets)                                                                        \
  ((uint64_t)(buckets) >> 32 == 0 && (uint64_t)(second_buckets) >> 32 == 0)

#endif
