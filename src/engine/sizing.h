/* How large a visited set is to be, at first and when it grows: pure functions of numbers, tested without exploring. A
   machine (the host's threads, a device) has its figures in a struct sizing_machine, and says of each growth what
   memory there is; the decisions are the same functions. */
#ifndef FLOE_SIZING_H
#define FLOE_SIZING_H

#include "tables/table.h"

#define SIZING_LEAST_SLOTS ((uint64_t)256)
#define SIZING_MOST_SLOTS (UINT64_C(1) << 44)
#define SIZING_LEAST_STEP 1.25 /* less is not worth moving all keys */

/* How a machine lays out a table of so many slots; false: it has no such layout. *config is `wanted` with `slots`. */
typedef bool sizing_planner(const struct table_config *wanted, uint64_t slots, struct table_config *config,
                            struct table_shape *shape);
sizing_planner sizing_plan_usual; /* table_plan's */

/* The fewest slots from `slots` on, doubling, for which there is a layout: a forced slot width may need more buckets
   than wanted, as the remainder has to fit. */
bool sizing_find_layout(sizing_planner *plan, const struct table_config *wanted, uint64_t slots,
                        struct table_config *config, struct table_shape *shape);

/* Slots for so many states where the table grows at `fill`; never more than for `bound` states (all that there can be)
   or `most` slots. */
uint64_t sizing_slots_for(double states, double bound, double fill, uint64_t most);

/* The table of the most slots that so many bytes have room for, of a width of slots that `wanted` says. False: none is
   that small. */
bool sizing_largest(const struct table_config *wanted, uint64_t bytes, struct table_config *config,
                    struct table_shape *shape);

/* So many slots are worth moving the keys. A table never has many more than there are keys: beyond that asking for more
   brings nothing. */
bool sizing_is_larger(uint64_t present, uint64_t slots);

/* Of so many states that members of a group find together the part of one, and some more, as parts are not quite equal
   (engine/distributed/state_owner.h). */
uint64_t sizing_part(uint64_t states, unsigned members);
/* Of a table's keys, as many as one of `members` has where they are dealt out evenly; 0: all 2^64. */
uint64_t sizing_part_of_keys(const struct table_config *config, unsigned members);

/* ---- the first table of the host ----------------------------------------------------------------- */

/* Keys that slots of 16 or 21 bits do not hold in tables of some million slots. */
bool sizing_has_wide_keys(unsigned key_bits);

struct sizing_first {
  struct table_config requested; /* but for slots and multiple_of */
  uint64_t initial_slots;     /* the user's wish; 0: none */
  uint64_t expected_states;   /* 0: not known */
  double bound;               /* all states that the ranges of the variables allow */
  uint64_t room;              /* bytes that may be used */
};
/* FLOE_ERROR_USAGE: there is no such layout. The shape may take more than `room` where no smaller one does. */
floe_status sizing_first_table(const struct sizing_first *first, struct table_config *config,
                               struct table_shape *shape);
/* The size is the user's wish, to be used up before the table grows. */
bool sizing_is_given(const struct sizing_first *first);
/* States from which on a table of the host grows; never asked of one that has a place for every key. */
uint64_t sizing_grow_at(const struct table_shape *shape, double fill, bool given);
/* Bytes up to which a table of the host grows fourfold. */
uint64_t sizing_small(unsigned key_bits);

/* ---- a bitmap in place of a hash table ------------------------------------------------------------

   A bitmap takes a bit for every key that there can be, and never grows: the fewer keys there are for each state, the
   better. These functions know bytes alone; which scheme is one, table_traits.every_key says. */

/* The table of the same keys that has a place for each. False: keys are too many, or of another kind (with values). */
bool sizing_bitmap_plan(const struct table_config *hash, struct table_config *config, struct table_shape *shape);

/* Only a member's share of the keys comes to it. */
bool sizing_is_share(const struct table_config *config);
/* What the table with a place for each key takes, however much that is, and for messages about it, after "each key that
   the model's states can have": whose they are. */
double sizing_bytes_of_every_key(const struct table_config *config);
const char *sizing_share_text(const struct table_config *config);

/* A search may begin with a bitmap of so many bytes instead of a hash table of `hash` bytes (sizing_first_table's, or
   what a device's policy says), in `room` bytes: where it is no larger, or fits a cache and is about what
   a first hash table takes; with the hash
   table made for a number of states that is expected, where it takes up to twice as much, as it is faster and the
   number may be too low. */
enum sizing_bitmap { SIZING_NO_BITMAP, SIZING_BITMAP_TINY, SIZING_BITMAP_NO_LARGER, SIZING_BITMAP_FOR_EXPECTED };
enum sizing_bitmap sizing_bitmap_first(uint64_t bitmap, uint64_t hash, bool expected, uint64_t room);
/* What takes up to so many bytes is tiny. */
#define SIZING_TINY_BITMAP ((uint64_t)1 << 18)

/* A hash table that is to grow to `larger` bytes is left for a bitmap instead; both live side by side while states
   move, `left` bytes are not in use. */
bool sizing_bitmap_instead(uint64_t bitmap, uint64_t larger, uint64_t left);

/* ---- growth -------------------------------------------------------------------------------------- */

/* The levels found so far, for a guess how many states there are. */
struct sizing_levels {
  const uint64_t *states; /* [count], the last one in work */
  uint32_t count;         /* 0: nothing is guessed */
  uint64_t expanded;      /* states of all but the last one */
};

/* A table that is to grow. Old and new one live side by side while states move. */
struct sizing_growth {
  uint64_t slots, bytes; /* of the present table */
  uint64_t small;        /* bytes up to which it grows fourfold */
  uint64_t limit, left;  /* bytes that there may be, and those not in use */
  uint64_t frontier;     /* bytes of the states that wait */
  double bound, fill;    /* as above */
  struct sizing_levels levels;
};

#define SIZING_STEPS 6

struct sizing_machine {
  /* The factor that makes a table the last one, given the usual one; 0: not yet, or no room. */
  double (*last_step)(const struct sizing_growth *growth, double usual);
  double of_last[SIZING_STEPS]; /* parts of it to be tried; a step planned by bytes may come out too large */
  bool usual_after_last;        /* where there is a last step the usual one is tried, too */
  double others[SIZING_STEPS]; /* factors to be tried then: smaller ones that fit, larger ones that leave no key over */
};
/* sizing_partitions: for one of many tables that grow one by one (src/engine/host_backed/shards.h): `left` is what a
   new one may take, the present one not counted. */
extern const struct sizing_machine sizing_host, sizing_device, sizing_partitions;

/* The factor by which to grow in the n-th attempt (0, 1, ...), the best first; 0: no more are worth trying. */
double sizing_step(const struct sizing_machine *machine, const struct sizing_growth *growth, unsigned attempt);

/* All states of the model, guessed from the sizes of the levels so far; 0: no guess. */
double sizing_predicted_states(const struct sizing_levels *levels);

#endif
