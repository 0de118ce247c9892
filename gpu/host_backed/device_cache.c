#include "gpu/host_backed/device_cache.h"

#include "base/numbers.h"
#include "tables/permutation.h"

#include <assert.h>

/* Buckets are numbered in 32 bits by the kernels. */
#define MOST_BUCKETS UINT32_MAX

bool device_cache_plan(unsigned key_bits, uint64_t bytes, struct device_cache_shape *out) {
  /* Buckets of 64 or 128 bytes, with the narrowest slots that hold the remainders (gpu/engine/sizing_policy.c). */
  static const struct geometry layouts[] = {{16, 32, 64, 8}, {21, 24, 64, 8}, {32, 32, 64, 8}, {64, 16, 64, 8}};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    const struct geometry *g = &layouts[i];
    const uint64_t bucket = slot_bytes(g->bucket_slots, g->slot_bits);
    const uint64_t for_all = largest_key(key_bits) / g->bucket_slots * 2 + 2;
    const uint64_t buckets = least(least(bytes / bucket, for_all), MOST_BUCKETS);
    if (buckets == 0 || largest_key(key_bits) / buckets > first_largest(g->slot_bits))
      continue;
    *out = (struct device_cache_shape){
        .geometry = *g, .buckets = buckets, .slots = buckets * g->bucket_slots, .bytes = buckets * bucket};
    return true;
  }
  return false;
}

floe_status device_cache_make(struct gpu *gpu, struct gpu_budget *budget, const struct device_cache_shape *shape,
                              const char *permutation, unsigned key_bits, struct device_cache *out) {
  struct device_cache device_cache = {.shape = *shape};
  assert(shape->buckets && shape->buckets <= MOST_BUCKETS);
  FLOE_TRY(permutation_make(permutation, key_bits, 0, 0, NULL, &device_cache.view.permutation[0]));
  FLOE_TRY(gpu_region_take(gpu, GPU_TABLE_ON_DEVICE, budget, shape->bytes, &device_cache.memory));
  device_cache.view.first = (unsigned char *)(uintptr_t)device_cache.memory.at;
  device_cache.view.first_quotient = quotient_make(shape->buckets);
  floe_status status = gpu_fill(gpu, device_cache.memory.at, 0, shape->bytes);
  if (status == FLOE_OK)
    *out = device_cache;
  else
    gpu_region_give(gpu, &device_cache.memory);
  return status;
}

void device_cache_free(struct gpu *gpu, struct device_cache *device_cache) {
  gpu_region_give(gpu, &device_cache->memory);
}
