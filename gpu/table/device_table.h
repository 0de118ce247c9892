/* A table on a device, for explorations, hash tables of the public interface and benchmarks. Its host part is a table
   without memory (tables/scheme.h); its device part is memory in some place and the view that kernels receive by
   value. It has no kernels: explorations have theirs (gpu/engine/search_kernels.c), and so have arrays of keys
   (gpu/table/tables.c). */
#ifndef FLOE_GPU_DEVICE_TABLE_H
#define FLOE_GPU_DEVICE_TABLE_H

#include "gpu/driver/memory.h"
#include "tables/scheme.h"

/* The struct of a table of any scheme that kernels receive by value. */
struct gpu_view {
  _Alignas(16) unsigned char bytes[TABLE_VIEW_BYTES];
};

struct device_table {
  struct gpu *gpu;
  struct table_config config; /* what it points to belongs to its creator */
  struct table_shape shape;
  struct table *host; /* the table without memory: permutations and layout; NULL: there is no table */
  struct gpu_region memory;
  struct gpu_view view; /* valid once there is memory */
};

/* Opens the host part. `shape`: of the configuration's scheme and keys, as table_plan or a policy chose it. Errors as
   table_open_as. */
floe_status device_table_open(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out);
/* Allocates memory for an open table and, in the stream, empties it. `budget` as for gpu_region_take.
   FLOE_ERROR_MEMORY: not logged. After an error the table is unchanged. */
floe_status device_table_take(struct device_table *table, enum gpu_table_place place, struct gpu_budget *budget);
/* Opens and allocates. */
floe_status device_table_make(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              enum gpu_table_place place, struct gpu_budget *budget, struct device_table *out);
/* Frees the memory; a table that is not open is allowed, and is not open afterwards. Configuration and shape stay. */
void device_table_free(struct device_table *table);

/* In the stream: empties the table and chooses other permutations of the family (table_config.seed). If the host is
   out of memory, the table is unchanged. */
floe_status device_table_clear(struct device_table *table, uint64_t seed);

#endif
