/* The hash tables of libfloe, that explorations keep their states in, and others, for keys of one's own: sets, and
 * maps from keys of 1 to 64 bits to values of 32 or 64, in the host's memory or on a GPU.
 * doc/tables.md: which table for what, which operations it has, and what may go on at the same
 * time. doc/examples/table.c and recent.c are programs. What holds for all functions stands in floe_common.h.
 *
 * Of these functions those that say so may be called by any number of threads at once for the same
 * table. All others want it for themselves. What a call has to tell goes to the log that the table
 * was made with, which nobody else may use while several threads work on the table.
 */
#ifndef FLOE_TABLES_H
#define FLOE_TABLES_H

#include "floe_common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct floe_hash_table floe_hash_table;

FLOE_API const char *floe_hash_scheme(size_t i);      /* name of the i-th scheme; NULL after the last */
FLOE_API const char *floe_hash_permutation(size_t i); /* name of the i-th family of permutations; NULL after the last */
FLOE_API const char *floe_hash_variant(size_t i);     /* name of the i-th variant of working-set; NULL after the last */

typedef enum {
  FLOE_HASH_FIND,
  FLOE_HASH_FIND_OR_PUT, /* the answer tells whether the key was there. A key that was keeps its value */
  FLOE_HASH_PUT, /* keys that are all different and not in the table; of working-set any: the value is replaced */
  FLOE_HASH_DELETE,
  FLOE_HASH_GET, /* of maps: find, and the value */
  FLOE_HASH_ADD  /* of maps: put, or combine the value with the present one (reduction) */
} floe_hash_operation;
FLOE_API const char *floe_hash_operation_name(floe_hash_operation operation); /* "find-or-put" */

typedef enum {
  FLOE_HASH_FOUND, /* the key is, or was, in the table */
  FLOE_HASH_NEW,   /* the key was put */
  FLOE_HASH_NONE   /* FIND, GET, DELETE: it is not there. Others: a key has no place, see floe_hash_run */
} floe_hash_answer;

/* What a key's value becomes when it is added again. Sums are modulo 2^value_bits. */
typedef enum {
  FLOE_HASH_REPLACE,
  FLOE_HASH_SUM,
  FLOE_HASH_MIN,
  FLOE_HASH_MAX,
  FLOE_HASH_OWN /* floe_hash_options.reduce */
} floe_hash_reduction;

/* Permutations of one's own: for each `number` (0 to 2, of a cuckoo table those below `hashes`) a
   bijection of the keys of `bits` bits and its inverse. Called by many threads at once. Good ones
   spread keys that are alike. */
typedef struct {
  uint64_t (*apply)(void *data, unsigned number, unsigned bits, uint64_t key);
  uint64_t (*invert)(void *data, unsigned number, unsigned bits, uint64_t key);
  void *data;
  /* The same for a GPU, as C expressions of type uint64_t over `key`, `number` and `bits`; NULL
     where there is none. */
  const char *apply_text, *invert_text;
} floe_hash_own_permutation;

/* Set by floe_hash_options_init to the defaults named here. The texts need not outlive the call
   that takes them. */
