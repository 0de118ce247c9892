/* What measures tables: the CPU's threads (bench/cpu.c) or a GPU (bench/gpu.c). Each is one
   `const struct bench_machine`; bench/measure.c says what is to be done and judges the outcome. */
#ifndef FLOE_BENCH_MACHINE_H
#define FLOE_BENCH_MACHINE_H

#include "bench/items.h"
#include "tables/table.h"

/* What became of the keys of one call. */
struct bench_outcome {
  double seconds;            /* of the operation alone */
  uint64_t found, put, full; /* answers */
  uint64_t others;           /* keys without a sound answer */
  uint64_t wrong;            /* GET: values that are not those of their keys */
  uint64_t sum;              /* GET: of all values found */
};

/* Reads are of 64 bytes; swaps are compare-and-swaps of a word of so many bits. */
enum bench_access { BENCH_READ, BENCH_SWAP_16, BENCH_SWAP_32, BENCH_SWAP_64, BENCH_ACCESSES };

/* What the memory allows: accesses a second at random places of a footprint, by all threads. */
struct bench_ceilings {
  uint64_t footprint;           /* bytes; 0: nothing is measured */
  double rates[BENCH_ACCESSES]; /* 0: not measured */
};

enum bench_place { BENCH_AT_HOME, BENCH_ON_HOST }; /* ON_HOST: a GPU's table in the host's memory */

/* The values that go with keys: of the key (0), or one for all. */
typedef uint64_t bench_value;

struct bench_engine; /* a machine in use */
struct bench_table;  /* a table on it, and room for `most` keys with values and answers */

struct bench_machine {
  const char *name; /* "cpu" */
  /* NULL: tables of this configuration have the operation. */
  const char *(*cannot)(struct bench_engine *engine, const struct table_config *config, enum table_operation operation);
  /* An empty table. FLOE_ERROR_USAGE: there is none of this configuration; FLOE_ERROR_MEMORY;
     FLOE_ERROR_UNSUPPORTED: not on this machine. Told in the engine's log, or not. */
  floe_status (*open)(struct bench_engine *engine, const struct table_config *config, enum bench_place place,
                      uint64_t most, struct bench_table **out);
  void (*close)(struct bench_table *table); /* NULL is allowed */
  const struct table_shape *(*shape)(const struct bench_table *table);
  /* Empties it, and takes other permutations. */
  floe_status (*clear)(struct bench_table *table, uint64_t seed);
  /* Makes the keys for the next `run`; items->n <= most. */
  floe_status (*make)(struct bench_table *table, const struct bench_items *items, bench_value value);
  /* How many different numbers of [from, from + count) they have; not for given keys. */
  floe_status (*distinct)(struct bench_table *table, const struct bench_items *items, uint64_t from, uint64_t count,
                          uint64_t *out);
  /* The operation on all keys that were made last. */
  floe_status (*run)(struct bench_table *table, enum table_operation operation, struct bench_outcome *out);
  /* Keys without a place, of the last run, which was to put: `most` of them, in any order. They take the place of those
     that were given (table.h). */
  floe_status (*returned)(struct bench_table *table, uint64_t most, uint64_t *keys, uint64_t *n);
  /* The table for functions of the host that do not change it; *owned: to be freed by table_free. */
  floe_status (*look)(struct bench_table *table, struct table **out, bool *owned);
  /* Sets the footprint and the rates that are wanted, 1 << enum bench_access, and leaves the others alone. */
  floe_status (*measure_ceilings)(struct bench_engine *engine, enum bench_place place, uint64_t footprint,
                                  unsigned wanted, struct bench_ceilings *out);
  /* Keys that have room at once, beside a table of this configuration that takes `table_bytes` of the same memory. */
  uint64_t (*most_keys)(struct bench_engine *engine, const struct table_config *config, uint64_t table_bytes);
  /* "2 threads, avx512": at most `size` bytes with the final NUL */
  void (*describe)(const struct bench_engine *engine, char *out, size_t size);
  void (*release)(struct bench_engine *engine); /* NULL is allowed */
};

/* `threads` as far as the system gives them. */
floe_status bench_cpu_open(unsigned threads, struct bench_engine **out);
extern const struct bench_machine bench_cpu;

#endif
