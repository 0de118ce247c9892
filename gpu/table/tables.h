/* Tables of every scheme on a device (on the host: tables/table.h), generation of keys and values there, and limits
   of the device's memory: for tests and benchmarks. An exploration accesses its table from its own kernels. */
#ifndef FLOE_GPU_TABLES_H
#define FLOE_GPU_TABLES_H

#include "gpu/driver/memory.h"
#include "tables/table.h"

/* ---- tables ------------------------------------------------------------------------------------- */

struct gpu_table;

/* Why the device lacks the operation: table_cannot's phrase, or what the kernels lack. NULL: it has the operation.
   `arch`: compute capability (gpu_info.arch), 0: any. */
const char *gpu_table_cannot(const struct table_config *config, int arch, enum table_operation operation);

/* Creates an empty table. The kernels of all its operations are compiled, or taken from the cache (cache_dir as for
   gpu_build; NULL: none). `config`: as for table_create; its strings may be temporary; `packed` and `simd` are
   ignored. FLOE_ERROR_USAGE, logged: there is no such table on a device. FLOE_ERROR_MEMORY: not logged. Else as
   gpu_build. */
floe_status gpu_table_create(struct gpu *gpu, const struct table_config *config, enum gpu_table_place place,
                             const char *cache_dir, floe_log *log, struct gpu_table **out);
void gpu_table_free(struct gpu_table *table); /* NULL is allowed */
const struct table_shape *gpu_table_shape(const struct gpu_table *table);

/* Whether gpu_table_create would create the same table from this configuration. The seed does not count:
   gpu_table_clear takes another one. */
bool gpu_table_suits(const struct gpu_table *table, const struct table_config *config);

/* In the stream: empties the table and chooses other permutations of the family (table_config.seed). */
floe_status gpu_table_clear(struct gpu_table *table, uint64_t seed);

/* In the stream: table_run on n keys. Arrays are in the device's memory, or in page-locked host memory: keys and
   values of 64 bits each, answers of 8 (enum table_answer). `values` may be 0 where table_run allows NULL. The table
   is a set or map for the kernel's grid: the rules for threads in tables/<scheme>/<scheme>.h apply to n keys at once.
   FLOE_ERROR_USAGE, logged: the table does not have the operation. */
floe_status gpu_table_run(struct gpu_table *table, enum table_operation operation, gpu_address keys, gpu_address values,
                          uint64_t n, gpu_address answers);

/* In the stream: another kernel of the scheme's text, by name, with the common parameters. FLOE_ERROR_INTERNAL,
   logged: it has no kernel of that name. */
floe_status gpu_table_start(struct gpu_table *table, const char *name, gpu_address keys, gpu_address values, uint64_t n,
                            gpu_address answers);

/* Puts every key of `from`, with its value, into `to`, which is empty and another table of its scheme on its device,
   with the same key and value widths: as table_rehash. *left: keys that have no slot in `to`; if there are any,
   discard `to`. `from` is unchanged. Waits. FLOE_ERROR_USAGE, logged: `to` cannot hold these keys. FLOE_ERROR_MEMORY,
   not logged: for the transfer buffer, at most 72 MiB; less is sufficient. */
floe_status gpu_table_move(struct gpu_table *from, struct gpu_table *to, uint64_t *left);

/* A host table with the same content (table_free): table_check, table_stats, table_each, table_run work on it. */
floe_status gpu_table_download(struct gpu_table *table, struct table **out);
/* The same in the caller's memory of shape.bytes bytes, which the caller must not use otherwise. */
floe_status gpu_table_download_into(struct gpu_table *table, void *memory, struct table **out);

/* ---- keys, values, answers ---------------------------------------------------------------------- */

/* Kernels that generate and check arrays; one instance for all tables of a device. */
struct gpu_bench_kernels;
floe_status gpu_bench_kernels_create(struct gpu *gpu, const char *cache_dir, floe_log *log,
                                     struct gpu_bench_kernels **out);
void gpu_bench_kernels_free(struct gpu_bench_kernels *tools); /* NULL is allowed */

