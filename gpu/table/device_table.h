/* A table on a device: whoever has one there (an exploration, a hash table of the public interface, a bench) has it as
   this. The host's half is a table without memory (tables/scheme.h); the device's is memory in a place, and the view
   that kernels get by value. Kernels are not its business: exploration has its own (gpu/engine/search_kernels.c), arrays of keys theirs
   (gpu/table/tables.c). */
#ifndef FLOE_GPU_DEVICE_TABLE_H
#define FLOE_GPU_DEVICE_TABLE_H

#include "gpu/driver/memory.h"
#include "tables/scheme.h"

/* The struct of a table that kernels get by value, whatever its scheme. */
struct gpu_view {
  _Alignas(16) unsigned char bytes[TABLE_VIEW_BYTES];
};

struct device_table {
  struct gpu *gpu;
  struct table_config config; /* what it points to is its maker's */
  struct table_shape shape;
  struct table *host; /* it without memory: permutations, and how to place it; NULL: there is no table */
  struct gpu_region memory;
  struct gpu_view view; /* once there is memory */
};

/* The host's half. `shape`: of the configuration's scheme and keys, as table_plan or a policy chose it. Errors as
   table_open_as. */
floe_status device_table_open(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out);
/* Memory for one that is open, and in the stream: the table is empty. `budget` as for gpu_region_take.
   FLOE_ERROR_MEMORY: not told. After an error it is as it was. */
floe_status device_table_take(struct device_table *table, enum gpu_table_place place, struct gpu_budget *budget);
/* Both. */
floe_status device_table_make(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              enum gpu_table_place place, struct gpu_budget *budget, struct device_table *out);
/* Gives the memory back; one that is not open is allowed, and becomes so. Configuration and shape stay. */
void device_table_free(struct device_table *table);

/* In the stream: empty again, with other permutations of the family (table_config.seed). After an error of the host's
   memory the table is as it was. */
floe_status device_table_clear(struct device_table *table, uint64_t seed);

#endif
