/* Sizes of tables and queues on a GPU: pure functions of numbers, tested without a GPU. Bytes are of device memory;
   `limit` is what the run may use, `left` the unused part of it. */
#ifndef FLOE_GPU_ENGINE_SIZING_POLICY_H
#define FLOE_GPU_ENGINE_SIZING_POLICY_H

#include "tables/table.h"

/* ---- the visited set ----------------------------------------------------------------------------- */

/* The first table. `requested` has everything except the number of slots. If that is 0 it is chosen: for `expected`
   states, if these are known, up to three quarters of the memory. Otherwise a sixteenth of the memory: a device clears
   gigabytes in a millisecond, and a table that is large from the start has narrow slots and need not be rehashed (a
   fifth of the time of 10^9 states). FLOE_ERROR_USAGE: there is no such layout. FLOE_ERROR_MEMORY: none fits. A scheme
   with a slot for every key has one size, which may be all but a sixteenth of the memory. */
floe_status policy_first_table(const struct table_config *requested, uint64_t expected, uint64_t limit,
                               struct table_config *config, struct table_shape *shape);

/* A table of so many slots, in the layout for devices. False: there is none. */
bool policy_table(const struct table_config *requested, uint64_t slots, struct table_config *config,
                  struct table_shape *shape);
/* A first table for so many states holds them, and leaves the queue a quarter of the memory. */
bool policy_holds(const struct table_config *requested, uint64_t states, uint64_t limit);
/* A bitmap of all keys, if it leaves the queue a quarter of the memory, as a table for a known number of states does.
 */
bool policy_bitmap_of_all(const struct table_config *requested, uint64_t limit, struct table_config *config,
                          struct table_shape *shape);
/* Replaces the first table (*config, *shape), which the user did not choose, by a bitmap if that is better
   (engine/sizing.h). `expected`: the table was sized for a number of states. `members`: size of the group; a bitmap
   that is as large for each member (table_config.local_index has no members) is still faster if a single GPU would use
   it. */
void policy_first_bitmap(bool expected, unsigned members, uint64_t limit, struct table_config *config,
                         struct table_shape *shape);

/* ---- several devices ----------------------------------------------------------------------------- */

/* A search without a chosen number of devices. */
struct policy_search {
  struct table_config table; /* of the visited set, without slots */
  bool any_table;            /* it may be replaced by a bitmap */
  bool multiword;            /* multiword states: the size of their trees is unknown */
  uint64_t expected;         /* states; 0: not known */
  bool linked;               /* the devices can access each other's memory */
};
/* Number of devices to use, of `count`: all if the search fits on all but not on one, or if all are faster; else 1.
   `limit` is of each. */
unsigned policy_devices(const struct policy_search *search, unsigned count, uint64_t limit);
/* If it starts on one device: number of states found at which it should use all `count`; UINT64_MAX: when one is full.
 */
uint64_t policy_others_from(const struct policy_search *search, unsigned count);
/* One device with `host` bytes of host memory holds more than `count` devices with hash tables. */
bool policy_host_holds_more(unsigned count, uint64_t limit, uint64_t host);
/* The search fits on one device. */
bool policy_one_holds(const struct policy_search *search, uint64_t limit);

/* Input of a growth decision. */
struct policy_growth {
  struct table_config config; /* of the present table */
  struct table_shape shape;
  uint64_t limit, left; /* the new table must fit in `left`, beside the old one */
};
/* The n-th candidate (0, 1, ...) for a larger table, the best first; false: there are no more. Slots keep their width
   unless memory is short: other widths mean other kernels, and a second of compilation. */
bool policy_larger_table(const struct policy_growth *growth, unsigned attempt, struct table_config *config,
                         struct table_shape *shape);

/* A bitmap instead of the first of these, if it takes no more bytes, or there is none (engine/sizing.h).
   `whatever_it_takes`: whenever it fits, also if it takes more bytes. */
bool policy_bitmap_instead(const struct policy_growth *growth, bool whatever_it_takes, struct table_config *config,
                           struct table_shape *shape);

/* ---- the queue ----------------------------------------------------------------------------------- */

/* Words of the first queue, a power of two, of which `slack` must be free whenever warps continue. 0: it does not fit.
 */
uint64_t policy_first_queue(uint64_t slack, uint64_t limit);
/* The same beside a table that never grows. If the remaining memory is small, or so many states are expected that the
   queue may need all of it, and an old and a new queue do not fit side by side, the queue gets its final size at once.
 */
uint64_t policy_lasting_queue(uint64_t slack, uint64_t limit, uint64_t left, uint64_t states);
/* Words of a first queue that keeps all `states` of the search, if that many are given and there is room; else
   `words`. */
uint64_t policy_queue_of_all(uint64_t words, uint64_t slack, uint64_t left, uint64_t states);
/* Words of the queue that replaces a full one of `words`; 0: spill to the host instead. Both exist side by side while
   states are copied. `final`: the table does not grow any more and does not need the memory. */
uint64_t policy_larger_queue(uint64_t words, uint64_t limit, uint64_t left, bool final);
/* The same if nothing else needs the memory and the old queue is freed first: the final size. 0: it has that already.
 */
uint64_t policy_queue_instead(uint64_t words, uint64_t left);

/* What to spill from a full queue: part of one of these. */
struct policy_spill {
  uint64_t current; /* states from the beginning of the current part, so that the rest has room for its successors */
  uint64_t next;    /* states of the next level: all of them */
};
/* For `current` and `next` states in a queue of `words`, of which a launch needs `slack`. */
struct policy_spill policy_spill(uint64_t words, uint64_t slack, uint64_t current, uint64_t next);
/* States in a segment of host memory; a segment returns as a current part. */
uint64_t policy_segment(uint64_t words);
/* A segment fits into a queue with `next` states of the next level, with room for its successors. */
bool policy_segment_has_room(uint64_t words, uint64_t segment, uint64_t next);

#endif
