/* Hash tables of libfloe: the tables of explorations and others, for keys of any program. Sets, and maps from keys
   of 1 to 64 bits to values of 32 or 64 bits, in the host's memory or on a GPU. doc/tables.md has the schemes, their
   operations and the rules for concurrent calls. doc/examples/table.c and recent.c are programs. floe_common.h has
   the rules for all functions.

   Any number of threads may call a function at once for the same table if its comment allows it. Calls of all other
   functions must not overlap other calls for the table. Messages go to the log given when the table was created.
   While several threads work on the table, no other code may use that log. */
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
  FLOE_HASH_FIND_OR_PUT, /* the answer states whether the key was present. A present key keeps its value */
  FLOE_HASH_PUT, /* keys that are all different and not in the table; for working-set any keys: the value is replaced */
  FLOE_HASH_DELETE,
  FLOE_HASH_GET, /* maps: find, and return the value */
  FLOE_HASH_ADD  /* maps: put, or combine the value with the present one (reduction) */
} floe_hash_operation;
FLOE_API const char *floe_hash_operation_name(floe_hash_operation operation); /* "find-or-put" */

typedef enum {
  FLOE_HASH_FOUND,   /* the key is, or was, in the table */
  FLOE_HASH_NEW,     /* the key was put */
  FLOE_HASH_NONE,    /* FIND, GET, DELETE: absent. Others: a key has no place, see floe_hash_run */
  FLOE_HASH_RESERVED /* linear maps with values of 64 bits: the key's value would become 2^64 - 1, which they reserve */
} floe_hash_answer;

/* Value of a key that is added again. Sums are modulo 2^value_bits. */
typedef enum {
  FLOE_HASH_REPLACE,
  FLOE_HASH_SUM,
  FLOE_HASH_MIN,
  FLOE_HASH_MAX,
  FLOE_HASH_OWN /* floe_hash_options.reduce */
} floe_hash_reduction;

/* User-defined permutations: for each `number` (0 to 2; for a cuckoo table those below `hashes`) a bijection of the
   keys of `bits` bits and its inverse. Many threads call them at once. Good permutations spread similar keys. */
typedef struct {
  uint64_t (*apply)(void *data, unsigned number, unsigned bits, uint64_t key);
  uint64_t (*invert)(void *data, unsigned number, unsigned bits, uint64_t key);
  void *data;
  /* The same for a GPU, as C expressions of type uint64_t over `key`, `number` and `bits`; NULL: none. */
  const char *apply_text, *invert_text;
} floe_hash_own_permutation;

