#include "tables/api/working_set_backend.h"

#include "core/mem.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/table/working_set.h"

#include <assert.h>
#include <string.h>

struct hash_engine {
  struct hash_workset_settings settings;
  const struct recent_level_kind *recent_level;
  struct gpu_workset_device gpu; /* device of the recent levels; .gpu NULL: the host */
  char title[320];
};

struct hash_stored_table {
  struct hash_engine *engine;
  struct workset *set;
  struct workset_config levels;
  struct table_shape shape;
};

static const char *levels_cannot(const struct hash_engine *engine, const struct table_config *config,
                                 enum table_operation operation) {
  (void)engine, (void)config;
  return hash_workset_cannot(operation);
}

/* Makes the device current in the calling thread. */
static floe_status make_current(const struct hash_engine *engine) {
  return engine->gpu.gpu ? gpu_use(engine->gpu.gpu) : FLOE_OK;
}

/* ---- creating and freeing --------------------------------------------------------------------------- */

static void levels_close(struct hash_stored_table *store) {
  if (!store)
    return;
  make_current(store->engine);
  workset_free(store->set);
  mem_free(store);
}

static floe_status levels_open(struct hash_engine *engine, const struct table_config *config,
                               struct hash_stored_table **out) {
  struct hash_stored_table *store = mem_alloc(sizeof *store);
  if (!store)
    return FLOE_ERROR_MEMORY;
  store->engine = engine;
  floe_status status = hash_workset_plan(&engine->settings.workset, config, engine->settings.log, &store->shape);
  store->levels = hash_workset_levels(&engine->settings.workset, config, engine->settings.threads);
  store->levels.recent_level = engine->recent_level;
  store->levels.device = &engine->gpu;
  if (status == FLOE_OK)
    status = make_current(engine);
  if (status == FLOE_OK)
    status = workset_create(&store->levels, &store->set);
  store->shape.bytes = workset_bytes(&store->levels);
  if (status == FLOE_OK)
    *out = store;
  else
    levels_close(store);
  return status;
}

static const struct table_shape *levels_shape(const struct hash_stored_table *store) { return &store->shape; }

static const char *levels_describe(const struct hash_stored_table *store) { return store->engine->title; }

static void levels_release(struct hash_engine *engine) {
  if (!engine)
    return;
  if (engine->gpu.gpu) {
    gpu_use(engine->gpu.gpu);
    gpu_release(engine->gpu.gpu);
  }
  mem_free(engine);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static floe_status run_queries(struct hash_stored_table *store, const struct workset_queries *queries, uint64_t *full) {
  FLOE_TRY(make_current(store->engine));
  return workset_run(store->set, queries, full);
}

static floe_status levels_run(struct hash_stored_table *store, enum table_operation operation,
                              const struct hash_arrays *arrays, uint64_t *full) {
  const struct workset_queries queries = {.operation = (uint8_t)operation,
                                          .keys = arrays->keys,
                                          .values = arrays->values,
                                          .answers = arrays->answers,
                                          .n = arrays->n};
  const bool looks = operation == TABLE_FIND || operation == TABLE_GET || operation == TABLE_DELETE;
  FLOE_TRY(run_queries(store, &queries, full));
  for (size_t i = 0; looks && i < arrays->n; i++)
    *full += arrays->answers[i] == TABLE_FULL;
  return FLOE_OK;
}

static floe_status levels_run_mixed(struct hash_stored_table *store, const uint8_t *operations,
                                    const struct hash_arrays *arrays, uint64_t *full) {
  const struct workset_queries queries = {.operations = operations,
                                          .keys = arrays->keys,
                                          .values = arrays->values,
                                          .answers = arrays->answers,
                                          .n = arrays->n};
  return run_queries(store, &queries, full);
}

/* ---- the whole table ----------------------------------------------------------------------------- */

static floe_status levels_clear(struct hash_stored_table *store, uint64_t seed) {
  FLOE_TRY(make_current(store->engine));
  return workset_clear(store->set, seed);
}

static floe_status levels_move(struct hash_stored_table *from, struct hash_stored_table *to, uint64_t *left) {
  FLOE_TRY(make_current(from->engine));
  return workset_move(from->set, to->set, left);
}

static floe_status levels_traffic(struct hash_stored_table *store, floe_hash_traffic *out) {
  const struct workset_traffic traffic = workset_traffic(store->set);
  *out = (floe_hash_traffic){.batches = traffic.batches,
                             .operations = traffic.operations,
                             .asked = traffic.asked,
                             .moved_up = traffic.moved_up,
                             .moved_down = traffic.moved_down,
                             .seconds = traffic.seconds,
                             .waited_seconds = traffic.waited,
                             .second_seconds = traffic.second,
                             .beside_seconds = traffic.beside,
                             .kernel_seconds = traffic.first.kernels,
                             .copy_seconds = traffic.first.copies};
  return FLOE_OK;
}

static floe_status levels_stats(struct hash_stored_table *store, floe_hash_stats *out) {
  uint64_t used[2];
  FLOE_TRY(workset_count(store->set, used));
  *out = (floe_hash_stats){.slots = store->shape.slots,
                           .used = used[0] + used[1],
                           .level_slots = {store->levels.recent, store->levels.rest},
                           .level_used = {used[0], used[1]}};
  return FLOE_OK;
}

static floe_status levels_each(struct hash_stored_table *store, unsigned part, unsigned parts,
                               void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n),
                               void *user) {
  FLOE_TRY(make_current(store->engine));
  return workset_each(store->set, part, parts, visit, user);
}

