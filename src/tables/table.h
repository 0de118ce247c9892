/* Interface of the hash tables: a set of keys of M bits, or a map from keys to values. The visited set is one of
   them. This is the host side (tables/host_table.c); the algorithms are kernel C (tables/kernel). table_cannot
   reports the operations that a scheme lacks. */
#ifndef FLOE_TABLES_TABLE_H
#define FLOE_TABLES_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables are sized so that this part of their slots can be filled before a key finds no place. */
#define TABLE_FILL 0.93

/* RESERVED, of linear maps: the new value is one that they cannot store. The present value, if any, is unchanged. */
enum table_answer { TABLE_FOUND, TABLE_PUT, TABLE_FULL, TABLE_RESERVED };

/* Operations on many keys at once (table_run). */
enum table_operation {
  TABLE_FIND,        /* FOUND; FULL: absent */
  TABLE_FIND_OR_PUT, /* FOUND; PUT; FULL: no place */
  TABLE_PUT_NEW,     /* keys that are all different and not in the table. PUT; FULL: no place */
  TABLE_DELETE,      /* FOUND: the key was in the table; FULL: absent */
  TABLE_GET,         /* FOUND, and values[i]; FULL: absent */
  TABLE_ADD,         /* key and value: PUT; FOUND: the value is combined with the present one (table_config.reduction);
                        FULL: no place */
  TABLE_OPERATIONS
};

/* Value of a key that is added again: the new value, or a combination of the present and the new one. */
enum table_reduction { TABLE_REPLACE, TABLE_SUM, TABLE_MIN, TABLE_MAX, TABLE_USER_REDUCTION };

enum { TABLE_PACKED_BITS = 21 }; /* packed slots, three to a word */

struct local_index;

struct table_config {
  const char *scheme;      /* of table_schemes(); NULL: the first of them */
  const char *permutation; /* NULL: default; a name of permutation_names() */
  unsigned key_bits;       /* 1..64 */
  uint64_t keys;           /* exclusive bound of the keys; 0: 2^key_bits. A table may be sized by it */
  const struct local_index
      *local_index; /* the table gets only keys that `member` owns (tables/kernel/local_index.h), and a table with a
                  place for every key has none for others; NULL, or without members: any keys. It outlives the table */
  unsigned member;
  uint64_t slots;        /* requested number of slots in all levels; rounded up to whole buckets */
  bool packed;           /* slots of 21 bits may be chosen; needs a machine with scans for them (the CPU) */
  unsigned slot_bits;    /* primary: 0 (chosen for least memory), 16, 21, 32, 64 */
  unsigned bucket_slots; /* primary: 0 (chosen), 8, 16, 32; for slots of 21 bits 12, 24 */
  uint64_t multiple_of;  /* primary buckets: a multiple of this if one is near, so that keys move in order from a table
                            with a small multiple of it; 0: any number */
  uint64_t seed;         /* chooses among permutations of the family */
  const char
      *simd; /* NULL: best of the machine; else a form's name (UNSUPPORTED if it is not available: tables/simd.h) */
  const struct permutation_user
      *permutation_user;            /* NULL: none; else replaces `permutation`; copied (tables/permutation.h) */
  unsigned second_slot_bits;        /* iceberg: secondary; 0: chosen */
  uint64_t buckets, second_buckets; /* iceberg: exact numbers; 0: chosen. Then `slots` only gives the number of keys for
                                       which the overflow level is sized (0: the slots of the other two levels) */
  bool deletes;                     /* iceberg: keys can be deleted; costs one value of the remainders */
  unsigned value_bits;              /* width of the value of each key: 0 (a set), 32, 64 */
  unsigned hashes;                  /* cuckoo: hash functions, 2..8; 0: 3 */
  unsigned probes;                  /* robin-hood: slots of a key's probe order; 0: chosen */
  enum table_reduction reduction;
  uint64_t (*reduce)(void *data, uint64_t present,
                     uint64_t added); /* for TABLE_USER_REDUCTION; any number of threads call it. On the host only */
  void *reduce_data;
  const char *reduce_text; /* the same for a device: a C expression of `present` and `added`; NULL: none */
};

/* Errors of table_create: FLOE_ERROR_USAGE as for table_plan, also for an unknown name; FLOE_ERROR_MEMORY. */