/* floe_hash_options_init sets the defaults named here. Strings need not outlive the call that takes the options. */
typedef struct {
  size_t struct_size; /* set by floe_hash_options_init */
  const char *scheme; /* "iceberg"; also "linear", "bitmap", "cuckoo", "robin-hood", "working-set" */
  unsigned key_bits;  /* 64: keys are below 2^key_bits. Compact tables take less memory for narrower keys */
  uint64_t
      slots; /* 65536, of all levels together; rounded up to whole buckets. Bitmap: always 2^key_bits; at most 2^48 */
  unsigned slot_bits;        /* 0: chosen for the least memory; else the required width of the (first level's) slots */
  unsigned second_slot_bits; /* iceberg, second level: likewise */
  unsigned bucket_slots;     /* 0: chosen; else slots per bucket */
  unsigned value_bits; /* 0: a set; 32, 64: a map with values of this width. Linear: 2^64 - 1 is reserved; all others
                          take every value */
  bool deletes;        /* iceberg: keys can be deleted; costs one value of each slot */
  unsigned hashes;     /* cuckoo: buckets that a key may be in, 2 to 8; 0: 3 */
  unsigned probes;     /* robin-hood: length of a key's probe order, in slots; 0: 4096 */
  floe_hash_reduction reduction; /* REPLACE */
  uint64_t (*reduce)(void *data, uint64_t present,
                     uint64_t added); /* OWN: many threads call it at once, and more often than its result is used */
  void *reduce_data;
  const char *reduce_text; /* OWN, on a GPU, instead: a C expression of `present` and `added`, "present | added" */
  const char *permutation; /* NULL: the scheme's default; a name of floe_hash_permutation */
  const floe_hash_own_permutation *own_permutation; /* NULL: none; else replaces `permutation` */
  uint64_t seed;                                    /* 0: selects permutations of a family */
  bool trusted; /* false; true: keys and values are not checked before use. One that is too wide then corrupts the table
                 */
  floe_engine engine;    /* CPU. GPU; AUTO: a usable GPU if there is one, else the CPU */
  unsigned threads;      /* CPU: for clearing and resizing; 0: one per core that the process may use */
  unsigned gpu_device;   /* 0: number of the GPU, as in floe_devices */
  bool host_memory;      /* GPU: false; true: the table is in the host's memory, for tables larger than the device's */
  const char *cache_dir; /* GPU: directory of compiled kernels; as in floe_options */
  /* working-set has keys and values of 64 bits (value_bits = 64) and only the reduction REPLACE. `slots` is the
     number of both levels together. On a GPU the first level is in the device's memory, and the second one in the
     host's. */
  uint64_t recent_slots; /* working-set: pairs of the first level, below `slots`; 0: an eighth of the slots */
  uint64_t batch;        /* working-set: operations per batch, at most 2^20; 0: 2^15 */
  const char *variant;   /* working-set: NULL: the fastest, "log"; for the published ones see floe_hash_variant */
  bool timed; /* working-set on a GPU: false; true: floe_hash_traffic has the times of kernels and copies, which costs
                 some microseconds a batch */
} floe_hash_options;
FLOE_API void floe_hash_options_init(floe_hash_options *options);

typedef struct {
  const char *scheme;  /* "iceberg" */
  floe_engine engine;  /* CPU or GPU */
  const char *machine; /* "avx512": the form of the CPU's instructions; or the GPU's name. "": of a plan */
  unsigned key_bits, value_bits, slot_bits, bucket_slots;
  unsigned second_slot_bits, second_bucket_slots; /* 0: no second level */
  unsigned hashes;                                /* cuckoo; 0: another scheme */
  bool deletes;                                   /* floe_hash_options.deletes */
  uint64_t slots;                                 /* of all levels */
  uint64_t bytes;                                 /* memory of the table */
  double fill; /* part of the slots up to which the table is fast and keys find a place; resize it beyond that */
} floe_hash_info;

/* Information on the table that floe_hash_create would create. Allocates no table and starts no GPU (AUTO is planned
   for the CPU). FLOE_ERROR_USAGE, logged with a hint: no such table is possible. */
FLOE_API floe_status floe_hash_plan(const floe_hash_options *options, floe_log *log, floe_hash_info *out);
/* Creates an empty table. `log` must outlive it. FLOE_ERROR_USAGE: no such table is possible. FLOE_ERROR_MEMORY: no
   memory for it. FLOE_ERROR_UNSUPPORTED: the requested GPU is not available, or the processor lacks instructions
   that the table needs. All errors are logged. For a GPU, kernels that are not in the cache are compiled, which
   takes seconds. */
FLOE_API floe_status floe_hash_create(const floe_hash_options *options, floe_log *log, floe_hash_table **out);
FLOE_API void floe_hash_free(floe_hash_table *table); /* NULL is allowed */
FLOE_API floe_hash_info floe_hash_information(const floe_hash_table *table);
/* Why this table lacks the operation: a phrase, "its keys have no values". NULL: it has it. */
FLOE_API const char *floe_hash_cannot(const floe_hash_table *table, floe_hash_operation operation);

