#include "tables/api/working_set_backend.h"

#include "core/mem.h"
#include "gpu/jit/gpu_api.h"
#include "gpu/table/working_set.h"

#include <assert.h>
#include <string.h>

struct hash_engine {
  struct hash_workset_place place;
  const struct front_kind *front;
  struct gpu_workset_machine gpu; /* that the first levels are made on; .gpu NULL: the host */
  char title[320];
};

struct hash_store {
  struct hash_engine *engine;
  struct workset *set;
  struct workset_config levels;
  struct table_shape shape;
};

static const char *cannot(const struct hash_engine *engine, const struct table_config *config,
                          enum table_operation operation) {
  (void)engine, (void)config;
  return hash_workset_cannot(operation);
}

/* The device is made current in the calling thread. */
static floe_status use(const struct hash_engine *engine) {
  return engine->gpu.gpu ? gpu_use(engine->gpu.gpu) : FLOE_OK;
}

/* ---- owning -------------------------------------------------------------------------------------- */

static void close_store(struct hash_store *store) {
  if (!store)
    return;
  use(store->engine);
  workset_free(store->set);
  mem_free(store);
}

static floe_status open_store(struct hash_engine *engine, const struct table_config *config, struct hash_store **out) {
  struct hash_store *store = mem_alloc(sizeof *store);
  if (!store)
    return FLOE_ERROR_MEMORY;
  store->engine = engine;
  floe_status status = hash_workset_plan(&engine->place.workset, config, engine->place.log, &store->shape);
  store->levels = hash_workset_levels(&engine->place.workset, config, engine->place.threads);
  store->levels.front = engine->front;
  store->levels.machine = &engine->gpu;
  if (status == FLOE_OK)
    status = use(engine);
  if (status == FLOE_OK)
    status = workset_create(&store->levels, &store->set);
  store->shape.bytes = workset_bytes(&store->levels);
  if (status == FLOE_OK)
    *out = store;
  else
    close_store(store);
  return status;
}

static const struct table_shape *shape_of(const struct hash_store *store) { return &store->shape; }

static const char *describe(const struct hash_store *store) { return store->engine->title; }

static void release(struct hash_engine *engine) {
  if (!engine)
    return;
  if (engine->gpu.gpu) {
    gpu_use(engine->gpu.gpu);
    gpu_release(engine->gpu.gpu);
  }
  mem_free(engine);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static floe_status run_queries(struct hash_store *store, const struct workset_queries *queries, uint64_t *full) {
  FLOE_TRY(use(store->engine));
  return workset_run(store->set, queries, full);
}

static floe_status run(struct hash_store *store, enum table_operation operation, uint64_t *keys, uint64_t *values,
                       size_t n, uint8_t *answers, uint64_t *full) {
  const struct workset_queries queries = {
      .operation = (uint8_t)operation, .keys = keys, .values = values, .answers = answers, .n = n};
  FLOE_TRY(run_queries(store, &queries, full));
  for (size_t i = 0; (operation == TABLE_FIND || operation == TABLE_GET || operation == TABLE_DELETE) && i < n; i++)
    *full += answers[i] == TABLE_FULL;
  return FLOE_OK;
}

static floe_status run_mixed(struct hash_store *store, const uint8_t *operations, uint64_t *keys, uint64_t *values,
                             size_t n, uint8_t *answers, uint64_t *full) {
  const struct workset_queries queries = {
      .operations = operations, .keys = keys, .values = values, .answers = answers, .n = n};
  return run_queries(store, &queries, full);
}

/* ---- the whole table ----------------------------------------------------------------------------- */

static floe_status clear(struct hash_store *store, uint64_t seed) {
  FLOE_TRY(use(store->engine));
  return workset_clear(store->set, seed);
}

static floe_status move(struct hash_store *from, struct hash_store *to, uint64_t *left) {
  FLOE_TRY(use(from->engine));
  return workset_move(from->set, to->set, left);
}

static floe_status traffic(struct hash_store *store, floe_hash_traffic *out) {
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

static floe_status stats(struct hash_store *store, floe_hash_stats *out) {
  uint64_t used[2];
  FLOE_TRY(workset_count(store->set, used));
  *out = (floe_hash_stats){.slots = store->shape.slots,
                           .used = used[0] + used[1],
                           .level_slots = {store->levels.recent, store->levels.rest},
                           .level_used = {used[0], used[1]}};
  return FLOE_OK;
}

static floe_status each(struct hash_store *store, unsigned part, unsigned parts,
                        void (*visit)(void *user, const uint64_t *keys, const uint64_t *values, size_t n), void *user) {
  FLOE_TRY(use(store->engine));
  return workset_each(store->set, part, parts, visit, user);
}

static floe_status check(struct hash_store *store, uint64_t *wrong) {
  FLOE_TRY(use(store->engine));
  return workset_check(store->set, wrong);
}

#define MACHINE(where)                                                                                                 \
  {                                                                                                                    \
    .engine = (where), .cannot = cannot, .open = open_store, .close = close_store, .shape = shape_of,                  \
    .describe = describe, .run = run, .run_mixed = run_mixed, .clear = clear, .move = move, .traffic = traffic,        \
    .stats = stats, .each = each, .check = check, .release = release                                                   \
  }
static const struct hash_machine on_host = MACHINE(FLOE_ENGINE_CPU), on_gpu = MACHINE(FLOE_ENGINE_GPU);

static floe_status make_engine(const struct hash_workset_place *place, struct hash_engine **out) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  assert(place->threads && place->workset.variant);
  engine->place = *place;
  engine->front = &front_list;
  *out = engine;
  return FLOE_OK;
}

floe_status hash_workset_open(const struct hash_workset_place *place, const struct hash_machine **machine,
                              struct hash_engine **out) {
  FLOE_TRY(make_engine(place, out));
  strcpy((*out)->title, place->workset.variant->name);
  *machine = &on_host;
  return FLOE_OK;
}

floe_status hash_workset_open_gpu(const struct hash_workset_place *place, const struct hash_machine **machine,
                                  struct hash_engine **out, struct reason *reason) {
  struct hash_engine *engine;
  struct gpu *gpu;
  FLOE_TRY(make_engine(place, &engine));
  floe_status status = gpu_acquire(place->gpu, NULL, place->log, &gpu, reason);
  if (status != FLOE_OK) {
    mem_free(engine);
    return status;
  }
  engine->front = &gpu_front;
  engine->gpu = (struct gpu_workset_machine){.gpu = gpu,
                                             .log = place->log,
                                             .cache_dir = *place->cache_dir ? place->cache_dir : NULL,
                                             .form = place->workset.variant->form};
  gpu_title(gpu, engine->title, sizeof engine->title);
  *machine = &on_gpu;
  *out = engine;
  return FLOE_OK;
}
