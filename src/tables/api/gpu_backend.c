/* Back-end for tables on a GPU. Arrays of the host are copied to the device and back, one piece at a time. */
#include "tables/api/gpu_backend.h"

#include "core/diag.h"
#include "core/mem.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/table/device_arrays.h"
#include "gpu/table/sorted_find_or_put.h"
#include "gpu/table/tables.h"

#include <assert.h>

#define PIECE ((size_t)1 << 22) /* most keys of a copy */

struct hash_engine {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir;
  enum gpu_table_place place;
  char title[320];
  struct gpu_arrays arrays; /* on the device */
};

struct hash_stored_table {
  struct hash_engine *engine;
  struct gpu_table *table;
};

static const char *device_cannot(const struct hash_engine *engine, const struct table_config *config,
                                 enum table_operation operation) {
  return gpu_table_cannot(config, gpu_information(engine->gpu)->arch, operation);
}

/* ---- creating and freeing ------------------------------------------------------------------ */

static void device_close(struct hash_stored_table *store) {
  if (!store)
    return;
  gpu_use(store->engine->gpu);
  gpu_table_free(store->table);
  mem_free(store);
}

/* If a table lacks FIND, the GPU has no such tables. */
static floe_status check_supported(const struct hash_engine *engine, const struct table_config *config) {
  const char *why = device_cannot(engine, config, TABLE_FIND);
  if (!why)
    return FLOE_OK;
  diag_error(engine->log, NULL, NOWHERE, "use FLOE_ENGINE_CPU, which has all tables",
             "no %s table on the GPU has this configuration: %s", config->scheme, why);
  return FLOE_ERROR_USAGE;
}

static floe_status device_open(struct hash_engine *engine, const struct table_config *config,
                               struct hash_stored_table **out) {
  FLOE_TRY(check_supported(engine, config));
  struct hash_stored_table *store = mem_alloc(sizeof *store);
  if (!store)
    return FLOE_ERROR_MEMORY;
  store->engine = engine;
  floe_status status = gpu_use(engine->gpu);
  if (status == FLOE_OK)
    status = gpu_table_create(engine->gpu, config, engine->place, engine->cache_dir, engine->log, &store->table);
  if (status == FLOE_OK)
    *out = store;
  else
    mem_free(store);
  return status;
}

static const struct table_shape *device_shape(const struct hash_stored_table *store) {
  return gpu_table_shape(store->table);
}

static const char *device_describe(const struct hash_stored_table *store) { return store->engine->title; }

static void device_release(struct hash_engine *engine) {
  if (!engine)
    return;
  gpu_use(engine->gpu);
  gpu_arrays_give(engine->gpu, &engine->arrays);
  gpu_release(engine->gpu);
  mem_free(engine);
}

/* ---- arrays of the host ---------------------------------------------------------------------- */

static floe_status allocate_arrays(struct hash_engine *engine, size_t n) {
  if (n <= engine->arrays.room)
    return FLOE_OK;
  gpu_arrays_give(engine->gpu, &engine->arrays);
  return gpu_arrays_take(engine->gpu, n, true, &engine->arrays);
}

/* Halves *n until there is memory for the arrays. */
static floe_status allocate_most_arrays(struct hash_engine *engine, size_t *n) {
  enum { LEAST = 1 << 10 };
  *n = *n < PIECE ? *n : PIECE;
  floe_status status = allocate_arrays(engine, *n);
  for (; status == FLOE_ERROR_MEMORY && *n > LEAST; status = allocate_arrays(engine, *n))
    *n /= 2;
  return status;
}

static uint64_t count_full(const struct hash_arrays *arrays) {
  uint64_t full = 0;
  for (size_t i = 0; i < arrays->n; i++)
    full += arrays->answers[i] >= TABLE_FULL;
  return full;
}

static bool returns_keys(enum table_operation operation) {
  return operation == TABLE_FIND_OR_PUT || operation == TABLE_PUT_NEW || operation == TABLE_ADD;
}

