#include "gpu/keep.h"

#include "core/mem.h"

/* ---- giving back ----------------------------------------------------------------------------- */

static void drop_table(struct keep *keep, enum gpu_table_place place) {
  if (keep->in_use == keep->tables[place])
    keep->in_use = NULL;
  gpu_table_free(keep->tables[place]);
  keep->tables[place] = NULL;
}

static void drop_arrays(struct keep *keep) {
  gpu_free(keep->gpu, keep->arrays.keys);
  gpu_free(keep->gpu, keep->arrays.values);
  gpu_free(keep->gpu, keep->arrays.answers);
  keep->arrays = (struct keep_arrays){0};
}

static void drop_sorted(struct keep *keep) {
  if (keep->sorted.sort)
    gpu_sorted_free(&keep->sorted);
}

static void drop_copy(struct keep *keep) {
  gpu_host_free(keep->gpu, keep->copy);
  keep->copy = NULL;
  keep->copy_bytes = 0;
}

static void drop_all(struct keep *keep) {
  drop_table(keep, GPU_TABLE_ON_DEVICE);
  drop_table(keep, GPU_TABLE_ON_HOST);
  drop_arrays(keep);
  drop_sorted(keep);
  drop_copy(keep);
}

void keep_release(struct keep *keep) {
  if (!keep->gpu)
    return;
  drop_all(keep);
  mem_free(keep->cache_dir);
  keep->cache_dir = NULL;
}

void keep_make_way(struct keep *keep) {
  for (unsigned place = GPU_TABLE_ON_DEVICE; place <= GPU_TABLE_ON_HOST; place++)
    if (keep->tables[place] != keep->in_use)
      drop_table(keep, place);
  drop_sorted(keep);
  drop_copy(keep);
}

uint64_t keep_bytes(const struct keep *keep) {
  const struct gpu_table *table = keep->tables[GPU_TABLE_ON_DEVICE];
  const uint64_t key = sizeof(uint64_t);
  return (table ? gpu_table_shape(table)->bytes : 0) + keep->arrays.most * (key + (keep->arrays.values ? key : 0) + 1) +
         (keep->sorted.sort ? keep->sorted.most * key + keep->sorted.room_bytes : 0);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static floe_status make_table(struct keep *keep, const struct table_config *config, enum gpu_table_place place) {
  return gpu_table_create(keep->gpu, config, place, keep->cache_dir, keep->log, &keep->tables[place]);
}

floe_status keep_table(struct keep *keep, const struct table_config *config, enum gpu_table_place place,
                       struct gpu_table **out) {
  floe_status status;
  if (keep->tables[place] && gpu_table_suits(keep->tables[place], config)) {
    status = gpu_table_clear(keep->tables[place], config->seed);
  } else {
    drop_table(keep, place);
    status = make_table(keep, config, place);
    if (status == FLOE_ERROR_MEMORY) {
      drop_all(keep);
      status = make_table(keep, config, place);
    }
  }
  FLOE_TRY(status);
  *out = keep->in_use = keep->tables[place];
  return FLOE_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static floe_status make_arrays(struct keep *keep, uint64_t most, bool values) {
  struct keep_arrays *arrays = &keep->arrays;
  floe_status status = gpu_alloc(keep->gpu, most * sizeof(uint64_t), &arrays->keys);
  if (status == FLOE_OK && values)
    status = gpu_alloc(keep->gpu, most * sizeof(uint64_t), &arrays->values);
  if (status == FLOE_OK)
    status = gpu_alloc(keep->gpu, most, &arrays->answers);
  arrays->most = most;
  if (status != FLOE_OK)
    drop_arrays(keep);
  return status;
}

floe_status keep_room(struct keep *keep, uint64_t most, bool values) {
  if (most <= keep->arrays.most && (keep->arrays.values || !values))
    return FLOE_OK;
  drop_arrays(keep);
  floe_status status = make_arrays(keep, most, values);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  keep_make_way(keep);
  return make_arrays(keep, most, values);
}

floe_status keep_sorted(struct keep *keep, unsigned key_bits, struct reason *reason) {
  const uint64_t most = keep->arrays.most;
  if (keep->sorted.sort && keep->sorted.most >= most && keep->sorted.key_bits == key_bits)
    return FLOE_OK;
  drop_sorted(keep);
  floe_status status = gpu_sorted_create(keep->gpu, key_bits, most, &keep->sorted, reason);
  if (status != FLOE_ERROR_MEMORY)
    return status;
  keep_make_way(keep);
  return gpu_sorted_create(keep->gpu, key_bits, most, &keep->sorted, reason);
}

/* ---- looking at a table ---------------------------------------------------------------------- */

/* Page-locked memory is copied to at the full speed of the bus, and its pages are there. */
floe_status keep_copy(struct keep *keep, struct table **out) {
  const uint64_t bytes = gpu_table_shape(keep->in_use)->bytes;
  if (keep->copy_bytes < bytes) {
    drop_copy(keep);
    if (gpu_host_alloc(keep->gpu, bytes, &keep->copy) != FLOE_OK) {
      keep->copy = NULL;
      return gpu_table_download(keep->in_use, out);
    }
    keep->copy_bytes = bytes;
  }
  return gpu_table_download_into(keep->in_use, keep->copy, out);
}