/* Runs the operation on n keys. Any number of threads may call it at once, within the scheme's rules
   (doc/tables.md). answers[i] (enum floe_hash_answer) is for keys[i]. `values`: for maps n values for GET (written),
   ADD, PUT and FIND_OR_PUT (read); ignored otherwise. NULL: values put or added are 0, and GET returns none.

   No key is lost. If a key to put gets NONE, keys[i] and values[i] become the key that has no place now, which may
   differ from the given one; all other keys are in the table. The caller resizes the table and puts it again, or
   keeps it elsewhere. *full: the number of NONE and RESERVED; NULL is allowed.

   RESERVED is an answer of ADD to a linear map with values of 64 bits: the reduction's result is 2^64 - 1. The present
   value stays, and values[i] is the part that was not added; floe_hash_run then returns FLOE_ERROR_UNSUPPORTED,
   logged. All other keys are processed, and answers, values and *full are valid. Use another scheme for such values.

   On a CPU the keys are prefetched in batches: calls with 32 keys and more are best. On a GPU the arrays are copied
   piece by piece, and calls of several threads run one after the other.

   FLOE_ERROR_USAGE, logged, and nothing is done: the table lacks the operation, or a key or value is too wide. Other
   errors come from GPUs; a part of the keys may have been processed then. */
FLOE_API floe_status floe_hash_run(floe_hash_table *table, floe_hash_operation operation, uint64_t *keys,
                                   uint64_t *values, size_t n, uint8_t *answers, size_t *full);
/* The same for a table on a GPU, with arrays in that device's memory: addresses of CUDA's driver API (cuMemAlloc) or
   runtime API (cudaMalloc) in the device's primary context, or of page-locked memory of the host. Data written to
   them must have arrived (cudaDeviceSynchronize); the answers are complete when this returns. Keys and values are
   not checked. `values`: 0 for NULL. NONE and RESERVED are not reported; count the answers. FLOE_ERROR_USAGE also
   for a table on the CPU, or with a level there. */
FLOE_API floe_status floe_hash_run_on_device(floe_hash_table *table, floe_hash_operation operation, uint64_t keys,
                                             uint64_t values, uint64_t n, uint64_t answers);

/* Runs different operations on a working-set table, with the result of executing them one after the other, first to
   last. operations[i] (enum floe_hash_operation) is FIND, GET, DELETE, or PUT (ADD is the same). PUT sets the key's
   value whether it was present or not: FOUND or NEW. values[i] is read for a PUT and written for a GET that finds
   the key; others stay. NULL: values put are 0, and GET returns none.

   The table orders its pairs by their last use, which is a PUT, or a FIND or GET that found the key. Operations run
   in batches (floe_hash_options.batch, from the first operation of each call on). After each batch the first level
   holds the pairs used last, of those that were in it or were used, up to its number of slots; all others are in the
   second level. So it has the recent_slots pairs used last, or fewer if some of them were deleted since. Answers and
   order do not depend on batches.

   If a batch leaves more pairs than both levels have slots for, the pairs of the first level that were used longest
   ago have no place. For each of them the last NEW answers of the batch become NONE, and keys[i], values[i] become
   the pair, which is no longer in the table. *full: their number; NULL is allowed. Calls of several threads run one
   after the other. Errors as floe_hash_run. FLOE_ERROR_USAGE also for another operation or another table.
   FLOE_ERROR_MEMORY, logged, and errors of GPUs: a part may have been processed. */
FLOE_API floe_status floe_hash_run_mixed(floe_hash_table *table, const uint8_t *operations, uint64_t *keys,
                                         uint64_t *values, size_t n, uint8_t *answers, size_t *full);

/* Statistics of the levels of a working-set table since it was created or cleared. Times are of the host's clock, in
   seconds. */