/* Uploads values for GET, too: keys that are not found keep the caller's values. */
static floe_status upload_arrays(struct hash_engine *engine, const struct hash_arrays *arrays) {
  const size_t bytes = arrays->n * sizeof(uint64_t);
  FLOE_TRY(gpu_upload(engine->gpu, engine->arrays.keys, arrays->keys, bytes));
  return arrays->values ? gpu_upload(engine->gpu, engine->arrays.values, arrays->values, bytes) : FLOE_OK;
}

static floe_status download_answers(struct hash_engine *engine, enum table_operation operation,
                                    const struct hash_arrays *arrays, uint64_t *full) {
  const size_t bytes = arrays->n * sizeof(uint64_t);
  FLOE_TRY(gpu_download(engine->gpu, arrays->answers, engine->arrays.answers, arrays->n));
  *full = count_full(arrays);
  const bool returned = returns_keys(operation) && *full;
  if (returned)
    FLOE_TRY(gpu_download(engine->gpu, arrays->keys, engine->arrays.keys, bytes));
  if (arrays->values && (returned || operation == TABLE_GET))
    FLOE_TRY(gpu_download(engine->gpu, arrays->values, engine->arrays.values, bytes));
  return FLOE_OK;
}

static floe_status run_piece(struct hash_stored_table *store, enum table_operation operation,
                             const struct hash_arrays *arrays, uint64_t *full) {
  struct hash_engine *engine = store->engine;
  assert(arrays->n <= engine->arrays.room && operation < TABLE_OPERATIONS);
  FLOE_TRY(upload_arrays(engine, arrays));
  FLOE_TRY(gpu_table_run(store->table, operation, engine->arrays.keys, arrays->values ? engine->arrays.values : 0,
                         arrays->n, engine->arrays.answers));
  return download_answers(engine, operation, arrays, full);
}

static struct hash_arrays piece_of(const struct hash_arrays *all, size_t at, size_t piece) {
  return (struct hash_arrays){all->keys + at, all->values ? all->values + at : NULL, all->answers + at,
                              all->n - at < piece ? all->n - at : piece};
}

static floe_status device_run(struct hash_stored_table *store, enum table_operation operation,
                              const struct hash_arrays *arrays, uint64_t *full) {
  size_t piece = arrays->n;
  uint64_t all = 0, some;
  FLOE_TRY(gpu_use(store->engine->gpu));
  FLOE_TRY(allocate_most_arrays(store->engine, &piece));
  for (size_t at = 0; at < arrays->n; at += piece) {
    const struct hash_arrays part = piece_of(arrays, at, piece);
    FLOE_TRY(run_piece(store, operation, &part, &some));
    all += some;
  }
  *full = all;
  return FLOE_OK;
}

/* ---- by sorting ------------------------------------------------------------------------------ */

static floe_status sort_piece(struct hash_stored_table *store, const struct gpu_sorted *sorted,
                              const struct hash_arrays *arrays, uint64_t *full) {
  struct hash_engine *engine = store->engine;
  const size_t bytes = arrays->n * sizeof(uint64_t);
  assert(arrays->n <= engine->arrays.room);
  FLOE_TRY(gpu_upload(engine->gpu, engine->arrays.keys, arrays->keys, bytes));
  FLOE_TRY(gpu_sorted_find_or_put(sorted, store->table, engine->arrays.keys, arrays->n, engine->arrays.answers));
  FLOE_TRY(gpu_download(engine->gpu, arrays->keys, engine->arrays.keys, bytes));
  FLOE_TRY(gpu_download(engine->gpu, arrays->answers, engine->arrays.answers, arrays->n));
  *full += count_full(arrays);
  return FLOE_OK;
}

