/* Memory that kernels access: its place, and budgets for it. */
#ifndef FLOE_GPU_MEMORY_H
#define FLOE_GPU_MEMORY_H

#include "gpu/driver/driver.h"

/* Place of a table's slots: the device's memory, or page-locked host memory that kernels access through the bus, for
   tables larger than the device. */
enum gpu_table_place { GPU_TABLE_ON_DEVICE, GPU_TABLE_ON_HOST };

/* ---- budgets ------------------------------------------------------------------------------------- */

/* Memory limit of one user of a device. */
struct gpu_budget {
  uint64_t limit, used; /* bytes */
};

static inline uint64_t gpu_budget_room(const struct gpu_budget *budget) {
  return budget->used < budget->limit ? budget->limit - budget->used : 0;
}

/* Device memory within the budget. FLOE_ERROR_MEMORY, not logged: the budget or the device has no room. */
floe_status gpu_budget_take(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *out);
/* Sets *address to 0. */
void gpu_budget_give(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *address);

/* ---- memory in a place --------------------------------------------------------------------------- */

struct gpu_region {
  gpu_address at; /* address in kernels; 0: none */
  uint64_t bytes;
  void *on_host;             /* host address of the same memory, if it is the host's */
  struct gpu_budget *budget; /* from which it was taken; NULL: none */
};

/* Content undefined. `budget`: for that place's memory; it must outlive the region; NULL: unlimited.
   FLOE_ERROR_MEMORY: not logged. */
floe_status gpu_region_take(struct gpu *gpu, enum gpu_table_place place, struct gpu_budget *budget, uint64_t bytes,
                            struct gpu_region *out);
void gpu_region_give(struct gpu *gpu, struct gpu_region *region); /* an empty region is allowed; the region is empty
                                                                     afterwards */

#endif
