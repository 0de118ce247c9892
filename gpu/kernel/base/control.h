/* Data exchanged between the host and the kernels of the GPU engine, and the kernels' entry points. Text shared by host
   C and CUDA C: fixed-width types only. The host includes it after "tables/kernel/iceberg.h".

   Every kernel runs with blocks of GPU_BLOCK threads in one dimension and no dynamic shared memory. A visited set is
   the view that table_place returns: VISITED is struct iceberg, struct linear or struct bitmap, by the scheme of the
   module's configuration.

   __global__ void floe_explore(VISITED table, struct gpu_space space)
     Expands states level by level, starting from the position in `space.control`, until an event of GPU_EXIT_* occurs;
     control->level.exit_reasons reports which. Cooperative launch: all blocks must be resident. No exit loses a key, a
     state or a count: the next launch continues (after growth with another table). struct gpu_control describes the
     state before and after.

   __global__ void floe_insert(VISITED table, struct gpu_space space)
     find-or-put of the keys source[0..source_count): the initial state, or keys that had no place in the table before
     it grew. New keys are appended at next_end and added to the checksum; keys without a place go to `pending` (which
     must not be `source`; the host swaps two arrays). Ignores stop limits: the host leaves room in the ring. Any grid.

   __global__ void floe_rehash(VISITED from, VISITED to, struct gpu_control *control)
     Recovers every key of `from` and puts it into `to`. control->rehash counts: `misplaced`, keys without a place in
     `to` (the host then discards `to`; `from` is unchanged); `moved`, keys that were put; `repeated`, keys that `to`
     contained already, which is a program error. Any grid. If the slot widths differ, the module's configuration names
     both geometries.

   With FLOE_MULTIWORD:
   __global__ void floe_tree_roots(struct gpu_space space)
     Writes the roots of the states tree_pending[0..source_count) to `source`; control->tree_pending_count: states that
     found a tree table full and have no root. The host enlarges the tables and relaunches until the count is 0. Any
     grid.
   __global__ void floe_tree_put(struct tree_table table, uint64_t n)
     Enters the numbers [0, n) with their contents into empty slots. Any grid.

   One of several members of a group (FLOE_MEMBERS; gpu/multi/member.c): floe_explore looks up only the successors that
   this member owns (step/kernel/state_owner.h) and writes the others to outboxes, one for each member. With FLOE_LINKED
   it sends them to mailboxes, looks up the keys in its own mailboxes, and uses outboxes for keys that find no room
   there. The host sets one_part: with mailboxes.closes_phase all members then close a level together.
   __global__ void floe_receive(VISITED table, struct gpu_space space)
     As floe_insert, for many keys: those that other members sent. Not with FLOE_MULTIWORD. Any grid.

   For checkpoints, in modules of their own (gpu/kernel/explore/key_transfer.h); any grid:
   __global__ void floe_export_keys(VISITED from, uint64_t first, uint64_t n, uint64_t *keys, uint32_t *counts)
     Exports the keys in slots [first, first + n), counted over all levels, in order. Strip i of GPU_STRIP slots writes
     counts[i] keys from keys[i * GPU_STRIP] on. Slots beyond the table's end contain no key.
   __global__ void floe_import_keys(VISITED to, const uint64_t *keys, uint64_t n, struct gpu_control *control)
     Puts keys; control->rehash as for floe_rehash.

   Paths to states of a finished search, whose levels are all in the ring; in a module of its own, without a table:
   __global__ void floe_predecessors(struct gpu_space space, struct gpu_sweep sweep)
     For levels from + level_count - 1 down to `from`, and each path deeper than the level: finds the least state of the
     level that has the path's state in the next level as a successor. Cooperative launch.

   Host-backed visited set (FLOE_DEVICE_CACHE; gpu/explore/host_backed_set.h): floe_explore's table is the device cache
   of recent keys. floe_explore counts candidates (keys not in the cache) with next_end, from 0 on, and writes them to
   `candidates`. It closes no level (the host sets one_part), adds nothing to the checksum, and GPU_EXIT_QUEUE reports
   that `candidates` is full. Then, in a module of the device base's table, any grid:
   __global__ void floe_host_lookup_select(VISITED base, struct gpu_host_lookup lookup)
   __global__ void floe_host_lookup_bin(struct gpu_host_lookup lookup)
   __global__ void floe_host_lookup_apply(struct gpu_host_answers answers)
     floe_host_lookup_apply appends the keys reported as new to the ring at control->next_end and adds them to the
     checksum.

   Passes for accepting cycles, in a module of their own (any grid; gpu/kernel/cycles/passes.h):
   __global__ void floe_cycles_candidates(VISITED table, struct gpu_space space, struct gpu_cycles cycles)
   __global__ void floe_cycles_expand(VISITED table, struct gpu_space space, struct gpu_cycles cycles)
   __global__ void floe_cycles_start(VISITED table, struct gpu_space space, struct gpu_cycles cycles)
   __global__ void floe_cycles_remove(struct gpu_cycles cycles)
   __global__ void floe_cycles_keep(struct gpu_cycles cycles)
   __global__ void floe_cycles_keys(VISITED table, struct gpu_space space, uint64_t *keys, uint64_t n)

   Tables alone, in modules of their own (any grid); operations and answers as in table_run (tables/table.h), the table
   is the scheme's struct; the scheme's text lists its operations:
   __global__ void floe_table_<operation>(TABLE table, uint64_t *keys, uint64_t *values, uint64_t n, uint8_t *answers)

   A table's memory is zero when empty. Iceberg tables have the layout of table_offsets(), with at most 2^32 - 1 buckets
   at levels 1 and 2 (gpu_table_fits). */
