#include "bench/device/gpu_pool.h"

#include "core/mem.h"

#include <assert.h>

/* ---- giving back ----------------------------------------------------------------------------- */

static void drop_table(struct gpu_pool *pool, enum gpu_table_place place) {
  if (pool->in_use == pool->tables[place])
    pool->in_use = NULL;
  gpu_table_free(pool->tables[place]);
  pool->tables[place] = NULL;
}

static void drop_arrays(struct gpu_pool *pool) { gpu_arrays_give(pool->gpu, &pool->arrays); }

static void drop_sorted(struct gpu_pool *pool) {
  if (pool->sorted.sort)
    gpu_sorted_free(&pool->sorted);
}

static void drop_copy(struct gpu_pool *pool) {
  gpu_host_free(pool->gpu, pool->copy);
  pool->copy = NULL;
  pool->copy_bytes = 0;
}

static void drop_all(struct gpu_pool *pool) {
  drop_table(pool, GPU_TABLE_ON_DEVICE);
  drop_table(pool, GPU_TABLE_ON_HOST);
  drop_arrays(pool);
  drop_sorted(pool);
  drop_copy(pool);
}

void gpu_pool_release(struct gpu_pool *pool) {
  if (!pool->gpu)
    return;
  drop_all(pool);
  mem_free(pool->cache_dir);
  pool->cache_dir = NULL;
}

void gpu_pool_free_unused(struct gpu_pool *pool) {
  for (unsigned place = GPU_TABLE_ON_DEVICE; place <= GPU_TABLE_ON_HOST; place++)
    if (pool->tables[place] != pool->in_use)
      drop_table(pool, place);
  drop_sorted(pool);
  drop_copy(pool);
}

uint64_t gpu_pool_reusable_bytes(const struct gpu_pool *pool) {
  const struct gpu_table *table = pool->tables[GPU_TABLE_ON_DEVICE];
  const struct gpu_sorted *sorted = &pool->sorted;
  return (table ? gpu_table_shape(table)->bytes : 0) + gpu_arrays_bytes(&pool->arrays) +
         (sorted->sort ? sorted->most * sizeof(uint64_t) + sorted->room_bytes : 0);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static floe_status make_table(struct gpu_pool *pool, const struct table_config *config, enum gpu_table_place place) {
  return gpu_table_create(pool->gpu, config, place, pool->cache_dir, pool->log, &pool->tables[place]);
}

floe_status gpu_pool_table(struct gpu_pool *pool, const struct table_config *config, enum gpu_table_place place,
                           struct gpu_table **out) {
  floe_status status;
  if (pool->tables[place] && gpu_table_suits(pool->tables[place], config)) {
    status = gpu_table_clear(pool->tables[place], config->seed);
  } else {
    drop_table(pool, place);
    status = make_table(pool, config, place);
    if (status == FLOE_ERROR_MEMORY) {
      drop_all(pool);
      status = make_table(pool, config, place);
    }
  }
  FLOE_TRY(status);
  *out = pool->in_use = pool->tables[place];
  return FLOE_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

floe_status gpu_pool_arrays(struct gpu_pool *pool, uint64_t most, bool values) {
  if (most <= pool->arrays.room && (pool->arrays.values || !values))
    return FLOE_OK;
  drop_arrays(pool);
  floe_status status = gpu_arrays_take(pool->gpu, most, values, &pool->arrays);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  gpu_pool_free_unused(pool);
  return gpu_arrays_take(pool->gpu, most, values, &pool->arrays);
}

floe_status gpu_pool_sorted(struct gpu_pool *pool, unsigned key_bits, struct reason *reason) {
  const uint64_t most = pool->arrays.room;
  assert(most);
  if (pool->sorted.sort && pool->sorted.most >= most && pool->sorted.key_bits == key_bits)
    return FLOE_OK;
  drop_sorted(pool);
  floe_status status = gpu_sorted_create(pool->gpu, key_bits, most, &pool->sorted, reason);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  gpu_pool_free_unused(pool);
  return gpu_sorted_create(pool->gpu, key_bits, most, &pool->sorted, reason);
}

/* ---- looking at a table ---------------------------------------------------------------------- */

/* Page-locked memory receives copies at the full speed of the bus, and its pages are allocated. */
floe_status gpu_pool_copy(struct gpu_pool *pool, struct table **out) {
  assert(pool->in_use);
  const uint64_t bytes = gpu_table_shape(pool->in_use)->bytes;
  if (pool->copy_bytes < bytes) {
    drop_copy(pool);
    if (gpu_host_alloc(pool->gpu, bytes, &pool->copy) != FLOE_OK) {
      pool->copy = NULL;
      return gpu_table_download(pool->in_use, out);
    }
    pool->copy_bytes = bytes;
  }
  return gpu_table_download_into(pool->in_use, pool->copy, out);
}
