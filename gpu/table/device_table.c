#include "gpu/table/device_table.h"

#include <assert.h>

/* ---- the device's half --------------------------------------------------------------------------- */

static void *pointer(gpu_address address) { return (void *)(uintptr_t)address; }

static floe_status empty(struct device_table *table) {
  assert(table->host && table->memory.at && table->memory.bytes == table->shape.bytes);
  const size_t size = table_place(table->host, pointer(table->memory.at), table->view.bytes);
  assert(size <= sizeof table->view.bytes);
  (void)size;
  return gpu_fill(table->gpu, table->memory.at, 0, table->shape.bytes);
}

floe_status device_table_take(struct device_table *table, enum gpu_table_place place, struct gpu_budget *budget) {
  assert(table->host && !table->memory.at);
  FLOE_TRY(gpu_region_take(table->gpu, place, budget, table->shape.bytes, &table->memory));
  floe_status status = empty(table);
  if (status != FLOE_OK)
    gpu_region_give(table->gpu, &table->memory);
  return status;
}

/* ---- owning -------------------------------------------------------------------------------------- */

floe_status device_table_open(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              struct device_table *out) {
  struct table *host;
  assert(gpu && shape->bytes && shape->slots);
  FLOE_TRY(table_open_as(config, shape, &host));
  *out = (struct device_table){.gpu = gpu, .config = *config, .shape = *shape, .host = host};
  return FLOE_OK;
}

floe_status device_table_make(struct gpu *gpu, const struct table_config *config, const struct table_shape *shape,
                              enum gpu_table_place place, struct gpu_budget *budget, struct device_table *out) {
  struct device_table table;
  FLOE_TRY(device_table_open(gpu, config, shape, &table));
  floe_status status = device_table_take(&table, place, budget);
  if (status == FLOE_OK)
    *out = table;
  else
    device_table_free(&table);
  return status;
}

void device_table_free(struct device_table *table) {
  if (!table->host)
    return;
  gpu_region_give(table->gpu, &table->memory);
  table_free(table->host);
  table->host = NULL;
}

floe_status device_table_clear(struct device_table *table, uint64_t seed) {
  struct table_config config = table->config;
  struct table *host;
  config.seed = seed;
  FLOE_TRY(table_open_as(&config, &table->shape, &host));
  table_free(table->host);
  table->host = host;
  table->config = config;
  return empty(table);
}