#ifndef FLOE_GPU_KERNEL_BASE_CONTROL_H
#define FLOE_GPU_KERNEL_BASE_CONTROL_H

#include "step/kernel/arcs.h"
#include "tree/kernel/tree_table.h"

#ifndef GPU_WARPS_LOG
#define GPU_WARPS_LOG 3 /* tests on the emulated GPU define a smaller one */
#endif

enum {
  GPU_WARP_LOG = 5,
  GPU_WARP = 1 << GPU_WARP_LOG,
  GPU_WARPS = 1 << GPU_WARPS_LOG, /* of a block */
  GPU_BLOCK = GPU_WARPS * GPU_WARP,
  GPU_PROPERTIES = 64,
  GPU_WARP_STAGES =
      5 * GPU_WARP,           /* most keys that a warp keeps staged between two states (except bitmaps: 3 times 32) */
  GPU_TICKET_BATCHES = 2,     /* most batches of 32 states that a warp fetches with one ticket */
  GPU_STRIP = 1024,           /* slots that a warp exports together */
  GPU_WORDS_IN_REGISTERS = 8, /* of a state; loops over more are not unrolled */
  GPU_TREE_NEAR = 14,         /* tree tables passed as a kernel parameter: enough for 8 words */
  GPU_OUTBOX_PARTS = 16,      /* most */
  GPU_OUTBOX_STRIDE = 16,     /* words from one outbox's count to the next */
  GPU_DUPLICATE_FILTER_BITS = 18, /* 2 MiB, which the second-level cache holds */
  GPU_MOST_LINKED = 8,            /* devices with mailboxes for each other: each takes shared memory of every block */
  GPU_MOST_TAKEN = 8,             /* packets that a warp takes at once */
  GPU_DONE_STRIDE = 32,           /* 32-bit words from one device's phase word to the next device's */
  GPU_LEAST_SHARE = 1,            /* least number of states that a warp gets of a small level */
  GPU_SWEEP_TARGETS = 32,         /* most paths of floe_predecessors */
  GPU_SWEEP_WORDS = 128           /* most words of their states, which are in shared memory */
};

/* control->level.exit_reasons. The first group may occur within a level: then states of the current part remain, or
   keys are pending, or (by chance) the level was just finished; in each case another launch continues. */
enum {
  GPU_EXIT_GROW = 1,  /* states >= grow_at */
  GPU_EXIT_FULL = 2,  /* pending keys: enlarge the table, floe_insert them, relaunch */
  GPU_EXIT_QUEUE = 4, /* the ring has no room for the states that one more round may find: remove states from it */
  GPU_EXIT_TIME = 8,  /* the time slice is over */
  GPU_EXIT_LOG = 16,  /* the log is nearly full: read it, set log_count to 0 */
  GPU_EXIT_TREE =
      32, /* states without a root: enlarge the tree's tables, floe_tree_roots and floe_insert them, relaunch */
  GPU_EXIT_OUTBOX = 64, /* FLOE_MEMBERS: an outbox is full: empty the outboxes */
  /* At the end of a level (it is closed: `current` is the new level, its size the last of level_states): */
  GPU_EXIT_TRIGGERED = 256, /* a property to evaluate triggered */
  GPU_EXIT_DEPTH = 512,     /* depth == depth_limit */
  GPU_EXIT_STATES = 1024,   /* states > max_states */
  GPU_EXIT_LEVELS = 2048,   /* level_states has no room for another level */
  GPU_EXIT_EMPTY = 4096,    /* the new level has no states: the search is complete (no entry in level_states) */
  /* one_part: all states of [current, current_end) are expanded; the level is not closed, depth is unchanged */
  GPU_EXIT_PART = 8192
};

