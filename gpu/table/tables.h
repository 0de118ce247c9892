/* Tables of every scheme on a device (tables/table.h has them on the host), keys and values made there, and what the
   device's memory allows: for tests and benches. An exploration has its table inside its own kernels. */
#ifndef FLOE_GPU_TABLES_H
#define FLOE_GPU_TABLES_H

#include "gpu/driver/memory.h"
#include "tables/table.h"

/* ---- tables ------------------------------------------------------------------------------------- */

struct gpu_table;

/* Why the device has no such operation: what table_cannot says, or what kernels lack; a phrase. NULL: it has it.
   `arch`: compute capability (gpu_info.arch), 0: any. */
const char *gpu_table_cannot(const struct table_config *config, int arch, enum table_operation operation);

/* An empty table. The kernels of all operations that it has are compiled, or come from the cache (cache_dir as for
   gpu_build; NULL: none). `config`: as for table_create, its strings need not stay; `packed` and `simd` say nothing.
   FLOE_ERROR_USAGE, told in `log`: there is no such table on a device. FLOE_ERROR_MEMORY: not told. Else as
   gpu_build. */
floe_status gpu_table_create(struct gpu *gpu, const struct table_config *config, enum gpu_table_place place,
                             const char *cache_dir, floe_log *log, struct gpu_table **out);
void gpu_table_free(struct gpu_table *table); /* NULL is allowed */
const struct table_shape *gpu_table_shape(const struct gpu_table *table);

/* Is it the table that gpu_table_create would make of this configuration? The seed does not count: gpu_table_clear
   takes another one. */
bool gpu_table_suits(const struct gpu_table *table, const struct table_config *config);

/* In the stream: the table is empty again, with other permutations of the family (table_config.seed). */
floe_status gpu_table_clear(struct gpu_table *table, uint64_t seed);

/* In the stream: table_run on n keys. Arrays are in the device's memory, or the host's page-locked: keys and values of
   64 bits each, answers of 8 (enum table_answer). `values` may be 0 where table_run allows NULL. The table is a set or
   map of the kernel's grid: all that table/<scheme>.h says of threads holds for n keys at once.
   FLOE_ERROR_USAGE, told: the table has no such operation. */
floe_status gpu_table_run(struct gpu_table *table, enum table_operation operation, gpu_address keys, gpu_address values,
                          uint64_t n, gpu_address answers);

/* In the stream: another kernel of the scheme's text, by its name, with the parameters that all have.
   FLOE_ERROR_INTERNAL, told: it has none of that name. */
floe_status gpu_table_start(struct gpu_table *table, const char *name, gpu_address keys, gpu_address values, uint64_t n,
                            gpu_address answers);

/* Every key of `from`, with its value, is put into `to`, which is empty and another table of its scheme on its device,
   with keys and values as wide: as table_rehash. *left: keys that `to` has no place for; where there are any it is to
   be dropped. `from` stays as it is. Waits. FLOE_ERROR_USAGE, told: `to` is not for these keys. FLOE_ERROR_MEMORY, not
   told: for the keys on their way, at most 72 MiB, of which less do. */
floe_status gpu_table_move(struct gpu_table *from, struct gpu_table *to, uint64_t *left);

/* A table of the host with the same content (table_free): table_check, table_stats, table_each, table_run work on it.
 */
floe_status gpu_table_download(struct gpu_table *table, struct table **out);
/* The same in memory of the caller's, shape.bytes of them, which it is not to be used without. */
floe_status gpu_table_download_into(struct gpu_table *table, void *memory, struct table **out);

/* ---- keys, values, answers ---------------------------------------------------------------------- */

/* Kernels that make and check arrays; one for all tables of a device. */
struct gpu_bench_kernels;
floe_status gpu_bench_kernels_create(struct gpu *gpu, const char *cache_dir, floe_log *log, struct gpu_bench_kernels **out);
void gpu_bench_kernels_free(struct gpu_bench_kernels *tools); /* NULL is allowed */

/* n keys, made of numbers by a bijection of the key's width (gpu_key_of), so that different numbers are different keys:
     n - others of them are of the numbers [first, first + count), each as often as any other (but for one);
     `others` of them of [other_first, other_first + other_count), in the same way;
   in an order that follows from `seed` and mixes all of them.
   zipf > 0: the numbers of the first kind are drawn, number first + k - 1 (k = 1 .. count) with a probability of about
   k^-zipf: the density x^-zipf on [1, count + 1), rounded down, which for k = 1 has up to a third less than Zipf's law
   and for large k the same. `others` come as before. */
struct gpu_keys {
  unsigned key_bits;
  uint64_t first, count; /* count > 0 where n > others; numbers are below 2^key_bits */
  uint64_t others, other_first, other_count;
  double zipf;
  uint64_t seed;
};
/* In the stream. */
floe_status gpu_keys_make(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n);
uint64_t gpu_key_of(unsigned key_bits, uint64_t number); /* the bijection */
/* How many different numbers of [first, first + count) the n keys come from, by a bitmap of count bits (in the device's
   memory, for a moment): what a table must put. Waits. FLOE_ERROR_MEMORY: not told. */
floe_status gpu_keys_distinct(struct gpu_bench_kernels *tools, const struct gpu_keys *what, gpu_address keys, uint64_t n,
                              uint64_t *distinct);

/* In the stream: values[i] = gpu_value_of(value_bits, keys[i]), or `constant` where that is not 0. */
floe_status gpu_values_make(struct gpu_bench_kernels *tools, unsigned value_bits, uint64_t constant, gpu_address keys,
                            uint64_t n, gpu_address values);
uint64_t gpu_value_of(unsigned value_bits, uint64_t key);

/* What operations said. Wait. */
struct gpu_answers {
  uint64_t found, put, full;
  uint64_t others; /* no answer at all: an error of the kernel */
};
floe_status gpu_answers_count(struct gpu_bench_kernels *tools, gpu_address answers, uint64_t n, struct gpu_answers *out);
/* Of the i with answers[i] FOUND: how many values[i] are not gpu_value_of(value_bits, keys[i]), and the sum of all. */
floe_status gpu_values_check(struct gpu_bench_kernels *tools, unsigned value_bits, gpu_address keys, gpu_address values,
                             gpu_address answers, uint64_t n, uint64_t *wrong, uint64_t *sum);

/* ---- what the memory allows --------------------------------------------------------------------- */

/* Accesses to random places of a footprint, in G a second; a copy in GB/s (read and written bytes). A table's operation
   costs one or more of them, so that these are its ceilings. */
struct ceilings {
  uint64_t footprint;                  /* bytes */
  double read32, read64, read128;      /* aligned reads of so many bytes */
  double swap16, swap32, swap64;       /* compare-and-swap of a word of so many bits */
  double read64_swap16, read64_swap32; /* a read of 64 bytes, then a compare-and-swap in them */
  double copy;
};
/* Which of them are wanted: each costs up to a tenth of a second and more. */
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
/* Footprint: a multiple of 64 KiB, in new memory of that place. FLOE_ERROR_MEMORY: not told. Medians of several
   launches after a first one; what is not `wanted` is 0. */
floe_status gpu_ceilings(struct gpu_bench_kernels *tools, enum gpu_table_place place, uint64_t footprint, unsigned wanted,
                         struct ceilings *out);

#endif