typedef struct {
  size_t struct_size;            /* set by floe_hash_options_init */
  const char *scheme;            /* "iceberg"; also "linear", "bitmap", "cuckoo", "robin-hood", "working-set" */
  unsigned key_bits;             /* 64: keys are below 2^key_bits. Compact tables take less memory for narrower keys */
  uint64_t slots;                /* 65536, of all levels together; rounded up to whole buckets. Bitmap: 2^key_bits,
                                    whatever this says; more than 2^48 are refused */
  unsigned slot_bits;            /* 0: chosen, the least memory; else the only width of the (first level's) slots */
  unsigned second_slot_bits;     /* iceberg, second level: likewise */
  unsigned bucket_slots;         /* 0: chosen; else slots of a bucket */
  unsigned value_bits;           /* 0: a set; 32, 64: a map with values of so many bits. Linear: 2^64 - 1 is no value */
  bool deletes;                  /* iceberg: keys can be deleted; costs a value of each slot */
  unsigned hashes;               /* cuckoo: buckets that a key may be in, 2 to 8; 0: 3 */
  unsigned probes;               /* robin-hood: slots that a key may be in, from its home on; 0: 4096 */
  floe_hash_reduction reduction; /* REPLACE */
  uint64_t (*reduce)(void *data, uint64_t present, uint64_t added); /* OWN: called by many threads at once, and more
                                                                       often than its result is used */
  void *reduce_data;
  const char *reduce_text; /* OWN, on a GPU, instead: a C expression of `present` and `added`, "present | added" */
  const char *permutation; /* NULL: the scheme's default; a name of floe_hash_permutation */
  const floe_hash_own_permutation *own_permutation; /* NULL: none; else instead of `permutation` */
  uint64_t seed;                                    /* 0: chooses among the permutations of a family */
  bool trusted;        /* false; true: keys and values are not looked at before they are used. One that is too wide then
                          does harm */
  floe_engine engine;  /* CPU. GPU; AUTO: the GPU where there is one that can be used, else the CPU */
  unsigned threads;    /* CPU: of clearing and resizing; 0: one per core that the process may use */
  unsigned gpu_device; /* 0: number of the GPU, as in floe_devices */
  bool host_memory;    /* GPU: false; true: the table lies in the host's memory, for those larger than the device's */
  const char *cache_dir; /* GPU: of compiled kernels; as in floe_options */
  /* working-set, which has keys and values of 64 bits (value_bits = 64), no reductions but REPLACE, and `slots` in both
     levels together; on a GPU the first level lies there, and the second one always in the host's memory. */
  uint64_t recent_slots; /* working-set: pairs of the first level, below `slots`; 0: an eighth of the slots */
  uint64_t batch;        /* working-set: operations in a batch, at most 2^20; 0: 2^15 */
  const char *variant;   /* working-set: NULL: the fastest, "log"; others are as published: floe_hash_variant */
  bool timed; /* working-set on a GPU: false; true: floe_hash_traffic has the times of kernels and copies, which costs
                 some microseconds a batch */
} floe_hash_options;
FLOE_API void floe_hash_options_init(floe_hash_options *options);

typedef struct {
  const char *scheme;  /* "iceberg" */
  floe_engine engine;  /* CPU or GPU */
  const char *machine; /* "avx512": the form of the CPU's instructions; the GPU's name. "": it is planned only */
  unsigned key_bits, value_bits, slot_bits, bucket_slots;
  unsigned second_slot_bits, second_bucket_slots; /* 0: there is no second level */
  unsigned hashes;                                /* cuckoo; 0: another scheme */
  bool deletes;                                   /* floe_hash_options.deletes */
  uint64_t slots;                                 /* of all levels */
  uint64_t bytes;                                 /* of the table */
  double fill; /* part of the slots up to which the table is fast and keys find a place; then resize */
} floe_hash_info;

/* What floe_hash_create would make; takes no memory and starts no GPU (AUTO is planned as the
   CPU's). FLOE_ERROR_USAGE, told with a hint: there is no such table. */
FLOE_API floe_status floe_hash_plan(const floe_hash_options *options, floe_log *log, floe_hash_info *out);
/* An empty table. `log` outlives it. FLOE_ERROR_USAGE: there is no such table. FLOE_ERROR_MEMORY:
   no memory for it. FLOE_ERROR_UNSUPPORTED: the GPU that is asked for is not to be had, or the
   processor lacks what the table needs. All are told. On a GPU kernels are compiled where they are
   not in the cache, which takes seconds. */
FLOE_API floe_status floe_hash_create(const floe_hash_options *options, floe_log *log, floe_hash_table **out);
FLOE_API void floe_hash_free(floe_hash_table *table); /* NULL is allowed */
FLOE_API floe_hash_info floe_hash_information(const floe_hash_table *table);
/* Why this table has no such operation: a phrase, "its keys have no values". NULL: it has it. */
FLOE_API const char *floe_hash_cannot(const floe_hash_table *table, floe_hash_operation operation);

