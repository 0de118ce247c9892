/* Back-ends of the public tables: the host (tables/api/host_backend.c), a GPU (tables/api/gpu_backend.c), or two
   levels (tables/api/working_set_backend.c). Each is one `const struct hash_backend`. tables/api/tables.c implements
   the public functions and is the only file that includes all of them. */
#ifndef FLOE_TABLES_API_BACKEND_H
#define FLOE_TABLES_API_BACKEND_H

#include "floe_tables.h"
#include "tables/table.h"

struct hash_engine;       /* an open back-end */
struct hash_stored_table; /* a table of it */

/* Arrays of an operation on n keys, as in floe_hash_run; values NULL: none. */
struct hash_arrays {
  uint64_t *keys, *values;
  uint8_t *answers;
  size_t n;
};

/* Except for `run` of the host, calls for an engine must not overlap. FLOE_ERROR_MEMORY is not logged; other errors
   are, in the log given when the engine was opened, unless stated otherwise. */
struct hash_backend {
  floe_engine engine; /* CPU or GPU */
  const char *(*cannot)(const struct hash_engine *engine, const struct table_config *config,
                        enum table_operation operation);
  /* Creates an empty table; the configuration's strings stay valid as long as the table. The configuration has a
     table_plan; FLOE_ERROR_USAGE: this back-end has no such table. */
  floe_status (*open)(struct hash_engine *engine, const struct table_config *config, struct hash_stored_table **out);
  void (*close)(struct hash_stored_table *store); /* NULL is allowed */
  const struct table_shape *(*shape)(const struct hash_stored_table *store);
  const char *(*describe)(const struct hash_stored_table *store); /* valid as long as the engine */
  /* The caller has checked that the table has the operation and that keys and values fit. *full: number of
     TABLE_FULL and TABLE_RESERVED. */
  floe_status (*run)(struct hash_stored_table *store, enum table_operation operation, const struct hash_arrays *arrays,
                     uint64_t *full);
  /* The same on arrays at device addresses; NULL: the back-end has no memory besides the host's. */
  floe_status (*run_on_device)(struct hash_stored_table *store, enum table_operation operation, uint64_t keys,
                               uint64_t values, uint64_t n, uint64_t answers);
  /* find-or-put of a cuckoo table, by sorting; answers[i] is for the final keys[i]. */
  floe_status (*run_sorted)(struct hash_stored_table *store, const struct hash_arrays *arrays, uint64_t *full);
  floe_status (*clear)(struct hash_stored_table *store, uint64_t seed);
  /* Moves all pairs of `from` into the empty `to`, of the same engine; `from` is unchanged. *left: keys without a
     place. */
  floe_status (*move)(struct hash_stored_table *from, struct hash_stored_table *to, uint64_t *left);
  /* floe_hash_run_mixed; operations are values of enum table_operation that the table has. NULL: the back-end cannot
     mix operations. */
  floe_status (*run_mixed)(struct hash_stored_table *store, const uint8_t *operations, const struct hash_arrays *arrays,
                           uint64_t *full);
  /* These four replace `host_view` if run_mixed is present; as the functions of floe_tables.h. */
  floe_status (*traffic)(struct hash_stored_table *store, floe_hash_traffic *out);
  floe_status (*stats)(struct hash_stored_table *store, floe_hash_stats *out);
  floe_status (*each)(struct hash_stored_table *store, unsigned part, unsigned parts,
                      void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n), void *user);
  floe_status (*check)(struct hash_stored_table *store, uint64_t *wrong);
  /* The table on the host, for functions that do not change it; *owned: the caller frees it by table_free. */
  floe_status (*host_view)(struct hash_stored_table *store, struct table **out, bool *owned);
  void (*release)(struct hash_engine *engine); /* after its tables; NULL is allowed */
};

#endif
