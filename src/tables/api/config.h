/* Translates the options of a user's table to the configuration of the table library, and reports why a table is not
   possible. */
#ifndef FLOE_TABLES_API_CONFIG_H
#define FLOE_TABLES_API_CONFIG_H

#include "core/arena.h"
#include "floe_tables.h"
#include "tables/api/working_set_config.h"
#include "tables/permutation.h"
#include "tables/table.h"

struct hash_config {
  struct table_config table; /* its strings are in the arena; scheme and permutation are set */
  struct permutation_user own;
  struct hash_workset workset; /* variant NULL: another scheme */
  const char *cache_dir;       /* "": none */
};

/* `options` are complete. FLOE_ERROR_USAGE, logged with a hint: the options are invalid for any table. `out` must
   not be moved afterwards. The arena's guard must be active. */
floe_status hash_config_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                             struct hash_config *out);

/* table_plan; logs errors. */
floe_status hash_config_plan(const struct hash_config *config, floe_log *log, struct table_shape *out);

/* The names of all schemes, working-set last; NULL at the end. */
const char *const *hash_schemes(void);

#endif