/* The operation on n keys, by any number of threads at once; answers[i] (enum floe_hash_answer) is
   that of keys[i]. `values`: n of them for GET (written), ADD, PUT and FIND_OR_PUT (read) of a map,
   else not looked at; NULL: the values that are put or added are 0, those that are got are not wanted. No key is lost:
   where one that was to be put is answered by NONE, keys[i], and values[i], become the key that has no place now, which
   need not be the one that was given, and all others are in the table. The caller resizes the table and puts it again,
   or keeps it elsewhere. *full: the number of NONE; NULL is allowed. On a CPU prefetches are issued for many keys at
   once: calls with 32 keys and more are best. On a GPU the arrays are copied, a piece after the other, and calls of
   several threads take turns. FLOE_ERROR_USAGE, told, and nothing is done: the table has no such operation, or a key or
   value is too wide. Other errors come from GPUs: part of the keys may have been worked on then. */
FLOE_API floe_status floe_hash_run(floe_hash_table *table, floe_hash_operation operation, uint64_t *keys,
                                   uint64_t *values, size_t n, uint8_t *answers, size_t *full);
/* The same for a table on a GPU, with arrays in that device's memory: addresses as CUDA's driver
   API (cuMemAlloc) and runtime API (cudaMalloc) have them in the device's primary context, or of
   page-locked memory of the host. What was written to them must be there (cudaDeviceSynchronize);
   the answers are, when this returns. Keys and values are trusted. `values`: 0 for NULL. Who does
   not count NONE has the answers. FLOE_ERROR_USAGE also for a table on the CPU, or with a level there. */
FLOE_API floe_status floe_hash_run_on_device(floe_hash_table *table, floe_hash_operation operation, uint64_t keys,
                                             uint64_t values, uint64_t n, uint64_t answers);

/* Operations that differ from key to key, of a working-set table: as if they were done one after the other, from the
   first to the last. operations[i] (enum floe_hash_operation) is FIND, GET, DELETE, or PUT (ADD is the same), which
   gives the key its value whether it was there or not: NEW or FOUND. values[i] is read for a PUT and written for a GET
   that finds; others stay. NULL: all that is put is 0, what is got is not wanted.

   The table keeps its pairs by their last use, which is a PUT, or a FIND or GET that found. They are worked on in
   batches (floe_hash_options.batch, from the first operation of each call on). After each batch the first level has, of
   the pairs that were in it or were used, those used last, as many as it has slots for; all others are in the second
   level. So it has the recent_slots pairs used last, fewer where pairs of it were deleted since. (Answers and order
   do not depend on batches.)

   Where a batch leaves more pairs than both levels have slots for, those that were used longest ago of the first
   level's have no place: the last ones answered NEW in the batch are answered NONE in place of that, and their keys[i],
   values[i] become the pairs that are not in the table any more. *full: their number; NULL is allowed. Calls of several
   threads take turns. Errors as floe_hash_run, of which this is the general form for such a table: FLOE_ERROR_USAGE
   also where an operation is none of these, or the table another one. FLOE_ERROR_MEMORY, told, and errors of GPUs: a
   part may have been done. */
FLOE_API floe_status floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys,
                                         uint64_t *values, size_t n, uint8_t *answers, size_t *full);

/* What went between the levels of a working-set table since it was made or cleared. Times are of the host's clock. */
typedef struct {
  uint64_t batches, operations;
  uint64_t asked;        /* different keys of a batch that were not in the first level: the second was asked for them */
  uint64_t moved_up;     /* pairs that it had, which are in the first level now */
  uint64_t moved_down;   /* pairs of the first level that had to make room */
  double seconds;        /* in calls */
  double waited_seconds; /* for the first level: where it is a GPU, for copies and kernels; else for its work */
  double second_seconds; /* of the second level's work */
  double beside_seconds; /* of these, while the first level was at work on a batch */
  double kernel_seconds; /* of the GPU's clock, where `timed`: kernels */
  double copy_seconds;   /* and copies to it and back */
} floe_hash_traffic;
/* FLOE_ERROR_USAGE, told, of another table. */
FLOE_API floe_status floe_hash_traffic_of(floe_hash_table *table, floe_hash_traffic *out);

