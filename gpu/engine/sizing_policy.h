/* What the GPU engine decides about sizes: pure functions of numbers, tested without a GPU. Bytes are of the device's
   memory; `limit` is what the run may use of it, `left` what of that is not in use. */
#ifndef FLOE_GPU_POLICY_H
#define FLOE_GPU_POLICY_H

#include "tables/table.h"

/* ---- the visited set ----------------------------------------------------------------------------- */

/* The table to begin with. `wanted` has everything but the number of slots; where that is 0 it is chosen: a sixteenth
   of the memory, as a device clears gigabytes in a millisecond, and what is large enough from the start need not move
   its keys (a fifth of the time of 10^9 states) and has narrow slots; or for `expected` states
   where that is not 0, up to three quarters of the memory. FLOE_ERROR_USAGE: there is no such layout.
   FLOE_ERROR_MEMORY: none that fits. A scheme with a place for every key has one size, of which there is nothing to be
   chosen: it may take all but a sixteenth of the memory. */
floe_status policy_first_table(const struct table_config *wanted, uint64_t expected, uint64_t limit,
                               struct table_config *config, struct table_shape *shape);

/* A table of so many slots, in the layout that is taken for a device. False: there is none. */
bool policy_table(const struct table_config *wanted, uint64_t slots, struct table_config *config,
                  struct table_shape *shape);
/* A first table for so many states holds them, and leaves the queue a quarter of the memory. */
bool policy_holds(const struct table_config *wanted, uint64_t states, uint64_t limit);
/* A bitmap of all keys, where it leaves the queue a quarter of the memory, as a table for a known number of states
   does: kernels and queue are made for what is left. */
bool policy_bitmap_of_all(const struct table_config *wanted, uint64_t limit, struct table_config *config,
                          struct table_shape *shape);
/* Where no table was asked for, of which *config and *shape are the first: a bitmap in its place where that is better
   (engine/sizing.h). `expected`: the table was made for a number of states. `members`: of how many this is one; a
   bitmap that is as large for each (table_config.shares has no members) is still the faster one, where one alone would
   have it. */
void policy_first_bitmap(bool expected, unsigned members, uint64_t limit, struct table_config *config,
                         struct table_shape *shape);

/* ---- several devices ----------------------------------------------------------------------------- */

/* A search for which nobody said how many devices it is to have. */
struct policy_search {
  struct table_config wanted; /* of its visited set, but for slots */
  bool any_table;             /* that may be a bitmap in its place */
  bool wide;                  /* states have several words: nobody knows what their trees take */
  uint64_t expected;          /* states; 0: not known */
  bool linked;                /* the devices reach each other's memory */
};
/* How many of `count` devices it should have: all where one would not hold it and they do, or where they are faster;
   else 1. `limit` is of each. */
unsigned policy_devices(const struct policy_search *search, unsigned count, uint64_t limit);
/* Where it should have one at first: states found from which on it should have all `count`; UINT64_MAX: once one is
   full. */
uint64_t policy_others_from(const struct policy_search *search, unsigned count);
/* `count` devices with hash tables are full: with `host` bytes of the host's memory one of them holds more. */
bool policy_host_holds_more(unsigned count, uint64_t limit, uint64_t host);
/* One would do. */
bool policy_one_holds(const struct policy_search *search, uint64_t limit);

/* A table that is to grow. */
struct policy_growth {
  struct table_config config; /* of the present table */
  struct table_shape shape;
  uint64_t limit, left; /* old and new table live side by side: the new one has to fit in `left` */
};
/* The n-th attempt (0, 1, ...) at a larger one, the best first; false: no more are worth trying. The slots keep their
   width unless memory is what counts: other widths mean other kernels, and a second of compilation. */
bool policy_larger_table(const struct policy_growth *growth, unsigned attempt, struct table_config *config,
                         struct table_shape *shape);

/* A bitmap instead of the first of these, where it takes no more bytes, or there is none (engine/sizing.h).
   `whatever_it_takes`: wherever it fits. */
bool policy_bitmap_instead(const struct policy_growth *growth, bool whatever_it_takes, struct table_config *config,
                           struct table_shape *shape);

/* ---- the queue ----------------------------------------------------------------------------------- */

/* Words of the queue to begin with, a power of two, of which `slack` have to be free whenever warps go on. 0: there is
   no room for one. */
uint64_t policy_first_queue(uint64_t slack, uint64_t limit);
/* The same beside a table that never changes its size: what it left is nobody else's. Where that is little, or so many
   states are expected that the queue may need all of it, it has its last size at once, if an old and a new one would
   not have room side by side. */
uint64_t policy_lasting_queue(uint64_t slack, uint64_t limit, uint64_t left, uint64_t states);
/* Words of the queue that takes the place of a full one of `words`; 0: its content is to be spilled to the host. Both
   live side by side for a moment. `final`: the table has reached its size, so that nothing else wants the memory. */
uint64_t policy_larger_queue(uint64_t words, uint64_t limit, uint64_t left, bool final);
/* The same where nothing else wants the memory and the old one is given back before: the last size. 0: it has that. */
uint64_t policy_queue_instead(uint64_t words, uint64_t left);

/* How much of a full queue goes to the host: one of both, some of it. */
struct policy_spill {
  uint64_t current; /* states from the beginning of the current part, so that the rest has room for its successors */
  uint64_t next;    /* states of the next level: all of them */
};
/* `current` and `next` states in a queue of `words`, of which a launch needs `slack`. */
struct policy_spill policy_spill(uint64_t words, uint64_t slack, uint64_t current, uint64_t next);
/* States in one piece of host memory; a piece comes back as a current part. */
uint64_t policy_piece(uint64_t words);
/* A piece can come back to a queue with `next` states of the next level, and what it finds has room. */
bool policy_piece_has_room(uint64_t words, uint64_t piece, uint64_t next);

#endif