struct table_stats {
  uint64_t slots, used; /* all levels; used: slots with keys */
  uint64_t deleted;     /* slots of deleted keys, unusable until the keys move (table_rehash) */
  uint64_t level_slots[3], level_used[3];
  uint64_t bytes;
  uint64_t load_histogram[33]; /* primary buckets by number of used slots */
};

struct table; /* opaque */

floe_status table_create(const struct table_config *config, struct table **out);
void table_free(struct table *table);

/* The layout that table_create would choose, without creating the table: bytes, slots, slot widths. It has more
   slots than requested if those are narrower and so save memory. FLOE_ERROR_USAGE: no such layout (the key does not
   fit the forced slot width). */
struct table_shape {
  unsigned key_bits, slot_bits, second_slot_bits, bucket_slots, second_bucket_slots;
  uint64_t buckets, second_buckets, third_slots; /* third: slots of the overflow level */
  uint64_t slots, bytes;
  unsigned value_bits;
  unsigned hashes; /* cuckoo */
  bool deletes;
  uint64_t values_at; /* byte offset of a separate array of values by slot; 0: none */
};
floe_status table_plan(const struct table_config *config, struct table_shape *out);
const struct table_shape *table_shape(const struct table *table);
const char *table_simd(const struct table *table); /* "avx512", "avx2", "portable" */

/* Concurrent: any number of threads at once. answers[i] for keys[i]; keys >= 2^key_bits are a programming error.
   Prefetches the whole batch before any lookup: batches of 32 to 256 keys are best. Keys may repeat within and
   between batches; of all equal keys exactly one gets PUT. Returns the number of TABLE_FULL. */
size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);
/* answers[i]: TABLE_FOUND or TABLE_FULL (absent). Concurrent with find_or_put: may miss keys put meanwhile. */
void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);

/* find-or-put that also returns slot numbers; only for schemes whose traits have `stable`. slots[i]: slot number of
   keys[i], below table_shape(table)->slots; UINT64_MAX: no place. Slot numbers of keys in the table are different. A
   key keeps its number, whatever is put, until it is deleted or the keys move to another table, which numbers them
   again. A key that is put again after its deletion may have a new number. Concurrent like table_find_or_put, and
   with it. Keys put in a map have the value 0. */
size_t table_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots);
/* The key in a slot, by a number from table_find_or_put_slots; for the same schemes. Concurrent with every operation
   except the deletion of this key: the number of a deleted key is a programming error. */
uint64_t table_key_at(const struct table *table, uint64_t slot);

/* Any operation on n keys. Each scheme defines which operations may run concurrently, in other threads or in one
   call (tables/<scheme>/<scheme>.h); every scheme allows many concurrent calls of the same operation. answers[i] for
   keys[i]; returns the number of TABLE_FULL and TABLE_RESERVED. No key is lost: if a key to put gets FULL, keys[i] (and
   values[i]) become the key that has no place now, which may differ from the given one; all other keys are in the
   table. `values`: n of them for GET, ADD and a PUT_NEW or FIND_OR_PUT of a map, else NULL. NULL for these: values to
   put or add are 0, values of returned keys are lost, and GET answers as FIND. Calling an operation that the scheme
   lacks is a programming error and does nothing; see table_cannot. */
size_t table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                 uint8_t *answers);
/* find-or-put of a whole batch, for tables whose operations cannot run concurrently. The keys are sorted; the first
   of equal keys is looked up, then put if it was absent (with its value, if the table has values). No other
   operation may use the table meanwhile. answers[i] for keys[i]: of equal keys at most one gets TABLE_PUT or
   TABLE_FULL, namely the first in the batch; the others TABLE_FOUND. As with TABLE_PUT_NEW, keys[i] of a TABLE_FULL
   becomes the key without a place, which may be one that was put or found before. *full: number of TABLE_FULL.
   FLOE_ERROR_MEMORY: nothing was done. */
floe_status table_sorted_find_or_put(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                     size_t *full);
bool table_sorts(const char *scheme); /* whether the scheme has table_sorted_find_or_put */
/* Why tables of this scheme and configuration lack the operation: a phrase, "evicted keys are ...". NULL: they have
   it. */
