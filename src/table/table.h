/* The seam of the hash tables: a set of keys of M bits, or a map from them to values. The visited set is one of them.
   Host owner (struct table) here; the text of the algorithms is kernel C (src/table/kernel/). What a scheme cannot do
   it says (table_cannot). */
#ifndef FLOE_TABLE_H
#define FLOE_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables are laid out so that this part of their slots is filled before a key finds no place. */
#define TABLE_FILL 0.93

enum table_answer { TABLE_FOUND, TABLE_PUT, TABLE_FULL };

/* What can be done with many keys at once (table_run). */
enum table_operation {
  TABLE_FIND,        /* FOUND; FULL: absent */
  TABLE_FIND_OR_PUT, /* FOUND; PUT; FULL: no place */
  TABLE_PUT_NEW,     /* keys that are all different and not in the table. PUT; FULL: no place */
  TABLE_DELETE,      /* FOUND: it was there; FULL: absent */
  TABLE_GET,         /* FOUND, and values[i]; FULL: absent */
  TABLE_ADD,         /* key and value: PUT; FOUND: the value is combined with the present one (table_config.reduction);
                        FULL: no place */
  TABLE_OPERATIONS
};

/* The value of a key that is added again: the new one, or what comes of the present one and the new one. */
enum table_reduction { TABLE_REPLACE, TABLE_SUM, TABLE_MIN, TABLE_MAX, TABLE_USER_REDUCTION };

struct table_config {
  const char *scheme;      /* of table_schemes(); NULL: "iceberg" */
  const char *permutation; /* NULL: default; a name of permutation_names() */
  unsigned key_bits;       /* 1..64 */
  uint64_t slots;          /* wanted number of slots in all levels; rounded up to whole buckets */
  bool packed;             /* slots of 21 bits may be chosen; needs a machine text that has them (the CPU's) */
  unsigned slot_bits;      /* primary: 0 (that with the least memory), 16, 21, 32, 64 */
  unsigned bucket_slots;   /* primary: 0 (chosen), 8, 16, 32; for slots of 21 bits 12, 24 */
  uint64_t multiple_of;    /* primary buckets: a multiple of this where one is near, so that keys move in order from a
                              table with a small multiple of it; 0: any number */
  uint64_t seed;           /* chooses among permutations of the family */
  const char *simd;        /* NULL: best of the machine; else a form's name (UNSUPPORTED when it is not to be had:
                              table/simd.h) */
  const struct permutation_user *permutation_user; /* NULL: none; else takes the place of `permutation`; copied
                                                      (table/permutation.h) */
  unsigned second_slot_bits;                       /* iceberg: secondary; 0: chosen */
  uint64_t buckets, second_buckets; /* iceberg: exactly so many; 0: chosen. `slots` then only says how many keys the
                                       overflow level is made for (0: as many as the slots of the other two) */
  bool deletes;                     /* iceberg: keys can be deleted; remainders have one value less for it */
  unsigned value_bits;              /* of the value that goes with each key: 0 (a set), 32, 64 */
  unsigned hashes;                  /* cuckoo: hash functions, 2..8; 0: 3 */
  unsigned probes;                  /* robin-hood: slots that a key may be in, from its home on; 0: chosen */
  enum table_reduction reduction;
  uint64_t (*reduce)(void *data, uint64_t present, uint64_t added); /* of TABLE_USER_REDUCTION; any number of threads
                                                                       call it. On the host only */
  void *reduce_data;
  const char *reduce_text; /* the same for a device: a C expression of `present` and `added`; NULL: none */
};

/* Errors of table_create: FLOE_ERROR_USAGE as for table_plan, also for an unknown name; FLOE_ERROR_MEMORY. */

struct table_stats {
  uint64_t slots, used; /* all levels; used: by keys */
  uint64_t deleted;     /* slots that a deleted key has left, of no use until the keys move (table_rehash) */
  uint64_t level_slots[3], level_used[3];
  uint64_t bytes;
  uint64_t load_histogram[33]; /* primary buckets by number of used slots */
};