/* The current level and its limits. A position is the number of a state in the ring, counted from the start of the
   search. */
struct gpu_level {
  /* Set by the host; the kernel advances them when it closes a level */
  uint64_t current, current_end; /* states of this level that are not yet expanded */
  uint64_t next;
  uint64_t states_before; /* all states found so far = states_before + (next_end - next) */
  uint32_t depth;         /* of the current level */
  uint32_t level_count;   /* entries of level_states in use */
  /* Set by the host before each launch */
  uint64_t grow_at;              /* UINT64_MAX: never */
  uint64_t max_states;           /* UINT64_MAX: no bound */
  uint64_t slack;                /* gpu_slack() of this launch */
  uint64_t time_slice;           /* nanoseconds; UINT64_MAX: unlimited */
  uint64_t requested_properties; /* mask of properties to evaluate */
  uint64_t errors_only; /* mask of further properties to evaluate: they do not trigger, but a failed evaluation triggers
                           ERRORS */
  uint32_t depth_limit;
  uint32_t one_part;        /* exit at the end of the part, do not close the level */
  uint32_t properties_only; /* evaluate properties, generate no successors (depth bound); one_part */
  /* Set by the kernel */
  uint32_t exit_reasons; /* GPU_EXIT_*, of this launch */
  uint64_t triggered;    /* evaluated properties that triggered since the host cleared it */
};
enum { GPU_LEVEL_WORDS = sizeof(struct gpu_level) / sizeof(uint64_t) }; /* less than 16 */

/* The kernel's own: how one block passes the level to all blocks, and requests to stop. */
struct gpu_handoff {
  /* The level and its next_end, a cache line that a warp reads at once. The line written after a barrier has the number
     of the barrier's generation modulo 2. A slow reader cannot be overtaken: the next barrier waits for it before the
     barrier after that writes the same line again */
  uint64_t levels[2][16];
  uint64_t resume;         /* position at which the level continues after a stop */
  uint32_t stop;           /* reasons for which warps request a stop; exit_reasons is decided between levels */
  uint32_t flushed_blocks; /* FLOE_LINKED: blocks that send nothing more. 0 at creation */
};

/* FLOE_LINKED: levels that all members close without their hosts (gpu/kernel/explore/levels.h). */
struct gpu_group_levels {
  uint64_t total_states; /* of all members, up to the current level. The host sets it, the kernel advances it; if it is
                            too large, the hosts close the level that seems to end the search */
  uint64_t failed_known; /* set by the host: properties of `failed` that all hosts have received */
  uint32_t firing_failed_known; /* set by the host: all hosts have received a firing_failed_depth */
  uint32_t host_closes;         /* set by the host: the hosts close the current level and those after it */
  uint32_t close_only;          /* set by the host: expand nothing, but close the level if the other members have */
  uint32_t without_host; /* close_only: mask of the linked members that have published the result of the current level
                            and need no host to close it; 0 if the level was closed. The host sets it to 0 before */
  uint32_t published_phase; /* kernel's own: the last phase whose results were published to the others. 0 at creation */
};

/* Set by the kernel. */
struct gpu_results {
  uint64_t transitions, deadlocks, checksum; /* sums */
  uint64_t max_out_degree;                   /* a maximum */
  uint64_t failed;                           /* properties whose evaluation failed in some state so far */
  uint32_t firing_failed_depth; /* of the first state in which a firing failed; the host initialises it to UINT32_MAX */
  uint32_t broken;              /* index keys: a successor has no key. The host ends the search; initially 0 */
  uint64_t witness[GPU_PROPERTIES]; /* least state for each property of `triggered`; the host sets all to UINT64_MAX
                                       when it clears `triggered` */
};

/* floe_rehash, floe_import_keys: sums. */
struct gpu_rehash_counts {
  uint64_t moved, misplaced, repeated;
};

/* FLOE_LINKED: sums. */
struct gpu_mailbox_counts {
  uint64_t packets, received; /* packets put into mailboxes, and taken out of them */
  uint64_t to_outbox;         /* states written to outboxes (not with FLOE_ELSEWHERE) */
};

/* In device memory; the host writes it before a launch and reads it after. Sums accumulate over launches; the host may
   read and clear them between launches. The state at position p is ring[p & ring_mask].
   Invariant: current <= current_end <= next <= next_end. */