typedef struct {
  uint64_t batches, operations;
  uint64_t asked;        /* different keys of a batch that the first level lacked, looked up in the second */
  uint64_t moved_up;     /* pairs found there and moved to the first level */
  uint64_t moved_down;   /* pairs of the first level that were evicted to the second */
  double seconds;        /* in calls */
  double waited_seconds; /* waiting for the first level: on a GPU for copies and kernels; else its work */
  double second_seconds; /* work of the second level */
  double beside_seconds; /* of these, while the first level processed a batch */
  double kernel_seconds; /* of the GPU's clock, if `timed`: kernels */
  double copy_seconds;   /* and copies to the device and back */
} floe_hash_traffic;
/* FLOE_ERROR_USAGE, logged: for another table. */
FLOE_API floe_status floe_hash_traffic_of(floe_hash_table *table, floe_hash_traffic *out);

/* find-or-put of a cuckoo table for whole arrays: sorts the keys, looks them up, and puts the absent ones. No other
   call for the table may overlap it. Keys and their values may be returned in another order: answers[i] is for the
   returned keys[i]. Of equal keys at most one gets NEW or NONE. Otherwise as floe_hash_run. FLOE_ERROR_USAGE also
   for another table, and on a GPU for one with values. FLOE_ERROR_UNSUPPORTED: sorting on a GPU needs a floe built
   with nvcc. FLOE_ERROR_MEMORY: nothing was done, or, on a GPU, only a part. All errors are logged. */
FLOE_API floe_status floe_hash_find_or_put_sorted(floe_hash_table *table, uint64_t *keys, uint64_t *values, size_t n,
                                                  uint8_t *answers, size_t *full);

/* Empties the table and selects permutations by another seed. */
FLOE_API floe_status floe_hash_clear(floe_hash_table *table, uint64_t seed);
/* Moves all keys, with their values, into a new table of so many slots, which replaces this one; slots of deleted
   keys become free. Both tables are in memory meanwhile. FLOE_ERROR_USAGE, logged: no such table is possible, or a
   key has no place in it. FLOE_ERROR_MEMORY, logged. After any error the table is unchanged. */
FLOE_API floe_status floe_hash_resize(floe_hash_table *table, uint64_t slots);

/* Number of keys in the table. */
FLOE_API floe_status floe_hash_count(floe_hash_table *table, uint64_t *count);

enum { FLOE_HASH_DISTANCES = 65 };
typedef struct {
  uint64_t slots, used;                   /* of all levels; used: slots with keys */
  uint64_t deleted;                       /* slots of deleted keys, unusable until a resize (iceberg) */
  uint64_t level_slots[3], level_used[3]; /* working-set: of the first and the second level */
  uint64_t load_histogram[33];            /* buckets of the first level by number of used slots; robin-hood: slots */
  bool has_distances; /* linear, robin-hood: distances in slots between a key's home and its place are known; else all 0
                       */
  double distance_mean;
  uint64_t distance_most;
  uint64_t distances[FLOE_HASH_DISTANCES]; /* [0]: keys at home; [i]: 2^(i - 1) up to 2^i - 1 slots away; robin-hood's
                                              [15] includes all beyond */
} floe_hash_stats;
/* Reads every slot. On a GPU this function, floe_hash_count, floe_hash_each and floe_hash_check work on a temporary
   copy in the host's memory. FLOE_ERROR_MEMORY, logged: no memory for the copy. */
FLOE_API floe_status floe_hash_statistics(floe_hash_table *table, floe_hash_stats *out);

/* Calls `visit` with every key of part `part` of `parts`, and its value (`values` NULL: it is a set), some hundred
   at a time; each key once over all parts. For a working-set table part 0 begins with the first level, the pair used
   last first. `visit` must not change the table. Several threads may visit parts of a table on the CPU while no
   thread changes it. FLOE_ERROR_USAGE: part is not below parts. */
FLOE_API floe_status floe_hash_each(floe_hash_table *table, unsigned part, unsigned parts,
                                    void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                                    void *user);
/* Number of keys at a place that the scheme does not allow, or stored twice: 0 for every well-formed table. Takes
   longer than floe_hash_statistics. */
FLOE_API floe_status floe_hash_check(floe_hash_table *table, uint64_t *wrong);

#ifdef __cplusplus
}
#endif

#endif
