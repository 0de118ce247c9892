/* Translates the options of a user's working-set table. Such a table is not a table_scheme: it has two levels, in
   two memories. */
#ifndef FLOE_TABLES_API_WORKING_SET_CONFIG_H
#define FLOE_TABLES_API_WORKING_SET_CONFIG_H

#include "core/arena.h"
#include "floe_tables.h"
#include "tables/table.h"
#include "tables/working_set/working_set.h"

#define HASH_WORKSET "working-set"
#define HASH_WORKSET_FILL 0.9 /* above it, searches of the host level pass many full cells */

struct hash_workset {
  const struct workset_variant *variant; /* NULL: the table is of another scheme */
  uint64_t recent;                       /* slots of the recent level; 0: chosen */
  size_t batch;
  bool timed;
};

/* FLOE_ERROR_USAGE, logged with a hint: the options are invalid for such a table. The arena's guard must be active. */
floe_status hash_workset_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                              struct hash_workset *out);
/* As table_plan; logs errors. The bytes are those of both levels in the host's memory. */
floe_status hash_workset_plan(const struct hash_workset *workset, const struct table_config *config, floe_log *log,
                              struct table_shape *out);
/* As table_cannot. */
const char *hash_workset_cannot(enum table_operation operation);
/* The slots of the recent level in a table of `slots`. */
uint64_t hash_workset_recent(const struct hash_workset *workset, uint64_t slots);
/* Configuration of both levels; the caller sets recent_level and device for a GPU. */
struct workset_config hash_workset_levels(const struct hash_workset *workset, const struct table_config *config,
                                          unsigned threads);

#endif