struct gpu_control {
  /* Written by all warps, each on a cache line of its own */
  uint64_t ticket; /* kernel's own: next state to be fetched. The host need not set it */
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
  uint64_t tree_pending_count; /* states in `tree_pending` */
  uint64_t apart7[15];

  struct gpu_handoff handoff;
  struct gpu_group_levels group;
  struct gpu_level level;
  struct gpu_results results;
  struct gpu_rehash_counts rehash;
  struct gpu_mailbox_counts mailbox;
  uint32_t from_low_bits, low_bits; /* floe_rehash, of keys that stand for roots: before and after */
};

/* FLOE_MEMBERS: states of other members, found and not looked up. Member m's are in `parts` outboxes, from number
   m * parts on. Each block writes to one of them, because one address takes some 0.4 G atomics a second. */
struct gpu_outboxes {
  uint64_t *states;    /* state i of outbox b is number b * room + i, of FLOE_MULTIWORD words, if that is set */
  uint64_t *counts;    /* of outbox b: counts[GPU_OUTBOX_STRIDE * b]; the host sets all to 0 */
  uint64_t room, full; /* states; floe_explore exits when an outbox has `full`, and may add the gpu_slack of the blocks
                          that write to it */
  uint64_t *duplicate_filter; /* [1 << GPU_DUPLICATE_FILTER_BITS] keys that were sent, each at the index of its hash:
                                 initially zeros, except the first, which is 1 (engine/cpu/duplicate_filter.h) */
  uint64_t owner_mask_bits;   /* states of one word: the bits that determine a state's owner
                                 (engine/distributed/state_owner.h) */
  const uint64_t *owner_mask; /* [FLOE_MULTIWORD] the same for states of several words */
  uint32_t member, members;
  uint32_t parts; /* a power of two */
};

/* Mailboxes as a kernel accesses them. FLOE_LINKED: number of members whose devices reach each other's memory
   (gpu/kernel/multi/mailbox.h), from number `first` on; FLOE_ELSEWHERE: the group has others. Linked member m has
     uint64_t packets[FLOE_LINKED][boxes][1 << packets_log][GPU_WARP]
     uint32_t credits[FLOE_LINKED][boxes], heads[FLOE_LINKED][boxes], tails[FLOE_LINKED][boxes]
     uint32_t done[FLOE_LINKED][GPU_DONE_STRIDE], whose words 2 and 3 hold the published result of a phase
   at at[m], initially zeros. */
struct gpu_mailbox_view {
  uint64_t *at[GPU_MOST_LINKED];
  uint32_t boxes; /* at each member for each other one; 0: none, all keys go to outboxes */
  uint32_t packets_log;
  uint32_t lockstep; /* warps of a block that start firing together (gpu/kernel/explore/explore.h): a power of two */
  uint32_t phase;    /* of the current level, less its depth: from 1 on, the same number for all */
  uint32_t closes_phase; /* the launch has all remaining states of the member in this phase: after expanding them it
                            notifies the others, and receives until all have, or until a stop. Then all close the level
                            and continue with the next one, or exit_reasons is GPU_EXIT_PART alone, for all of them */
  uint32_t first;
};

/* Bytes of a member's mailboxes. */
#define gpu_mailbox_bytes(members, boxes, packets_log)                                                                 \
  ((((uint64_t)(members) * (boxes)) << ((packets_log) + GPU_WARP_LOG)) * sizeof(uint64_t) +                            \
   (3 * (uint64_t)(members) * (boxes) + (uint64_t)(members)*GPU_DONE_STRIDE) * sizeof(uint32_t))

/* Kernel parameters, by value; pointers are device addresses. For states of several words (FLOE_MULTIWORD) "state" and
   "key" here mean a root (tree/kernel/tree.h), and the visited set holds tree_key(root, low_bits). */
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
  uint64_t *candidates; /* FLOE_DEVICE_CACHE: the first candidate_room candidates; further candidates, found before
                           warps see that it is full, go to `pending` */
  uint64_t candidate_room;
  uint64_t *tree_pending; /* floe_explore: room for `slack` states; floe_tree_roots: source_count of them, input */
  const struct tree_table *tables;       /* all tables of the tree */
  struct tree_table near[GPU_TREE_NEAR]; /* the first of them */
  uint32_t low_bits;
  struct gpu_outboxes outboxes;
  struct gpu_mailbox_view mailboxes;
  struct arc_table arcs;   /* the model's transitions, if its text is that of codegen_arc_text */
  uint32_t ticket_batches; /* batches of 32 states that a warp fetches with one ticket, if the module's set allows it:
                              1, or gpu_slack must be for so many. 0: 1 */
};

