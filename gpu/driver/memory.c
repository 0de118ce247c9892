#include "gpu/driver/memory.h"

#include <assert.h>

/* ---- budgets ------------------------------------------------------------------------------------- */

/* Memory that is allocated already. */
static void use(struct gpu_budget *budget, uint64_t bytes) {
  assert(bytes <= gpu_budget_room(budget));
  budget->used += bytes;
}

static void unuse(struct gpu_budget *budget, uint64_t bytes) {
  assert(bytes <= budget->used);
  budget->used -= bytes;
}

floe_status gpu_budget_take(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *out) {
  if (bytes > gpu_budget_room(budget))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(gpu_alloc(gpu, bytes, out));
  use(budget, bytes);
  return FLOE_OK;
}

void gpu_budget_give(struct gpu *gpu, struct gpu_budget *budget, uint64_t bytes, gpu_address *address) {
  gpu_free(gpu, *address);
  *address = 0;
  unuse(budget, bytes);
}

/* ---- memory in a place --------------------------------------------------------------------------- */

/* Kernels use the same addresses in the host's memory. */
static floe_status take_on_host(struct gpu *gpu, struct gpu_region *region) {
  FLOE_TRY(gpu_host_alloc(gpu, region->bytes, &region->on_host));
  region->at = (uintptr_t)region->on_host;
  return FLOE_OK;
}

floe_status gpu_region_take(struct gpu *gpu, enum gpu_table_place place, struct gpu_budget *budget, uint64_t bytes,
                            struct gpu_region *out) {
  struct gpu_region region = {.bytes = bytes, .budget = budget};
  if (budget && bytes > gpu_budget_room(budget))
    return FLOE_ERROR_MEMORY;
  FLOE_TRY(place == GPU_TABLE_ON_HOST ? take_on_host(gpu, &region) : gpu_alloc(gpu, bytes, &region.at));
  assert(region.at && (!region.on_host || place == GPU_TABLE_ON_HOST));
  if (budget)
    use(budget, bytes);
  *out = region;
  return FLOE_OK;
}

void gpu_region_give(struct gpu *gpu, struct gpu_region *region) {
  if (region->on_host)
    gpu_host_free(gpu, region->on_host);
  else
    gpu_free(gpu, region->at);
  if (region->at && region->budget)
    unuse(region->budget, region->bytes);
  *region = (struct gpu_region){0};
}