static floe_status open_sorted(struct hash_engine *engine, unsigned key_bits, size_t most, struct gpu_sorted *out) {
  struct reason reason;
  floe_status status = gpu_sorted_create(engine->gpu, key_bits, most, out, &reason);
  if (status == FLOE_ERROR_UNSUPPORTED)
    diag_error(engine->log, NULL, NOWHERE, "use FLOE_ENGINE_CPU, which needs no nvcc", "%s", reason.text);
  return status;
}

static floe_status device_run_sorted(struct hash_stored_table *store, const struct hash_arrays *arrays,
                                     uint64_t *full) {
  struct hash_engine *engine = store->engine;
  struct gpu_sorted sorted;
  size_t piece = arrays->n;
  if (device_shape(store)->value_bits) {
    diag_error(engine->log, NULL, NOWHERE, "use FLOE_ENGINE_CPU", "a GPU cannot sort keys with their values");
    return FLOE_ERROR_USAGE;
  }
  if (arrays->n == 0)
    return FLOE_OK;
  FLOE_TRY(gpu_use(engine->gpu));
  FLOE_TRY(allocate_most_arrays(engine, &piece));
  FLOE_TRY(open_sorted(engine, device_shape(store)->key_bits, piece, &sorted));
  floe_status status = FLOE_OK;
  for (size_t at = 0; at < arrays->n && status == FLOE_OK; at += piece) {
    const struct hash_arrays part = piece_of(arrays, at, piece);
    status = sort_piece(store, &sorted, &part, full);
  }
  gpu_sorted_free(&sorted);
  return status;
}

/* ---- arrays of the device -------------------------------------------------------------------- */

static floe_status device_run_on_device(struct hash_stored_table *store, enum table_operation operation, uint64_t keys,
                                        uint64_t values, uint64_t n, uint64_t answers) {
  struct gpu *gpu = store->engine->gpu;
  FLOE_TRY(gpu_use(gpu));
  FLOE_TRY(gpu_table_run(store->table, operation, keys, values, n, answers));
  return gpu_wait(gpu);
}

/* ---- the whole table ------------------------------------------------------------------------- */

static floe_status device_clear(struct hash_stored_table *store, uint64_t seed) {
  FLOE_TRY(gpu_use(store->engine->gpu));
  FLOE_TRY(gpu_table_clear(store->table, seed));
  return gpu_wait(store->engine->gpu);
}

static floe_status device_host_view(struct hash_stored_table *store, struct table **out, bool *owned) {
  *owned = true;
  FLOE_TRY(gpu_use(store->engine->gpu));
  return gpu_table_download(store->table, out);
}

static floe_status device_move(struct hash_stored_table *from, struct hash_stored_table *to, uint64_t *left) {
  FLOE_TRY(gpu_use(from->engine->gpu));
  return gpu_table_move(from->table, to->table, left);
}

static const struct hash_backend hash_gpu_backend = {.engine = FLOE_ENGINE_GPU,
                                                     .cannot = device_cannot,
                                                     .open = device_open,
                                                     .close = device_close,
                                                     .shape = device_shape,
                                                     .describe = device_describe,
                                                     .run = device_run,
                                                     .run_on_device = device_run_on_device,
                                                     .run_sorted = device_run_sorted,
                                                     .clear = device_clear,
                                                     .move = device_move,
                                                     .host_view = device_host_view,
                                                     .release = device_release};

floe_status hash_gpu_open(const struct hash_gpu_settings *settings, const struct hash_backend **backend,
                          struct hash_engine **out, struct reason *reason) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_acquire(settings->number, NULL, settings->log, &engine->gpu, reason);
  if (status != FLOE_OK) {
    mem_free(engine);
    return status;
  }
  engine->log = settings->log;
  engine->cache_dir = *settings->cache_dir ? settings->cache_dir : NULL;
  engine->place = settings->host_memory ? GPU_TABLE_ON_HOST : GPU_TABLE_ON_DEVICE;
  gpu_title(engine->gpu, engine->title, sizeof engine->title);
  *backend = &hash_gpu_backend;
  *out = engine;
  return FLOE_OK;
}
