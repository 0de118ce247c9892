/* Tables of the public interface on a GPU. Arrays of the host are copied to the device and back, a
   piece at a time. */
#include "tables/api/gpu_backend.h"

#include "core/diag.h"
#include "core/mem.h"
#include "gpu/table/device_arrays.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/table/sorted_find_or_put.h"
#include "gpu/table/tables.h"

#include <assert.h>

#define PIECE ((size_t)1 << 22) /* keys that are copied at a time, at most */

struct hash_engine {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir;
  enum gpu_table_place place;
  char title[320];
  struct gpu_arrays arrays; /* of the device */
};

struct hash_store {
  struct hash_engine *engine;
  struct gpu_table *table;
};

static const char *cannot(const struct hash_engine *engine, const struct table_config *config,
                          enum table_operation operation) {
  return gpu_table_cannot(config, gpu_information(engine->gpu)->arch, operation);
}

/* ---- owning ---------------------------------------------------------------------------------- */

static void close_store(struct hash_store *store) {
  if (!store)
    return;
  gpu_use(store->engine->gpu);
  gpu_table_free(store->table);
  mem_free(store);
}

/* A table without the simplest operation is none. */
static floe_status check(const struct hash_engine *engine, const struct table_config *config) {
  const char *why = cannot(engine, config, TABLE_FIND);
  if (!why)
    return FLOE_OK;
  diag_error(engine->log, NULL, NOWHERE, "FLOE_ENGINE_CPU has all tables", "no such %s table on the GPU: %s",
             config->scheme, why);
  return FLOE_ERROR_USAGE;
}

