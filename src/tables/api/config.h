/* The options of a user's table as the table library has them, and why there is no such table. */
#ifndef FLOE_HASH_CONFIG_H
#define FLOE_HASH_CONFIG_H

#include "core/arena.h"
#include "floe_tables.h"
#include "tables/api/working_set_config.h"
#include "tables/permutation.h"
#include "tables/table.h"

struct hash_config {
  struct table_config table; /* its strings live in the arena; scheme and permutation are set */
  struct permutation_user own;
  struct hash_workset workset; /* variant NULL: the scheme is one of src/table */
  const char *cache_dir;       /* ""; none */
};

/* `options` are complete. FLOE_ERROR_USAGE, told with a hint: they make no sense for any table.
   `out` must stay where it is. The arena's guard must be active. */
floe_status hash_config_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                             struct hash_config *out);

/* table_plan, with what is wrong told. */
floe_status hash_config_plan(const struct hash_config *config, floe_log *log, struct table_shape *out);

/* The names of all schemes, those of src/table first; NULL at the end. */
const char *const *hash_schemes(void);

#endif