/* find-or-put of a cuckoo table, which has it for whole arrays: the keys are sorted, looked up, and
   those that are absent are put. Wants the table for itself. answers[i] is that of the keys[i] that
   comes back, since the keys, with their values, may come back in another order; of equal keys at
   most one is answered by NEW or NONE. Otherwise as floe_hash_run.
   FLOE_ERROR_USAGE also for another table, and on a GPU for one with values. FLOE_ERROR_UNSUPPORTED:
   a GPU sorts only in a floe that was built with nvcc. FLOE_ERROR_MEMORY: nothing was done, or, on a
   GPU, not all. All are told. */
FLOE_API floe_status floe_hash_find_or_put_sorted(floe_hash_table *table, uint64_t *keys, uint64_t *values, size_t n,
                                                  uint8_t *answers, size_t *full);

/* The table is empty again, with permutations by another seed. */
FLOE_API floe_status floe_hash_clear(floe_hash_table *table, uint64_t seed);
/* All keys, with their values, move into a table of so many slots that takes this one's place; what
   deleted keys have left is gone. More slots are for keys to come, fewer give memory back; both
   tables are in memory meanwhile. FLOE_ERROR_USAGE, told: there is no such table, or not every key
   has a place in it. FLOE_ERROR_MEMORY, told. After any error the table is as it was. */
FLOE_API floe_status floe_hash_resize(floe_hash_table *table, uint64_t slots);

/* Keys in the table. */
FLOE_API floe_status floe_hash_count(floe_hash_table *table, uint64_t *count);

enum { FLOE_HASH_DISTANCES = 65 };
typedef struct {
  uint64_t slots, used;                   /* of all levels; used: by keys */
  uint64_t deleted;                       /* slots that deleted keys have left, of no use until a resize (iceberg) */
  uint64_t level_slots[3], level_used[3]; /* working-set: of the first and the second level */
  uint64_t load_histogram[33];            /* buckets of the first level by number of used slots; of robin-hood, slots */
  bool has_distances;                     /* linear, robin-hood: slots between a key's home and its place; else all 0 */
  double distance_mean;
  uint64_t distance_most;
  uint64_t distances[FLOE_HASH_DISTANCES]; /* [0]: keys at home; [i]: 2^(i - 1) up to 2^i - 1 slots away; robin-hood's
                                              [15] has all beyond too */
} floe_hash_stats;
/* Looks at every slot. On a GPU this function, floe_hash_count, floe_hash_each and floe_hash_check
   work on a copy in the host's memory that they make: FLOE_ERROR_MEMORY, told, where there is no
   room for it. */
FLOE_API floe_status floe_hash_statistics(floe_hash_table *table, floe_hash_stats *out);

/* Calls `visit` with every key of the part-th of so many parts of the table, and its value
   (`values` NULL: it is a set), some hundred at a time; each key once over all parts. Of a working-set table part 0
   begins with the first level, the pair used last coming first. `visit` must not change the table. Several threads may
   visit a table on the CPU, a part each, while nobody changes it. FLOE_ERROR_USAGE: part is not below parts. */
FLOE_API floe_status floe_hash_each(floe_hash_table *table, unsigned part, unsigned parts,
                                    void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                                    void *user);
/* Number of keys that are where the scheme does not allow them, or there twice: 0 for every table
   that is sound. Takes longer than floe_hash_statistics. */
FLOE_API floe_status floe_hash_check(floe_hash_table *table, uint64_t *wrong);

#ifdef __cplusplus
}
#endif

#endif