/* n keys, computed from numbers by a bijection of the key's width (gpu_key_of), so that different numbers are
   different keys:
     n - others keys are of the numbers [first, first + count), each as often as any other (but for one);
     `others` keys are of [other_first, other_first + other_count), in the same way;
   in an order that depends on `seed` and mixes all of them.
   zipf > 0: the numbers of the first kind are random: number first + k - 1 (k = 1 .. count) with a probability of
   about k^-zipf: the density x^-zipf on [1, count + 1), rounded down, which has up to a third less than Zipf's law
   for k = 1, and the same for large k. `others` are as before. */
struct gpu_keys {
  unsigned key_bits;
  uint64_t first, count; /* count > 0 if n > others; numbers are below 2^key_bits */
  uint64_t others, other_first, other_count;
  double zipf;
  uint64_t seed;
};
/* In the stream. */
floe_status gpu_keys_make(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n);
uint64_t gpu_key_of(unsigned key_bits, uint64_t number); /* the bijection */
/* Counts the different numbers of [first, first + count) that the n keys come from, with a temporary bitmap of count
   bits in the device's memory: the keys that a table must put. Waits. FLOE_ERROR_MEMORY: not logged. */
floe_status gpu_keys_distinct(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys,
                              uint64_t n, uint64_t *distinct);

/* In the stream: values[i] = gpu_value_of(value_bits, keys[i]), or `constant` if that is not 0. */
floe_status gpu_values_make(struct gpu_bench_kernels *tools, unsigned value_bits, uint64_t constant, gpu_address keys,
                            uint64_t n, gpu_address values);
uint64_t gpu_value_of(unsigned value_bits, uint64_t key);

/* Counts of the answers. Waits. */
struct gpu_answers {
  uint64_t found, put, full;
  uint64_t others; /* invalid answers: an error of the kernel */
};
floe_status gpu_answers_count(struct gpu_bench_kernels *tools, gpu_address answers, uint64_t n,
                              struct gpu_answers *out);
/* Arrays of values to be checked, in the device's memory. */
struct gpu_checked_values {
  gpu_address keys, values, answers; /* n each */
  uint64_t n;
  unsigned value_bits;
};
/* For the i with answers[i] FOUND: the number of values[i] that differ from gpu_value_of(value_bits, keys[i]), and
   the sum of all. */
floe_status gpu_values_check(struct gpu_bench_kernels *tools, const struct gpu_checked_values *checked, uint64_t *wrong,
                             uint64_t *sum);

/* ---- what the memory allows --------------------------------------------------------------------- */

/* Accesses to random places of a footprint, in G per second; a copy in GB/s (bytes read and written). A table's
   operation costs at least one of them, so these are upper bounds. */
struct ceilings {
  uint64_t footprint;                  /* bytes */
  double read32, read64, read128;      /* aligned reads of so many bytes */
  double swap16, swap32, swap64;       /* compare-and-swap of a word of so many bits */
  double read64_swap16, read64_swap32; /* a read of 64 bytes, then a compare-and-swap in them */
  double copy;
};
/* Measurements to perform: each takes up to a tenth of a second or more. */
enum {
  CEILING_READ32 = 1 << 0,
  CEILING_READ64 = 1 << 1,
  CEILING_READ128 = 1 << 2,
  CEILING_SWAP16 = 1 << 3,
  CEILING_SWAP32 = 1 << 4,
  CEILING_SWAP64 = 1 << 5,
  CEILING_READ64_SWAP16 = 1 << 6,
  CEILING_READ64_SWAP32 = 1 << 7,
  CEILING_COPY = 1 << 8,
  CEILING_ALL = (1 << 9) - 1
};
/* Footprint: a multiple of 64 KiB, in new memory of that place. FLOE_ERROR_MEMORY: not logged. Medians of several
   launches after a first one; measurements that are not selected are 0. */
floe_status gpu_ceilings(struct gpu_bench_kernels *tools, enum gpu_table_place place, uint64_t footprint,
                         unsigned wanted, struct ceilings *out);

#endif