/* floe_predecessors: the paths of a sweep. */
struct gpu_sweep {
  const uint64_t *levels;  /* [depth + 1] position in the ring of each level's first state; then the end */
  const uint64_t *targets; /* [count] last states of the paths, of FLOE_MULTIWORD words (else 1) */
  const uint32_t *depths;  /* [count] of these */
  uint64_t *path_keys;     /* [depth][count] states of the paths by level, as in the ring; initially UINT64_MAX */
  uint32_t *arrived;       /* barrier; 0 at the launch */
  uint32_t count;          /* of paths, at most GPU_SWEEP_TARGETS */
  uint32_t from, level_count;
};

/* floe_cycles_*: what floe_cycles_expand does with the target of a step. */
enum gpu_cycles_work {
  GPU_CYCLES_COUNT,   /* if it is in Z: counts the step */
  GPU_CYCLES_UNCOUNT, /* if it is in Z: uncounts the step; without a counted step the target goes from Z to `next` */
  GPU_CYCLES_REACH,   /* if it is in Z and not yet in `reached`: it goes there and to `next` */
  GPU_CYCLES_SEEK     /* the same also outside Z; reports whether some target is in Z */
};

/* A level's sum is read by all blocks after the barrier that ends it, while some are in the next level already; the one
   after that is cleared meanwhile. */
enum { GPU_CYCLES_COUNTS = 3 };

/* Sums and flags of a launch; the host clears them before. */
struct gpu_cycle_counts {
  uint64_t added;     /* states that went to `next`; floe_cycles_candidates: to Z; floe_cycles_keep: left in Z */
  uint64_t expanded;  /* states */
  uint64_t saturated; /* some count is, or is one below */
  uint64_t found;     /* some target is in Z */
  uint64_t absent;    /* some target is not in the table: an internal error */
  uint64_t levels;    /* of the queue that were expanded */
  uint64_t left;      /* states in the queue at the end */
  uint32_t arrived;   /* barrier */
  uint32_t padding;
  uint64_t level_added[GPU_CYCLES_COUNTS]; /* of level i: level_added[i % GPU_CYCLES_COUNTS] */
};

/* Passes over the states of a table (gpu/kernel/cycles/passes.h). A set has a bit for each slot, in words of 32; a
   block has a word for each lane of a warp. */
enum { GPU_CYCLES_SLOTS = 32 * 32 };

struct gpu_cycles {
  uint64_t slots;
  uint32_t *z, *reached, *next;
  uint32_t *enabled;        /* strong: states in which the condition is enabled */
  uint32_t *from;           /* floe_cycles_expand: the states to expand */
  uint32_t *next_blocks;    /* of a queue: not 0 if there may be states in that block of GPU_CYCLES_SLOTS slots */
  uint32_t *from_blocks;    /* the same for `from`; NULL: it is not a queue, and keeps its states */
  uint32_t *predecessors;   /* counts of steps from Z, of a byte for each slot, up to 255 */
  const uint64_t *marks;    /* [states of the automaton][edges of a state] acceptance sets */
  const uint64_t *fairness; /* [transitions] constraints of fairness that each belongs to */
  const unsigned char *candidates; /* [states of the automaton] */
  struct gpu_cycle_counts *counts;
  uint32_t work, condition;
  uint32_t marked;       /* only steps that have the mark of the condition */
  uint32_t saturated;    /* some count may be: as counted last */
  uint32_t weak, strong; /* kind of the condition, if it is a constraint of fairness */
  uint64_t queued;       /* states in `from`, if it is a queue */
  uint64_t most_levels;  /* that a launch expands */
  uint64_t most_queued;  /* states after which it expands no further level */
};

/* The most states (or refused keys) that `warps` warps may still add after one has seen a limit: each finishes the 32
   states it has fetched (times ticket_batches: then multiply `max_successors`) and its staged keys. The host chooses
   fewer blocks if this is too much for the ring. */
#define gpu_slack(warps, max_successors) ((uint64_t)(warps) * ((uint64_t)GPU_WARP * (max_successors) + GPU_WARP_STAGES))

/* Kernels of schemes with buckets number them with 32 bits. */
#define gpu_table_fits(buckets, second_buckets)                                                                        \
  ((uint64_t)(buckets) >> 32 == 0 && (uint64_t)(second_buckets) >> 32 == 0)

#endif