const char *table_cannot(const struct table_config *config, enum table_operation operation);
const char *table_operation_name(enum table_operation operation); /* "find-or-put" */
/* Fill of a table when the first key reaches the overflow level, with different random keys (chosen by `seed`) put
   one after the other. */
struct table_overflow {
  uint64_t keys;  /* put before that */
  uint64_t slots; /* of the other levels */
  bool met;       /* false: all different keys have been put */
};
/* Errors as table_create. FLOE_ERROR_UNSUPPORTED: the scheme has no such level. */
floe_status table_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out);
bool table_overflows(const char *scheme); /* whether the scheme has such a level */
/* The part of a table's slots to fill before a larger table replaces it: beyond it operations become slow, or keys
   find no place. NULL: that of the default scheme. */
double table_fill(const char *scheme);

/* Not concurrent with operations that write: */
uint64_t table_count(const struct table *table); /* number of keys, by scan */
void table_stats(const struct table *table, struct table_stats *out);
/* Calls `visit` with every key of part [part/parts) of the table (parts are ranges of buckets); each key once over
   all parts. Parts may be visited concurrently. */
void table_each(const struct table *table, unsigned part, unsigned parts,
                void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
/* Moves every key of part [part/parts) of `from`, with its value, into `to` (concurrent over parts). Returns the
   number of keys without a place in `to` (TABLE_FULL): the caller then discards `to` and creates a larger one;
   `from` is unchanged. UINT64_MAX, and nothing is moved: `to` cannot take these keys (table_cannot_move). */
uint64_t table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
/* Why `to` cannot take the keys of `from`: another scheme, keys or values of another width. A phrase; NULL: it can. */
const char *table_cannot_move(const struct table *from, const struct table *to);
/* Distances of keys from their homes, in slots: 0 for a key at home. Deleted keys do not count. */
enum { TABLE_DISTANCES = 65 };
struct table_distances {
  uint64_t keys, largest;
  double mean;
  uint64_t histogram[TABLE_DISTANCES]; /* [0]: distance 0; [i]: 2^(i - 1) up to 2^i - 1 */
};
bool table_has_distances(const char *scheme); /* whether keys of the scheme have homes */
/* False: keys have no homes. */
bool table_distances(const struct table *table, struct table_distances *out);
/* Number of keys at a place that the scheme's definition does not allow (iceberg: definition 2 of the paper), or
   stored twice: 0 for a well-formed table. */
uint64_t table_check(const struct table *table);

/* ---- schemes --------------------------------------------------------------------------------- */

const char *const *table_schemes(void);     /* NULL-terminated; the first is the default one */
const char *const *permutation_names(void); /* NULL-terminated */

enum { TABLE_WIDTHS = 8 }; /* lengths of the lists of slots, buckets and values, with the 0 at the end */

/* Properties of a scheme's tables, for callers that select a scheme. table_cannot reports the operations: a scheme
   with find-or-put can hold a visited set. */
struct table_traits {
  const char *description;             /* "compact, ..." */
  const char *layouts;                 /* the possible layouts, in words, for hints */
  unsigned slot_bits[TABLE_WIDTHS];    /* slot widths of the first level; 0 after the last */
  unsigned bucket_slots[TABLE_WIDTHS]; /* sizes of buckets; empty: not a choice (table_config.bucket_slots) */
  unsigned value_bits[TABLE_WIDTHS];   /* of values */
  bool sets;                           /* sets are possible */
  bool stable;                         /* a key keeps its slot until it is deleted; slots have numbers */
  bool every_key;    /* every key below table_config.keys has a place: puts never answer FULL, a table never grows, and
                        `slots` is ignored */
  bool second_level; /* table_config.second_slot_bits, .buckets, .second_buckets */
  bool deletes;      /* table_config.deletes enables deletion */
  bool hashes;       /* table_config.hashes */
  bool probes;       /* table_config.probes */
  bool joins_halves; /* key and value of 32 bits are one word, swapped together */
  const char *last_value_is_none; /* maps with values of 64 bits cannot hold 2^64 - 1; a phrase for hints */
};
/* `scheme` as in table_config. NULL: there is no such scheme. */
const char *table_scheme_name(const char *scheme); /* name in the registry, which is static */
const struct table_traits *table_traits(const char *scheme);
bool table_has(const unsigned widths[TABLE_WIDTHS], unsigned width); /* whether the list has the width */

#endif
