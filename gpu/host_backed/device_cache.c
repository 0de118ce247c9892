#include "gpu/host_backed/device_cache.h"

#include "base/numbers.h"
#include "tables/permutation.h"

#include <assert.h>

/* Buckets are numbered in 32 bits by the kernels. */
#define MOST_BUCKETS UINT32_MAX

static uint64_t largest_key(unsigned key_bits) { return UINT64_MAX >> (64 - key_bits); }

bool newest_plan(unsigned key_bits, uint64_t bytes, struct newest_shape *out) {
  /* Of 64 and 128 bytes, the narrowest slots that hold the remainders (gpu/engine/sizing_policy.c). */
  static const struct geometry layouts[] = {{16, 32, 64, 8}, {21, 24, 64, 8}, {32, 32, 64, 8}, {64, 16, 64, 8}};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    const struct geometry *g = &layouts[i];
    const uint64_t bucket = slot_bytes(g->bucket_slots, g->slot_bits);
    const uint64_t for_all = largest_key(key_bits) / g->bucket_slots * 2 + 2;
    const uint64_t buckets = least(least(bytes / bucket, for_all), MOST_BUCKETS);
    if (buckets == 0 || largest_key(key_bits) / buckets > first_largest(g->slot_bits))
      continue;
    *out = (struct newest_shape){
        .geometry = *g, .buckets = buckets, .slots = buckets * g->bucket_slots, .bytes = buckets * bucket};
    return true;
  }
  return false;
}

floe_status newest_make(struct gpu *gpu, struct gpu_budget *budget, const struct newest_shape *shape,
                        const char *permutation, unsigned key_bits, struct newest *out) {
  struct newest newest = {.shape = *shape};
  assert(shape->buckets && shape->buckets <= MOST_BUCKETS);
  FLOE_TRY(permutation_make(permutation, key_bits, 0, 0, NULL, &newest.view.permutation[0]));
  FLOE_TRY(gpu_region_take(gpu, GPU_TABLE_ON_DEVICE, budget, shape->bytes, &newest.memory));
  newest.view.first = (unsigned char *)(uintptr_t)newest.memory.at;
  newest.view.first_quotient = quotient_make(shape->buckets);
  floe_status status = gpu_fill(gpu, newest.memory.at, 0, shape->bytes);
  if (status == FLOE_OK)
    *out = newest;
  else
    gpu_region_give(gpu, &newest.memory);
  return status;
}

void newest_free(struct gpu *gpu, struct newest *newest) { gpu_region_give(gpu, &newest->memory); }
