/* Sizes of the visited set, initially and at each growth: pure functions of numbers, tested without exploring. A
   machine (the host's threads, a GPU) is described by a struct sizing_machine; the decisions are the same functions. */
#ifndef FLOE_ENGINE_SIZING_H
#define FLOE_ENGINE_SIZING_H

#include "base/numbers.h"
#include "tables/table.h"

#define SIZING_LEAST_SLOTS ((uint64_t)256)
#define SIZING_MOST_SLOTS (UINT64_C(1) << 44)
#define SIZING_LEAST_STEP 1.25 /* a smaller step is not worth moving all keys */

/* Lays out a table of this many slots; false: no such layout. *config is `requested` with `slots`. */
typedef bool sizing_planner(const struct table_config *requested, uint64_t slots, struct table_config *config,
                            struct table_shape *shape);
sizing_planner sizing_plan_usual; /* table_plan's layout */

/* The smallest number of slots with a layout, doubling from `slots`: a forced slot width may require more buckets,
   so that the remainder fits. */
bool sizing_find_layout(sizing_planner *plan, const struct table_config *requested, uint64_t slots,
                        struct table_config *config, struct table_shape *shape);

/* Slots for this many states in a table that grows at `fill`; at most those for `bound` states (all possible ones)
   or `most` slots. */
uint64_t sizing_slots_for(double states, double bound, double fill, uint64_t most);

/* The table with the most slots that fits in `bytes`, with the slot width of `requested`. False: none is that small. */
bool sizing_largest(const struct table_config *requested, uint64_t bytes, struct table_config *config,
                    struct table_shape *shape);

/* True: moving the keys is worth it. A table has at most about as many slots as keys, so that requesting more has no
   effect. */
bool sizing_is_larger(uint64_t present, uint64_t slots);

/* One member's part of the states that a group finds, and some more, because parts are not quite equal
   (engine/distributed/state_owner.h). Of one member: all states. */
uint64_t sizing_part(uint64_t states, unsigned members);
/* Keys of one of `members` if they are distributed evenly; 0: all 2^64. */
uint64_t sizing_part_of_keys(const struct table_config *config, unsigned members);

/* ---- the first table of the host ----------------------------------------------------------------- */

/* True: slots of 16 or 21 bits cannot hold such keys in tables of some million slots. */
bool sizing_has_wide_keys(unsigned key_bits);

struct sizing_first {
  struct table_config requested; /* without slots and multiple_of */
  uint64_t initial_slots;        /* chosen by the user; 0: not */
  bool fits;                     /* such a table fits in `room` beside the frontier */
  uint64_t expected_states;      /* 0: unknown */
  double bound;                  /* number of states that the variables' ranges allow */
  uint64_t room;                 /* available bytes */
};
/* FLOE_ERROR_USAGE: no such layout. The shape may exceed `room` if no smaller one exists. */
floe_status sizing_first_table(const struct sizing_first *first, struct table_config *config,
                               struct table_shape *shape);
/* The user chose the size, which is to be used up before the table grows. */
bool sizing_is_given(const struct sizing_first *first);
/* Every possible key has a slot at level 1 of the table. */
static inline bool sizing_holds_all(const struct table_shape *shape) {
  return shape->buckets > largest_key(shape->key_bits) / shape->bucket_slots;
}
/* Number of states at which a table of the host grows; not for tables with a slot for every key. */
uint64_t sizing_grow_at(const struct table_shape *shape, double fill, bool given);
/* Bytes up to which a table of the host grows fourfold. */
uint64_t sizing_small(unsigned key_bits);

/* ---- a bitmap in place of a hash table ------------------------------------------------------------

   A bitmap takes a bit for every key that there can be, and never grows: the fewer keys there are for each state, the
   better. These functions know bytes alone; which scheme is one, table_traits.every_key says. */

/* The table of the same keys with a slot for each. False: too many keys, or keys with values. */
bool sizing_bitmap_plan(const struct table_config *hash, struct table_config *config, struct table_shape *shape);

/* The table has only one member's part of the keys. */
bool sizing_is_share(const struct table_config *config);
/* Bytes of a table with a slot for every key, even if it cannot exist; and text for messages that follows "each key
   that the model's states can have": the part of the keys. */
double sizing_bytes_of_every_key(const struct table_config *config);
const char *sizing_share_text(const struct table_config *config);

/* Whether a search may start with a bitmap of `bitmap` bytes instead of a hash table of `hash` bytes
   (sizing_first_table's, or that of a GPU's policy), in `room` bytes. It may if the bitmap is no larger, or fits a
   cache and is about as large as a first hash table. If the hash table was made for an expected number of states, it
   may be up to twice as large, because it is faster and the expectation may be too low. */
enum sizing_bitmap { SIZING_NO_BITMAP, SIZING_BITMAP_TINY, SIZING_BITMAP_NO_LARGER, SIZING_BITMAP_FOR_EXPECTED };
enum sizing_bitmap sizing_bitmap_first(uint64_t bitmap, uint64_t hash, bool expected, uint64_t room);
/* A bitmap of at most this many bytes is tiny. */
#define SIZING_TINY_BITMAP ((uint64_t)1 << 18)

/* A hash table that would grow to `larger` bytes is replaced by a bitmap instead; both exist while keys move, and
   `left` bytes are unused. */
bool sizing_bitmap_instead(uint64_t bitmap, uint64_t larger, uint64_t left);

/* ---- growth -------------------------------------------------------------------------------------- */

/* Sizes of the levels so far, to predict the number of states. */
struct sizing_levels {
  const uint64_t *states; /* [count]; the last one is being expanded */
  uint32_t count;         /* 0: no prediction */
  uint64_t expanded;      /* states of all but the last one */
};

/* A table that must grow. Both tables exist while keys move. */
struct sizing_growth {
  uint64_t slots, bytes; /* of the present table */
  uint64_t small;        /* bytes up to which it grows fourfold */
  uint64_t limit, left;  /* bytes of the budget, and those unused */
  uint64_t frontier;     /* bytes of the frontier */
  double bound, fill;    /* as above */
  struct sizing_levels levels;
};

#define SIZING_STEPS 6

struct sizing_machine {
  /* Factor of a last growth, given the usual factor; 0: not yet, or no room. */
  double (*last_step)(const struct sizing_growth *growth, double usual);
  double of_last[SIZING_STEPS]; /* fractions of it to try; a step planned by bytes may come out too large */
  bool usual_after_last;        /* after a last step, the usual one is tried, too */
  double others[SIZING_STEPS];  /* factors to try then: smaller ones that fit, larger ones in which every key finds a
                                   place */
};
/* sizing_partitions: one of many tables that grow one by one (src/engine/host_backed/shards.h): `left` is what a new
   table may take, without the present one. */
extern const struct sizing_machine sizing_host, sizing_device, sizing_partitions;

/* Factor of the n-th attempt (0, 1, ...) to grow, best first; 0: give up. */
double sizing_step(const struct sizing_machine *machine, const struct sizing_growth *growth, unsigned attempt);

/* Number of states of the model, predicted from the sizes of the levels; 0: no prediction. */
double sizing_predicted_states(const struct sizing_levels *levels);

#endif
