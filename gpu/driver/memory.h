/* Memory that kernels work in: where it lies, and how much of it there may be. */
#ifndef FLOE_GPU_MEMORY_H
#define FLOE_GPU_MEMORY_H

#include "gpu/driver/driver.h"

/* Where the slots of a table lie: in the device's memory, or in page-locked memory of the host that kernels reach
   through the bus, for tables larger than the device. */
enum gpu_table_place { GPU_TABLE_ON_DEVICE, GPU_TABLE_ON_HOST };

/* ---- budgets ------------------------------------------------------------------------------------- */

/* What one user of a device allows itself. */
struct gpu_budget {
  uint64_t limit, used; /* bytes */
};

static inline uint64_t gpu_budget_room(const struct gpu_budget *budget) {
  return budget->used < budget->limit ? budget->limit - budget->used : 0;
}

/* Device memory within the budget. FLOE_ERROR_MEMORY, not told: the budget or the device has no room. */
floe_status gpu_budget_take(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *out);
/* *address is 0 then. */
void gpu_budget_give(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *address);

/* ---- memory in a place --------------------------------------------------------------------------- */

struct gpu_region {
  gpu_address at; /* as kernels see it; 0: there is none */
  uint64_t bytes;
  void *on_host;             /* the same memory, where it is the host's */
  struct gpu_budget *budget; /* that it was taken from; NULL: none */
};

/* Content undefined. `budget`: of that place's memory, and outlives the region; NULL: as much as there is.
   FLOE_ERROR_MEMORY: not told. */
floe_status gpu_region_take(struct gpu *gpu, enum gpu_table_place place, struct gpu_budget *budget, uint64_t bytes,
                            struct gpu_region *out);
void gpu_region_give(struct gpu *gpu, struct gpu_region *region); /* one that is none is allowed, and becomes so */

#endif