static floe_status open_store(struct hash_engine *engine, const struct table_config *config, struct hash_store **out) {
  FLOE_TRY(check(engine, config));
  struct hash_store *store = mem_alloc(sizeof *store);
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

static const struct table_shape *shape_of(const struct hash_store *store) { return gpu_table_shape(store->table); }

static const char *describe(const struct hash_store *store) { return store->engine->title; }

static void release(struct hash_engine *engine) {
  if (!engine)
    return;
  gpu_use(engine->gpu);
  gpu_arrays_give(engine->gpu, &engine->arrays);
  gpu_release(engine->gpu);
  mem_free(engine);
}

/* ---- arrays of the host ---------------------------------------------------------------------- */

static floe_status take_room(struct hash_engine *engine, size_t n) {
  if (n <= engine->arrays.room)
    return FLOE_OK;
  gpu_arrays_give(engine->gpu, &engine->arrays);
  return gpu_arrays_take(engine->gpu, n, true, &engine->arrays);
}

/* As many as there is memory for. */
static floe_status take_some_room(struct hash_engine *engine, size_t *n) {
  enum { LEAST = 1 << 10 };
  *n = *n < PIECE ? *n : PIECE;
  floe_status status = take_room(engine, *n);
  for (; status == FLOE_ERROR_MEMORY && *n > LEAST; status = take_room(engine, *n))
    *n /= 2;
  return status;
}

struct host_arrays {
  uint64_t *keys, *values; /* values NULL: none */
  uint8_t *answers;
  size_t n;
};

static uint64_t count_full(const struct host_arrays *arrays) {
  uint64_t full = 0;
  for (size_t i = 0; i < arrays->n; i++)
    full += arrays->answers[i] == TABLE_FULL;
  return full;
}

static bool gives_back(enum table_operation operation) {
  return operation == TABLE_FIND_OR_PUT || operation == TABLE_PUT_NEW || operation == TABLE_ADD;
}

/* What a GET does not find keeps the value that the caller had there. */
static floe_status bring(struct hash_engine *engine, const struct host_arrays *arrays) {
  const size_t bytes = arrays->n * sizeof(uint64_t);
  FLOE_TRY(gpu_upload(engine->gpu, engine->arrays.keys, arrays->keys, bytes));
  return arrays->values ? gpu_upload(engine->gpu, engine->arrays.values, arrays->values, bytes) : FLOE_OK;
}

static floe_status fetch(struct hash_engine *engine, enum table_operation operation, const struct host_arrays *arrays,
                         uint64_t *full) {
  const size_t bytes = arrays->n * sizeof(uint64_t);
  FLOE_TRY(gpu_download(engine->gpu, arrays->answers, engine->arrays.answers, arrays->n));
  *full = count_full(arrays);
  const bool came_back = gives_back(operation) && *full;
  if (came_back)
    FLOE_TRY(gpu_download(engine->gpu, arrays->keys, engine->arrays.keys, bytes));
  if (arrays->values && (came_back || operation == TABLE_GET))
    FLOE_TRY(gpu_download(engine->gpu, arrays->values, engine->arrays.values, bytes));
  return FLOE_OK;
}

static floe_status run_piece(struct hash_store *store, enum table_operation operation, const struct host_arrays *arrays,
                             uint64_t *full) {
  struct hash_engine *engine = store->engine;
  assert(arrays->n <= engine->arrays.room && operation < TABLE_OPERATIONS);
  FLOE_TRY(bring(engine, arrays));
  FLOE_TRY(gpu_table_run(store->table, operation, engine->arrays.keys, arrays->values ? engine->arrays.values : 0,
                         arrays->n, engine->arrays.answers));
  return fetch(engine, operation, arrays, full);
}

static floe_status run(struct hash_store *store, enum table_operation operation, uint64_t *keys, uint64_t *values,
                       size_t n, uint8_t *answers, uint64_t *full) {
  size_t piece = n;
  uint64_t all = 0, some;
  FLOE_TRY(gpu_use(store->engine->gpu));
  FLOE_TRY(take_some_room(store->engine, &piece));
  for (size_t at = 0; at < n; at += piece) {
    const struct host_arrays arrays = {keys + at, values ? values + at : NULL, answers + at,
                                       n - at < piece ? n - at : piece};
    FLOE_TRY(run_piece(store, operation, &arrays, &some));
    all += some;
  }
  *full = all;
  return FLOE_OK;
}

/* ---- by sorting ------------------------------------------------------------------------------ */

static floe_status sort_piece(struct hash_store *store, const struct gpu_sorted *sorted,
                              const struct host_arrays *arrays, uint64_t *full) {
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
    diag_error(engine->log, NULL, NOWHERE, "FLOE_ENGINE_CPU sorts by itself", "%s", reason.text);
  return status;
}

static floe_status run_sorted(struct hash_store *store, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                              uint64_t *full) {
  struct hash_engine *engine = store->engine;
  struct gpu_sorted sorted;
  size_t piece = n;
  (void)values;
  if (shape_of(store)->value_bits) {
    diag_error(engine->log, NULL, NOWHERE, "FLOE_ENGINE_CPU has it", "keys are not sorted with their values on a GPU");
    return FLOE_ERROR_USAGE;
  }
  if (n == 0)
    return FLOE_OK;
  FLOE_TRY(gpu_use(engine->gpu));
  FLOE_TRY(take_some_room(engine, &piece));
  FLOE_TRY(open_sorted(engine, shape_of(store)->key_bits, piece, &sorted));
  floe_status status = FLOE_OK;
  for (size_t at = 0; at < n && status == FLOE_OK; at += piece) {
    const struct host_arrays arrays = {keys + at, NULL, answers + at, n - at < piece ? n - at : piece};
    status = sort_piece(store, &sorted, &arrays, full);
  }
  gpu_sorted_free(&sorted);
  return status;
}

/* ---- arrays of the device -------------------------------------------------------------------- */

static floe_status run_there(struct hash_store *store, enum table_operation operation, uint64_t keys, uint64_t values,
                             uint64_t n, uint64_t answers) {
  struct gpu *gpu = store->engine->gpu;
  FLOE_TRY(gpu_use(gpu));
  FLOE_TRY(gpu_table_run(store->table, operation, keys, values, n, answers));
  return gpu_wait(gpu);
}

/* ---- the whole table ------------------------------------------------------------------------- */

static floe_status clear(struct hash_store *store, uint64_t seed) {
  FLOE_TRY(gpu_use(store->engine->gpu));
  FLOE_TRY(gpu_table_clear(store->table, seed));
  return gpu_wait(store->engine->gpu);
}

static floe_status look(struct hash_store *store, struct table **out, bool *owned) {
  *owned = true;
  FLOE_TRY(gpu_use(store->engine->gpu));
  return gpu_table_download(store->table, out);
}

static floe_status move(struct hash_store *from, struct hash_store *to, uint64_t *left) {
  FLOE_TRY(gpu_use(from->engine->gpu));
  return gpu_table_move(from->table, to->table, left);
}

static const struct hash_machine hash_gpu = {.engine = FLOE_ENGINE_GPU,
                                             .cannot = cannot,
                                             .open = open_store,
                                             .close = close_store,
                                             .shape = shape_of,
                                             .describe = describe,
                                             .run = run,
                                             .run_there = run_there,
                                             .run_sorted = run_sorted,
                                             .clear = clear,
                                             .move = move,
                                             .look = look,
                                             .release = release};

floe_status hash_gpu_open(unsigned number, bool host_memory, const char *cache_dir, floe_log *log,
                          const struct hash_machine **machine, struct hash_engine **out, struct reason *reason) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  floe_status status = gpu_acquire(number, NULL, log, &engine->gpu, reason);
  if (status != FLOE_OK) {
    mem_free(engine);
    return status;
  }
  engine->log = log;
  engine->cache_dir = *cache_dir ? cache_dir : NULL;
  engine->place = host_memory ? GPU_TABLE_ON_HOST : GPU_TABLE_ON_DEVICE;
  gpu_title(engine->gpu, engine->title, sizeof engine->title);
  *machine = &hash_gpu;
  *out = engine;
  return FLOE_OK;
}
