/* Devices that measure tables: the CPU's threads (bench/device/cpu.c) or a GPU (bench/device/gpu.c). Each is one `const
   struct bench_device`. bench/measure/measure.c determines the steps and judges the results. */
#ifndef FLOE_BENCH_DEVICE_H
#define FLOE_BENCH_DEVICE_H

#include "bench/device/items.h"
#include "tables/table.h"

/* Result of one call. */
struct bench_outcome {
  double seconds;            /* of the operation alone */
  uint64_t found, put, full; /* answers */
  uint64_t others;           /* keys without a valid answer */
  uint64_t wrong;            /* GET: values that do not belong to their keys */
  uint64_t sum;              /* GET: of all values found */
};

/* Reads are of 64 bytes; swaps are compare-and-swaps of a word of this width. */
enum bench_access { BENCH_READ, BENCH_SWAP_16, BENCH_SWAP_32, BENCH_SWAP_64, BENCH_ACCESSES };

/* Limits of the memory: random accesses a second in a footprint, by all threads. */
struct bench_ceilings {
  uint64_t footprint;           /* bytes; 0: not measured */
  double rates[BENCH_ACCESSES]; /* 0: not measured */
};

enum bench_place { BENCH_AT_HOME, BENCH_ON_HOST }; /* ON_HOST: a GPU's table in the host's memory */

/* The values of keys: item_value of the key (0), or one for all. */
typedef uint64_t bench_value;

struct bench_engine; /* an open device */
struct bench_table;  /* a table on it, with memory for `most` keys, values and answers */

struct bench_device {
  const char *name; /* "cpu" */
  /* Why tables of this configuration lack the operation; NULL: they have it. */
  const char *(*cannot)(struct bench_engine *engine, const struct table_config *config, enum table_operation operation);
  /* Creates an empty table. FLOE_ERROR_USAGE: none with this configuration; FLOE_ERROR_MEMORY;
     FLOE_ERROR_UNSUPPORTED: not on this device. May log a message in the engine's log. */
  floe_status (*open)(struct bench_engine *engine, const struct table_config *config, enum bench_place place,
                      uint64_t most, struct bench_table **out);
  void (*close)(struct bench_table *table); /* NULL is allowed */
  const struct table_shape *(*shape)(const struct bench_table *table);
  /* Empties the table and selects other permutations. */
  floe_status (*clear)(struct bench_table *table, uint64_t seed);
  /* Generates the keys for the next `run`; items->n <= most. */
  floe_status (*make)(struct bench_table *table, const struct bench_items *items, bench_value value);
  /* Number of different numbers of [from, from + count) among the items; not for given keys. */
  floe_status (*distinct)(struct bench_table *table, const struct bench_items *items, uint64_t from, uint64_t count,
                          uint64_t *out);
  /* Runs the operation on all keys generated last. */
  floe_status (*run)(struct bench_table *table, enum table_operation operation, struct bench_outcome *out);
  /* Up to `most` keys without a place, of the last run, which was a put, in any order. They replace the given keys
     (table.h). */
  floe_status (*returned)(struct bench_table *table, uint64_t most, uint64_t *keys, uint64_t *n);
  /* The table on the host, for functions that do not change it; *owned: the caller frees it by table_free. */
  floe_status (*host_view)(struct bench_table *table, struct table **out, bool *owned);
  /* Sets the footprint and the needed rates (set of 1 << enum bench_access); leaves the others unchanged. */
  floe_status (*measure_ceilings)(struct bench_engine *engine, enum bench_place place, uint64_t footprint,
                                  unsigned needed, struct bench_ceilings *out);
  /* Number of keys that fit into memory beside a table of this configuration that takes `table_bytes` of it. */
  uint64_t (*most_keys)(struct bench_engine *engine, const struct table_config *config, uint64_t table_bytes);
  /* "2 threads, avx512": at most `size` bytes with the final NUL */
  void (*describe)(const struct bench_engine *engine, char *out, size_t size);
  void (*release)(struct bench_engine *engine); /* NULL is allowed */
};

/* `threads`, or fewer if the system provides fewer. */
floe_status bench_cpu_open(unsigned threads, struct bench_engine **out);
extern const struct bench_device bench_cpu;

#endif
