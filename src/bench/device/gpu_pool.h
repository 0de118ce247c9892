/* Resources that a bench on a GPU reuses between measurements: a table with its kernels, memory for keys and for
   sorting, and host memory for a copy of the table. Presets measure the same table many times at other fill factors;
   allocating and compiling again would take longer than most measurements. If memory does not suffice, the pool
   frees resources that are not in use. */
#ifndef FLOE_BENCH_GPU_POOL_H
#define FLOE_BENCH_GPU_POOL_H

#include "gpu/table/device_arrays.h"
#include "gpu/table/sorted_find_or_put.h"
#include "gpu/table/tables.h"

struct gpu_pool {
  struct gpu *gpu;
  floe_log *log;
  char *cache_dir;             /* as for gpu_table_create */
  struct gpu_table *tables[2]; /* by enum gpu_table_place */
  struct gpu_table *in_use;    /* the one that gpu_pool_table returned last */
  struct gpu_arrays arrays;
  struct gpu_sorted sorted; /* sort NULL: none */
  void *copy;               /* page-locked */
  uint64_t copy_bytes;
};

void gpu_pool_release(struct gpu_pool *pool); /* frees everything */
/* Frees all memory that the table in use and its keys do not need; for a second try after FLOE_ERROR_MEMORY. */
void gpu_pool_free_unused(struct gpu_pool *pool);
/* Device memory that gpu_pool_table and gpu_pool_arrays can use in addition to free memory. */
uint64_t gpu_pool_reusable_bytes(const struct gpu_pool *pool);

/* Returns an empty table. Errors as gpu_table_create. Frees or reuses the table before it at the same place. */
floe_status gpu_pool_table(struct gpu_pool *pool, const struct table_config *config, enum gpu_table_place place,
                           struct gpu_table **out);
/* Memory for `most` keys and answers, and values if needed. FLOE_ERROR_MEMORY: not logged. */
floe_status gpu_pool_arrays(struct gpu_pool *pool, uint64_t most, bool values);
/* Memory to sort the keys. Errors as gpu_sorted_create. */
floe_status gpu_pool_sorted(struct gpu_pool *pool, unsigned key_bits, struct reason *reason);
/* A copy of the table in use (table_free), valid until the next one is made. */
floe_status gpu_pool_copy(struct gpu_pool *pool, struct table **out);

#endif
