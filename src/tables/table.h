/* The seam of the hash tables: a set of keys of M bits, or a map from them to values. The visited set is one of them.
   Host owner (tables/host_table.c) here; the text of the algorithms is kernel C (src/table/kernel/). What a scheme cannot do
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

enum { TABLE_PACKED_BITS = 21 }; /* slots that lie three to a word */

struct local_index;

struct table_config {
  const char *scheme;              /* of table_schemes(); NULL: the first of them */
  const char *permutation;         /* NULL: default; a name of permutation_names() */
  unsigned key_bits;               /* 1..64 */
  uint64_t keys;                   /* all keys are below it; 0: 2^key_bits. A table may be laid out for it */
  const struct local_index *shares; /* only keys come to it of which `member` is the owner (tables/kernel/local_index.h), and
                                      a table with a place for every key has none for others; NULL, or without members:
                                      any keys. It outlives the table */
  unsigned member;
  uint64_t slots;        /* wanted number of slots in all levels; rounded up to whole buckets */
  bool packed;           /* slots of 21 bits may be chosen; needs a machine text that has them (the CPU's) */
  unsigned slot_bits;    /* primary: 0 (that with the least memory), 16, 21, 32, 64 */
  unsigned bucket_slots; /* primary: 0 (chosen), 8, 16, 32; for slots of 21 bits 12, 24 */
  uint64_t multiple_of;  /* primary buckets: a multiple of this where one is near, so that keys move in order from a
                            table with a small multiple of it; 0: any number */
  uint64_t seed;         /* chooses among permutations of the family */
  const char *simd;      /* NULL: best of the machine; else a form's name (UNSUPPORTED when it is not to be had:
                            tables/simd.h) */
  const struct permutation_user *permutation_user; /* NULL: none; else takes the place of `permutation`; copied
                                                      (tables/permutation.h) */
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

/* find-or-put that also numbers the keys, for schemes whose traits say `stable`; of others it is not to be asked.
   slots[i]: the number of the slot of keys[i], below table_shape(table)->slots; UINT64_MAX: it found no place. No two
   keys in the table have the same. It stays the key's, whatever is put meanwhile, until the key is deleted or the keys
   move to another table, where they have other numbers; a key that is put again after its deletion may have a new one.
   Concurrent like table_find_or_put, and with it; keys that it puts in a map have the value 0. */
size_t table_find_or_put_slots(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers, uint64_t *slots);
/* The key in a slot, by a number that table_find_or_put_slots gave; schemes as there. Concurrent with every operation
   but the deletion of this key: the number of a deleted key is a programming error. */
uint64_t table_key_at(const struct table *table, uint64_t slot);

/* Any operation on n keys. Which ones may go on at the same time, in other threads or in one call, is the scheme's
   (table/<scheme>.h); every scheme allows many calls of the same operation at once.
   answers[i] for keys[i]; returns the number of TABLE_FULL. No key is lost: where the answer is FULL to one that was to
   be put, keys[i] (and values[i]) is the key that has no place now, which need not be the one that was given; all
   others are in the table. `values`: n of them for GET, ADD and a PUT_NEW or FIND_OR_PUT of a map, else NULL. NULL
   in their place: the values that are put or added are all 0, those of keys that come back are lost, and GET answers
   as FIND. Nothing is done when the scheme has no such operation (a programming error): ask table_cannot before. */
size_t table_run(struct table *table, enum table_operation operation, uint64_t *keys, uint64_t *values, size_t n,
                 uint8_t *answers);
/* find-or-put of a whole batch, as far as tables can whose operations do not mix: the keys are sorted, of equal ones
   the first is looked up and then put where it was absent (with its value, where the table has values). Nothing else
   may be done with the table meanwhile. answers[i] for keys[i]: of equal keys at most one gets TABLE_PUT or TABLE_FULL,
   namely the first in the batch; the others TABLE_FOUND. As with TABLE_PUT_NEW, keys[i] of a TABLE_FULL becomes the key
   without a place, which may be one that was put or found before. *full: their number. FLOE_ERROR_MEMORY: nothing was
   done. */
floe_status table_sorted_find_or_put(struct table *table, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                                     size_t *full);
bool table_sorts(const char *scheme); /* it has that; else it is not to be called */
/* Why tables of this scheme and configuration do not have the operation: a phrase, "evicted keys are ...". NULL: they
   have it. */
const char *table_cannot(const struct table_config *config, enum table_operation operation);
const char *table_operation_name(enum table_operation operation); /* "find-or-put" */
/* How far a table fills before the first key comes to a level that is for what the others have no place for, putting
   different random keys (which ones, `seed` tells) one after the other. */
struct table_overflow {
  uint64_t keys;  /* put before */
  uint64_t slots; /* of the other levels */
  bool met;       /* false: there are no more different keys */
};
/* Errors as table_create. FLOE_ERROR_UNSUPPORTED: the scheme has no such level. */
floe_status table_first_overflow(const struct table_config *config, uint64_t seed, struct table_overflow *out);
bool table_overflows(const char *scheme); /* it has such a level */
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
/* How far keys are from their homes, in slots: 0 for a key in its home. Deleted keys do not count. */
enum { TABLE_DISTANCES = 65 };
struct table_distances {
  uint64_t keys, largest;
  double mean;
  uint64_t histogram[TABLE_DISTANCES]; /* [0]: distance 0; [i]: 2^(i - 1) up to 2^i - 1 */
};
bool table_has_distances(const char *scheme); /* its keys have homes */
/* False: they have none. */
bool table_distances(const struct table *table, struct table_distances *out);
/* Every key that the scheme's definition does not allow where it is (iceberg: definition 2 of the paper), or that is
   there twice: returns their number, 0 for a well-formed table. */
uint64_t table_check(const struct table *table);

/* ---- schemes --------------------------------------------------------------------------------- */

const char *const *table_schemes(void);     /* NULL-terminated; the first is the default one */
const char *const *permutation_names(void); /* NULL-terminated */

enum { TABLE_WIDTHS = 8 }; /* with the 0 at the end: of slots, of buckets, of values */

/* What the tables of a scheme are like, for those who choose among schemes. What operations they have, table_cannot
   tells: a scheme with find-or-put can hold a visited set, with delete keys go. */
struct table_traits {
  const char *description;             /* "compact, ..." */
  const char *layouts;                 /* what there is of them, in words, for hints */
  unsigned slot_bits[TABLE_WIDTHS];    /* widths of slots, of the first level; 0 after the last */
  unsigned bucket_slots[TABLE_WIDTHS]; /* sizes of buckets; none: it is no choice (table_config.bucket_slots) */
  unsigned value_bits[TABLE_WIDTHS];   /* of values */
  bool sets;                           /* keys can be without values */
  bool stable;                         /* a key keeps its slot until it is deleted; slots have numbers */
  bool every_key;                      /* there is a place for every key below table_config.keys: the answer FULL is
                                          never given to one that is to be put, and a table never grows. What `slots`
                                          are wanted is of no meaning */
  bool second_level;                   /* table_config.second_slot_bits, .buckets, .second_buckets */
  bool deletes;                        /* table_config.deletes decides whether keys can be deleted */
  bool hashes;                         /* table_config.hashes */
  bool probes;                         /* table_config.probes */
  bool joins_halves;                   /* key and value of 32 bits are one word, swapped as such */
  const char *last_value_is_none;      /* values of 64 bits: 2^64 - 1 is no value; a phrase for those who have it */
};
/* `scheme` as in table_config. NULL: there is no such scheme. */
const char *table_scheme_name(const char *scheme); /* as the registry has it, which stays */
const struct table_traits *table_traits(const char *scheme);
bool table_has(const unsigned widths[TABLE_WIDTHS], unsigned width); /* one of the lists of traits */

#endif
