/* Tables of the public interface in the host's memory. */
#include "tables/api/host_backend.h"

#include "core/mem.h"
#include "core/thread_pool.h"
#include "tables/scheme.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

struct hash_engine {
  unsigned threads;
};

struct hash_store {
  const struct hash_engine *engine;
  struct table_config config;
  struct table *table;
  void *memory; /* the table's, and the same after it is cleared */
};

floe_status hash_cpu_open(unsigned threads, struct hash_engine **out) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  assert(threads > 0);
  engine->threads = threads;
  *out = engine;
  return FLOE_OK;
}

static void release(struct hash_engine *engine) { mem_free(engine); }

static const char *cannot(const struct hash_engine *engine, const struct table_config *config,
                          enum table_operation operation) {
  (void)engine;
  return table_cannot(config, operation);
}

/* ---- owning ---------------------------------------------------------------------------------- */

static void close_store(struct hash_store *store) {
  if (!store)
    return;
  if (store->memory)
    pages_free(store->memory, table_shape(store->table)->bytes);
  table_free(store->table);
  mem_free(store);
}

static floe_status fill_in(struct hash_store *store) {
  FLOE_TRY(table_open(&store->config, &store->table));
  store->memory = pages_alloc(table_shape(store->table)->bytes);
  if (!store->memory)
    return FLOE_ERROR_MEMORY;
  table_adopt(store->table, store->memory);
  return FLOE_OK;
}

static floe_status open_store(struct hash_engine *engine, const struct table_config *config, struct hash_store **out) {
  struct hash_store *store = mem_alloc(sizeof *store);
  if (!store)
    return FLOE_ERROR_MEMORY;
  store->engine = engine;
  store->config = *config;
  floe_status status = fill_in(store);
  if (status == FLOE_OK)
    *out = store;
  else
    close_store(store);
  return status;
}

static const struct table_shape *shape_of(const struct hash_store *store) { return table_shape(store->table); }

static const char *describe(const struct hash_store *store) { return table_simd(store->table); }

/* ---- operations ------------------------------------------------------------------------------ */

static floe_status run(struct hash_store *store, enum table_operation operation, uint64_t *keys, uint64_t *values,
                       size_t n, uint8_t *answers, uint64_t *full) {
  *full = table_run(store->table, operation, keys, values, n, answers);
  return FLOE_OK;
}

static floe_status run_sorted(struct hash_store *store, uint64_t *keys, uint64_t *values, size_t n, uint8_t *answers,
                              uint64_t *full) {
  size_t none;
  FLOE_TRY(table_sorted_find_or_put(store->table, keys, values, n, answers, &none));
  *full = none;
  return FLOE_OK;
}

static floe_status look(struct hash_store *store, struct table **out, bool *owned) {
  *out = store->table;
  *owned = false;
  return FLOE_OK;
}

/* ---- work for a crew ------------------------------------------------------------------------- */

struct work {
  struct thread_pool *pool;
  struct hash_store *store, *to;
  atomic_uint_fast64_t left;
};

static floe_status in_pool(struct work *work, void (*member)(void *user, unsigned member)) {
  FLOE_TRY(pool_create(work->store->engine->threads, &work->pool));
  pool_run(work->pool, member, work);
  pool_free(work->pool);
  return FLOE_OK;
}

/* The member's part, to whole cache lines. */
static void clear_part(void *user, unsigned member) {
  const struct work *work = user;
  const uint64_t bytes = shape_of(work->store)->bytes;
  const uint64_t part = (bytes / pool_size(work->pool) + 64) & ~UINT64_C(63);
  const uint64_t begin = member * part;
  if (begin < bytes)
    memset((char *)work->store->memory + begin, 0, bytes - begin < part ? bytes - begin : part);
}

/* The permutations belong to the struct, not to the memory. */
static floe_status clear(struct hash_store *store, uint64_t seed) {
  struct work work = {.store = store};
  struct table_config config = store->config;
  struct table *fresh;
  config.seed = seed;
  FLOE_TRY(table_open(&config, &fresh));
  floe_status status = in_pool(&work, clear_part);
  if (status != FLOE_OK) {
    table_free(fresh);
    return status;
  }
  assert(table_shape(fresh)->bytes == shape_of(store)->bytes);
  table_free(store->table);
  table_adopt(fresh, store->memory);
  store->table = fresh;
  store->config = config;
  return FLOE_OK;
}

/* Relaxed: the crew's phases order the sum. */
static void move_part(void *user, unsigned member) {
  struct work *work = user;
  const uint64_t left = table_rehash(work->store->table, work->to->table, member, pool_size(work->pool));
  atomic_fetch_add_explicit(&work->left, left, memory_order_relaxed);
}

static floe_status move(struct hash_store *from, struct hash_store *to, uint64_t *left) {
  struct work work = {.store = from, .to = to};
  assert(from != to && from->engine == to->engine);
  FLOE_TRY(in_pool(&work, move_part));
  *left = work.left;
  return FLOE_OK;
}

const struct hash_machine hash_cpu = {.engine = FLOE_ENGINE_CPU,
                                      .cannot = cannot,
                                      .open = open_store,
                                      .close = close_store,
                                      .shape = shape_of,
                                      .describe = describe,
                                      .run = run,
                                      .run_sorted = run_sorted,
                                      .clear = clear,
                                      .move = move,
                                      .look = look,
                                      .release = release};