struct table; /* opaque */

floe_status table_create(const struct table_config *config, struct table **out);
void table_free(struct table *table);

/* What table_create would make, without making it: bytes, slots, slot widths. More slots than wanted where that makes
   them narrower and so saves memory. FLOE_ERROR_USAGE: no such layout (the key does not fit the forced slot width). */
struct table_shape {
  unsigned key_bits, slot_bits, second_slot_bits, bucket_slots, second_bucket_slots;
  uint64_t buckets, second_buckets, third_slots; /* third: slots of the overflow level */
  uint64_t slots, bytes;
  unsigned value_bits;
  unsigned hashes; /* cuckoo */
  bool deletes;
  uint64_t values_at; /* byte offset of an array of values by slot, where the values lie apart; 0: they do not */
};
floe_status table_plan(const struct table_config *config, struct table_shape *out);
const struct table_shape *table_shape(const struct table *table);
const char *table_simd(const struct table *table); /* "avx512", "avx2", "portable" */

/* Concurrent: any number of threads at once. answers[i] for keys[i]; keys >= 2^key_bits are a programming error.
   Issues prefetches for the whole batch before it works on it: batches of 32 to 256 keys are best. Keys may repeat
   within and between batches; of all equal keys exactly one gets PUT. Returns the number of TABLE_FULL. */
size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);
/* answers[i]: TABLE_FOUND or TABLE_FULL (absent). Concurrent with find_or_put: may miss keys put meanwhile. */
void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);

/* Any operation on n keys. Which ones may go on at the same time, in other threads or in one call, is the scheme's
   (table/<scheme>.h); every scheme allows many calls of the same operation at once.
   answers[i] for keys[i]; returns the number of TABLE_FULL. No key is lost: where the answer is FULL to one that was to
   be put, keys[i] (and values[i]) is the key that has no place now, which need not be the one that was given; all
   others are in the table. `values`: n of them for GET, ADD and a PUT_NEW or FIND_OR_PUT of a map, else NULL. NULL
   in their place: the values that are put or added are all 0, those of keys that come back are lost, and GET answers
   as FIND. Nothing is done when the scheme has no such operation (a programming error): ask table_cannot before. */
size_t table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                 uint8_t *answers);
/* Why tables of this scheme and configuration do not have the operation: a phrase, "evicted keys are ...". NULL: they
   have it. */
const char *table_cannot(const struct table_config *config, enum table_operation operation);
const char *table_operation_name(enum table_operation operation); /* "find-or-put" */
/* The part of a table's slots that is to be filled before a larger table takes its place: beyond it operations become
   slow, or keys find no place. NULL: that of the default scheme. */
double table_fill(const char *scheme);

/* Not concurrent with operations that write: */
uint64_t table_count(const struct table *table); /* keys in it, by scan */
void table_stats(const struct table *table, struct table_stats *out);
/* Calls `visit` with every key of the part [part/parts) of the table (buckets are dealt out), each key once over all
   parts. Parts may be visited concurrently. */
void table_each(const struct table *table, unsigned part, unsigned parts,
                void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
/* Moves every key of part [part/parts) of `from`, with its value, into `to` (concurrent over parts). Returns the number
   of keys that `to` had no place for (TABLE_FULL): then `to` is to be dropped and a larger one made; `from` is
   unchanged. UINT64_MAX, and nothing is moved: `to` is not for these keys (table_cannot_move). */
uint64_t table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
/* Why `to` cannot take the keys of `from`: another scheme, keys or values of another width. A phrase; NULL: it can. */
const char *table_cannot_move(const struct table *from, const struct table *to);
/* Every key that the scheme's definition does not allow where it is (iceberg: definition 2 of the paper), or that is
   there twice: returns their number, 0 for a well-formed table. */
uint64_t table_check(const struct table *table);

const char *const *table_schemes(void);     /* NULL-terminated */
const char *const *permutation_names(void); /* NULL-terminated */

#endif
