/* The visited set's seam: a set of keys of M bits. Host owner (struct table) here; the text of the algorithms
   is kernel C (src/table/kernel/). */
#ifndef FLOE_TABLE_H
#define FLOE_TABLE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables are laid out so that this part of their slots is filled before a key finds no place. */
#define TABLE_FILL 0.93

enum table_answer { TABLE_FOUND, TABLE_PUT, TABLE_FULL };

struct table_config {
  const char *scheme;      /* "iceberg" */
  const char *permutation; /* NULL: default; a name of permutation_names() */
  unsigned key_bits;       /* 1..64 */
  uint64_t slots;          /* wanted number of slots in all levels; rounded up to whole buckets */
  bool packed;             /* slots of 21 bits may be chosen; needs a machine text that has them (the CPU's) */
  unsigned slot_bits;      /* primary: 0 (that with the least memory), 16, 21, 32, 64 */
  unsigned bucket_slots;   /* primary: 0 (chosen), 8, 16, 32; for slots of 21 bits 12, 24 */
  uint64_t multiple_of;    /* primary buckets: a multiple of this where one is near, so that keys move in order from a
                              table with a small multiple of it; 0: any number */
  uint64_t seed;           /* chooses among permutations of the family */
  const char *simd;        /* NULL: best of the machine; else a form's name (UNSUPPORTED when it is not to be had) */
  const struct permutation_user *permutation_user; /* NULL: none; else takes the place of `permutation`; copied
                                                      (table/permutation.h) */
};

/* Errors of table_create: FLOE_ERROR_USAGE as for table_plan, also for an unknown name; FLOE_ERROR_MEMORY. */

struct table_stats {
  uint64_t slots, used;        /* all levels */
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
};
floe_status table_plan(const struct table_config *config, struct table_shape *out);
const struct table_shape *table_shape(const struct table *table);
const char *table_simd(const struct table *table); /* "avx512", "avx2", "portable" */
const char *table_best_simd(void);                   /* of a table made now */

/* Concurrent: any number of threads at once. answers[i] for keys[i]; keys >= 2^key_bits are a programming error.
   Issues prefetches for the whole batch before it works on it: batches of 32 to 256 keys are best. Keys may repeat
   within and between batches; of all equal keys exactly one gets PUT. Returns the number of TABLE_FULL. */
size_t table_find_or_put(struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);
/* answers[i]: TABLE_FOUND or TABLE_FULL (absent). Concurrent with find_or_put: may miss keys put meanwhile. */
void table_find(const struct table *table, const uint64_t *keys, size_t n, uint8_t *answers);

/* Not concurrent with put: */
uint64_t table_count(const struct table *table); /* keys in it, by scan */
void table_stats(const struct table *table, struct table_stats *out);
/* Calls `visit` with every key of the part [part/parts) of the table (buckets are dealt out), each key once over all
   parts. Parts may be visited concurrently. */
void table_each(const struct table *table, unsigned part, unsigned parts,
                void (*visit)(void *user, const uint64_t *keys, size_t n), void *user);
/* Moves every key of part [part/parts) of `from` into `to` (concurrent over parts). Returns the number of keys that
   `to` had no place for (TABLE_FULL): then `to` is to be dropped and a larger one made; `from` is unchanged. */
uint64_t table_rehash(const struct table *from, struct table *to, unsigned part, unsigned parts);
/* Definition 2 of the paper: returns 0 when well-formed, else the number of violations found. */
uint64_t table_check(const struct table *table);

const char *const *table_schemes(void);       /* NULL-terminated */
const char *const *permutation_names(void);   /* NULL-terminated */

#endif
