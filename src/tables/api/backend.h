/* What tables of the public interface are made on: the host (tables/api/host_backend.c), a GPU (tables/api/gpu_backend.c), or in two levels
   (tables/api/working_set_backend.c). Each is one
   `const struct hash_machine`; tables/api/tables.c is the public half, which alone knows them all. It stands here, below both,
   so that neither folder needs the other for it. */
#ifndef FLOE_HASH_MACHINE_H
#define FLOE_HASH_MACHINE_H

#include "floe_tables.h"
#include "tables/table.h"

struct hash_engine; /* a machine in use */
struct hash_store;  /* a table on it */

/* All but `run` of the host want the engine for themselves. FLOE_ERROR_MEMORY is not told; other
   errors are, in the log that the engine was opened with, but for those that say otherwise. */
struct hash_machine {
  floe_engine engine; /* CPU or GPU */
  const char *(*cannot)(const struct hash_engine *engine, const struct table_config *config,
                        enum table_operation operation);
  /* An empty table; the configuration's strings stay as long as it lives. The configuration is one
     of table_plan; FLOE_ERROR_USAGE: there is none on this machine. */
  floe_status (*open)(struct hash_engine *engine, const struct table_config *config, struct hash_store **out);
  void (*close)(struct hash_store *store); /* NULL is allowed */
  const struct table_shape *(*shape)(const struct hash_store *store);
  const char *(*describe)(const struct hash_store *store); /* lives as long as the engine */
  /* The table has the operation; keys and values fit. *full: answers of TABLE_FULL. */
  floe_status (*run)(struct hash_store *store, enum table_operation operation, uint64_t *keys, uint64_t *values,
                     size_t n, uint8_t *answers, uint64_t *full);
  /* The same on arrays at addresses of the device; NULL: the machine has no other memory than the
     host's. */
  floe_status (*run_there)(struct hash_store *store, enum table_operation operation, uint64_t keys, uint64_t values,
                           uint64_t n, uint64_t answers);
  /* find-or-put of a cuckoo table, by sorting; answers are those of the keys that are left in `keys`. */
  floe_status (*run_sorted)(struct hash_store *store, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                            uint64_t *full);
  floe_status (*clear)(struct hash_store *store, uint64_t seed);
  /* Everything of `from` into the empty `to`, of the same engine; `from` is unchanged. *left: keys
     without a place. */
  floe_status (*move)(struct hash_store *from, struct hash_store *to, uint64_t *left);
  /* floe_hash_run_mixed; operations are numbers of enum table_operation, and there are no others than those that the
     table has. NULL: it is none that mixes. */
  floe_status (*run_mixed)(struct hash_store *store, const uint8_t *operations, uint64_t *keys, uint64_t *values,
                           size_t n, uint8_t *answers, uint64_t *full);
  /* These four, where run_mixed is there, in the place of `look`: as the functions of floe_tables.h. */
  floe_status (*traffic)(struct hash_store *store, floe_hash_traffic *out);
  floe_status (*stats)(struct hash_store *store, floe_hash_stats *out);
  floe_status (*each)(struct hash_store *store, unsigned part, unsigned parts,
                      void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n), void *user);
  floe_status (*check)(struct hash_store *store, uint64_t *wrong);
  /* The table for functions of the host that do not change it; *owned: to be freed by table_free. */
  floe_status (*look)(struct hash_store *store, struct table **out, bool *owned);
  void (*release)(struct hash_engine *engine); /* after its stores; NULL is allowed */
};

#endif
