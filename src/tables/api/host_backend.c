/* Back-end for tables in the host's memory. */
#include "tables/api/host_backend.h"

#include "core/mem.h"
#include "core/threads/thread_pool.h"
#include "tables/scheme.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

struct hash_engine {
  unsigned threads;
};

struct hash_stored_table {
  const struct hash_engine *engine;
  struct table_config config;
  struct table *table;
  void *memory; /* of the table; kept when the table is cleared */
};

floe_status hash_host_open(unsigned threads, struct hash_engine **out) {
  struct hash_engine *engine = mem_alloc(sizeof *engine);
  if (!engine)
    return FLOE_ERROR_MEMORY;
  assert(threads > 0);
  engine->threads = threads;
  *out = engine;
  return FLOE_OK;
}

static void host_release(struct hash_engine *engine) { mem_free(engine); }

static const char *host_cannot(const struct hash_engine *engine, const struct table_config *config,
                               enum table_operation operation) {
  (void)engine;
  return table_cannot(config, operation);
}

/* ---- creating and freeing ------------------------------------------------------------------ */

static void host_close(struct hash_stored_table *store) {
  if (!store)
    return;
  if (store->memory)
    pages_free(store->memory, table_shape(store->table)->bytes);
  table_free(store->table);
  mem_free(store);
}

static floe_status host_create_parts(struct hash_stored_table *store) {
  FLOE_TRY(table_open(&store->config, &store->table));
  store->memory = pages_alloc(table_shape(store->table)->bytes);
  if (!store->memory)
    return FLOE_ERROR_MEMORY;
  table_adopt(store->table, store->memory);
  return FLOE_OK;
}

static floe_status host_open(struct hash_engine *engine, const struct table_config *config,
                             struct hash_stored_table **out) {
  struct hash_stored_table *store = mem_alloc(sizeof *store);
  if (!store)
    return FLOE_ERROR_MEMORY;
  store->engine = engine;
  store->config = *config;
  floe_status status = host_create_parts(store);
  if (status == FLOE_OK)
    *out = store;
  else
    host_close(store);
  return status;
}

static const struct table_shape *host_shape(const struct hash_stored_table *store) { return table_shape(store->table); }

static const char *host_describe(const struct hash_stored_table *store) { return table_simd(store->table); }

/* ---- operations ------------------------------------------------------------------------------ */

static floe_status host_run(struct hash_stored_table *store, enum table_operation operation,
                            const struct hash_arrays *arrays, uint64_t *full) {
  *full = table_run(store->table, operation, arrays->keys, arrays->values, arrays->n, arrays->answers);
  return FLOE_OK;
}

static floe_status host_run_sorted(struct hash_stored_table *store, const struct hash_arrays *arrays, uint64_t *full) {
  size_t none;
  FLOE_TRY(table_sorted_find_or_put(store->table, arrays->keys, arrays->values, arrays->n, arrays->answers, &none));
  *full = none;
  return FLOE_OK;
}

static floe_status host_view_table(struct hash_stored_table *store, struct table **out, bool *owned) {
  *out = store->table;
  *owned = false;
  return FLOE_OK;
}

/* ---- work in parallel ----------------------------------------------------------------------- */

struct work {
  struct thread_pool *pool;
  struct hash_stored_table *store, *to;
  atomic_uint_fast64_t left;
};

static floe_status run_in_pool(struct work *work, void (*member)(void *user, unsigned member)) {
  FLOE_TRY(pool_create(work->store->engine->threads, &work->pool));
  pool_run(work->pool, member, work);
  pool_free(work->pool);
  return FLOE_OK;
}

/* Clears one thread's part, in whole cache lines. */
static void clear_part(void *user, unsigned member) {
  const struct work *work = user;
  const uint64_t bytes = host_shape(work->store)->bytes;
  const uint64_t part = (bytes / pool_size(work->pool) + 64) & ~UINT64_C(63);
  const uint64_t begin = member * part;
  if (begin < bytes)
    memset((char *)work->store->memory + begin, 0, bytes - begin < part ? bytes - begin : part);
}

/* A new struct with new permutations takes over the memory. */
static floe_status host_clear(struct hash_stored_table *store, uint64_t seed) {
  struct work work = {.store = store};
  struct table_config config = store->config;
  struct table *fresh;
  config.seed = seed;
  FLOE_TRY(table_open(&config, &fresh));
  floe_status status = run_in_pool(&work, clear_part);
  if (status != FLOE_OK) {
    table_free(fresh);
    return status;
  }
  assert(table_shape(fresh)->bytes == host_shape(store)->bytes);
  table_free(store->table);
  table_adopt(fresh, store->memory);
  store->table = fresh;
  store->config = config;
  return FLOE_OK;
}

/* Relaxed: the end of pool_run orders the sum. */
static void move_part(void *user, unsigned member) {
  struct work *work = user;
  const uint64_t left = table_rehash(work->store->table, work->to->table, member, pool_size(work->pool));
  atomic_fetch_add_explicit(&work->left, left, memory_order_relaxed);
}

static floe_status host_move(struct hash_stored_table *from, struct hash_stored_table *to, uint64_t *left) {
  struct work work = {.store = from, .to = to};
  assert(from != to && from->engine == to->engine);
  FLOE_TRY(run_in_pool(&work, move_part));
  *left = work.left;
  return FLOE_OK;
}

const struct hash_backend hash_host_backend = {.engine = FLOE_ENGINE_CPU,
                                               .cannot = host_cannot,
                                               .open = host_open,
                                               .close = host_close,
                                               .shape = host_shape,
                                               .describe = host_describe,
                                               .run = host_run,
                                               .run_sorted = host_run_sorted,
                                               .clear = host_clear,
                                               .move = host_move,
                                               .host_view = host_view_table,
                                               .release = host_release};