static floe_status levels_check(struct hash_stored_table *store, uint64_t *wrong) {
  FLOE_TRY(make_current(store->engine));
  return workset_check(store->set, wrong);
}

#define BACKEND(where)                                                                                                 \
  {                                                                                                                    \
    .engine = (where), .cannot = levels_cannot, .open = levels_open, .close = levels_close, .shape = levels_shape,     \
    .describe = levels_describe, .run = levels_run, .run_mixed = levels_run_mixed, .clear = levels_clear,              \
    .move = levels_move, .traffic = levels_traffic, .stats = levels_stats, .each = levels_each, .check = levels_check, \
    .release = levels_release                                                                                          \
  }
static const struct hash_backend host_levels_backend = BACKEND(FLOE_ENGINE_CPU),
                                 gpu_levels_backend = BACKEND(FLOE_ENGINE_GPU);

static floe_status make_engine(const struct hash_workset_settings *settings, struct hash_engine **out) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  assert(settings->threads && settings->workset.variant);
  engine->settings = *settings;
  engine->recent_level = &recent_level_list;
  *out = engine;
  return FLOE_OK;
}

floe_status hash_workset_open(const struct hash_workset_settings *settings, const struct hash_backend **backend,
                              struct hash_engine **out) {
  FLOE_TRY(make_engine(settings, out));
  strcpy((*out)->title, settings->workset.variant->name);
  *backend = &host_levels_backend;
  return FLOE_OK;
}

floe_status hash_workset_open_gpu(const struct hash_workset_settings *settings, const struct hash_backend **backend,
                                  struct hash_engine **out, struct reason *reason) {
  struct hash_engine *engine;
  struct gpu *gpu;
  FLOE_TRY(make_engine(settings, &engine));
  floe_status status = gpu_acquire(settings->gpu, NULL, settings->log, &gpu, reason);
  if (status != FLOE_OK) {
    mem_free(engine);
    return status;
  }
  engine->recent_level = &gpu_recent_level;
  engine->gpu = (struct gpu_workset_device){.gpu = gpu,
                                            .log = settings->log,
                                            .cache_dir = *settings->cache_dir ? settings->cache_dir : NULL,
                                            .form = settings->workset.variant->form};
  gpu_title(gpu, engine->title, sizeof engine->title);
  *backend = &gpu_levels_backend;
  *out = engine;
  return FLOE_OK;
}
