/* What the options of a user's working-set table come to. That scheme is none of src/table: its table has two levels,
   in two memories. */
#ifndef FLOE_HASH_WORKSET_CONFIG_H
#define FLOE_HASH_WORKSET_CONFIG_H

#include "core/arena.h"
#include "floe_tables.h"
#include "tables/table.h"
#include "tables/working_set/working_set.h"

#define HASH_WORKSET "working-set"
#define HASH_WORKSET_FILL 0.9 /* beyond it searches of the second level pass by many full cells */

struct hash_workset {
  const struct workset_variant *variant; /* NULL: the table is of another scheme */
  uint64_t recent;                       /* slots of the first level; 0: chosen */
  size_t batch;
  bool timed;
};

/* FLOE_ERROR_USAGE, told with a hint: they make no sense for such a table. The arena's guard must be active. */
floe_status hash_workset_make(const floe_hash_options *options, struct arena *arena, floe_log *log,
                              struct hash_workset *out);
/* As table_plan, with what is wrong told. The bytes are those of both levels in the host's memory. */
floe_status hash_workset_plan(const struct hash_workset *workset, const struct table_config *config, floe_log *log,
                              struct table_shape *out);
/* As table_cannot. */
const char *hash_workset_cannot(enum table_operation operation);
/* The slots of the first level, of so many in both. */
uint64_t hash_workset_recent(const struct hash_workset *workset, uint64_t slots);
/* What both levels are made by; `front` and `machine` stay open. */
struct workset_config hash_workset_levels(const struct hash_workset *workset, const struct table_config *config,
                                          unsigned threads);

#endif
