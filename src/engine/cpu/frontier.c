#include "engine/cpu/frontier.h"

#include "core/mem.h"

#include <assert.h>

/* Slabs grow from a size that costs a tiny model nothing to one that amortises the allocation. */
#define FIRST_SLAB ((size_t)64 << 10)
#define LARGEST_SLAB ((size_t)8 << 20)

#define SLABS_OF_LIMIT 256 /* of a budget: bounds the memory in partly used slabs */

struct slab {
  struct slab *next;
  char *memory;
  size_t bytes;
  size_t idle; /* chunks */
};

void chunk_pool_open(struct chunk_pool *pool, struct budget *budget) {
  *pool = (struct chunk_pool){.budget = budget, .slab_bytes = FIRST_SLAB, .largest_slab = LARGEST_SLAB};
  while (pool->largest_slab > FIRST_SLAB && pool->largest_slab > budget->limit / SLABS_OF_LIMIT)
    pool->largest_slab /= 2;
  pthread_mutex_init(&pool->mutex, NULL);
}

static void free_slab(struct chunk_pool *pool, struct slab *slab) {
  pool->bytes -= slab->bytes;
  pages_free(slab->memory, slab->bytes);
  budget_give(pool->budget, slab->bytes);
  mem_free(slab);
}

void chunk_pool_close(struct chunk_pool *pool) {
  while (pool->slabs) {
    struct slab *slab = pool->slabs;
    pool->slabs = slab->next;
    free_slab(pool, slab);
  }
  pthread_mutex_destroy(&pool->mutex);
}

static struct slab *slab_create(size_t bytes) {
  struct slab *slab = mem_alloc(sizeof *slab);
  if (!slab)
    return NULL;
  slab->bytes = bytes;
  slab->memory = pages_alloc(bytes);
  if (!slab->memory) {
    mem_free(slab);
    return NULL;
  }
  return slab;
}

/* Near the end of the budget, slabs become smaller. */
static bool take_from_budget(struct chunk_pool *pool) {
  while (!budget_take(pool->budget, pool->slab_bytes)) {
    if (pool->slab_bytes <= FIRST_SLAB)
      return false;
    pool->slab_bytes /= 2;
  }
  return true;
}

static bool add_slab(struct chunk_pool *pool) {
  if (!take_from_budget(pool))
    return false;
  struct slab *slab = slab_create(pool->slab_bytes);
  if (!slab) {
    budget_give(pool->budget, pool->slab_bytes);
    return false;
  }
  slab->next = pool->slabs;
  pool->slabs = slab;
  pool->bytes += slab->bytes;
  if (pool->bytes - pool->kept_count * CHUNK_BYTES > pool->peak)
    pool->peak = pool->bytes - pool->kept_count * CHUNK_BYTES;
  slab->idle = slab->bytes / CHUNK_BYTES;
  for (size_t at = slab->bytes; at > 0; at -= CHUNK_BYTES) {
    struct chunk *chunk = (struct chunk *)(slab->memory + at - CHUNK_BYTES);
    chunk->slab = slab;
    chunk->next = pool->idle;
    pool->idle = chunk;
  }
  while (pool->slab_bytes < pool->largest_slab && pool->slab_bytes < pool->bytes / 4)
    pool->slab_bytes *= 2; /* at most a quarter unused */
  return true;
}

static void give(struct chunk_pool *pool, struct chunk *chunk) {
  chunk->next = pool->idle;
  pool->idle = chunk;
  chunk->slab->idle++;
}

/* False: there were none. */
static bool drop_kept(struct chunk_pool *pool) {
  const bool any = pool->kept_count > 0;
  while (pool->kept) {
    struct chunk *next = pool->kept->next;
    give(pool, pool->kept);
    pool->kept = next;
  }
  pool->kept_count = pool->most_kept = 0;
  return any;
}

struct chunk *chunk_take(struct chunk_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  struct chunk *chunk = NULL;
  if (pool->idle || add_slab(pool) || drop_kept(pool)) {
    chunk = pool->idle;
    pool->idle = chunk->next;
    chunk->slab->idle--;
  }
  pthread_mutex_unlock(&pool->mutex);
  if (chunk) {
    chunk->next = NULL;
    chunk->count = 0;
  }
  return chunk;
}

void chunk_give(struct chunk_pool *pool, struct chunk *chunk) {
  pthread_mutex_lock(&pool->mutex);
  give(pool, chunk);
  pthread_mutex_unlock(&pool->mutex);
}

void chunk_pool_keep(struct chunk_pool *pool, uint64_t bytes) { pool->most_kept = bytes / CHUNK_BYTES; }

void chunk_expanded(struct chunk_pool *pool, struct chunk *chunk) {
  pthread_mutex_lock(&pool->mutex);
  if (pool->kept_count < pool->most_kept) {
    chunk->next = pool->kept;
    pool->kept = chunk;
    pool->kept_count++;
  } else {
    drop_kept(pool);
    give(pool, chunk);
  }
  pthread_mutex_unlock(&pool->mutex);
}

void chunk_pool_drop_kept(struct chunk_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  drop_kept(pool);
  pthread_mutex_unlock(&pool->mutex);
}

void chunk_pool_reserve(struct chunk_pool *pool, size_t chunks, uint64_t bytes) {
  pthread_mutex_lock(&pool->mutex);
  while (pool->bytes < chunks * CHUNK_BYTES && pool->bytes + pool->slab_bytes <= bytes)
    if (!add_slab(pool))
      break;
  pthread_mutex_unlock(&pool->mutex);
}

/* ---- trimming -------------------------------------------------------------------------------- */

static bool is_idle(const struct slab *slab) { return slab->idle == slab->bytes / CHUNK_BYTES; }

/* Removes idle slabs from the pool's list and returns them. */
static struct slab *take_idle_slabs(struct chunk_pool *pool, size_t chunks) {
  struct slab *gone = NULL, **at = &pool->slabs;
  size_t kept = 0;
  while (*at) {
    struct slab *slab = *at;
    if (!is_idle(slab) || kept < chunks) {
      kept += slab->idle;
      at = &slab->next;
      continue;
    }
    *at = slab->next;
    slab->idle = 0; /* marks the slab as removed: all others with chunks in the idle list count at least one */
    slab->next = gone;
    gone = slab;
  }
  return gone;
}

static void forget_chunks_of_gone(struct chunk_pool *pool) {
  struct chunk **at = &pool->idle;
  while (*at)
    if ((*at)->slab->idle == 0)
      *at = (*at)->next;
    else
      at = &(*at)->next;
}

void chunk_pool_trim(struct chunk_pool *pool, size_t chunks) {
  pthread_mutex_lock(&pool->mutex);
  struct slab *gone = take_idle_slabs(pool, chunks);
  forget_chunks_of_gone(pool);
  while (gone) {
    struct slab *next = gone->next;
    free_slab(pool, gone);
    gone = next;
  }
  pool->slab_bytes = FIRST_SLAB;
  pthread_mutex_unlock(&pool->mutex);
}

/* ---- lists ----------------------------------------------------------------------------------- */

bool frontier_make_room(struct frontier *frontier, size_t more) {
  const size_t needed = frontier->count + more;
  if (needed <= frontier->cap)
    return true;
  const size_t cap = needed < 2 * frontier->cap ? 2 * frontier->cap : needed + 16;
  struct frontier_part *parts = mem_resize(frontier->parts, cap * sizeof *parts);
  if (!parts)
    return false;
  frontier->parts = parts;
  frontier->cap = cap;
  return true;
}

bool frontier_append(struct frontier *frontier, struct frontier_part part) {
  if (!frontier_make_room(frontier, 1))
    return false;
  frontier->parts[frontier->count++] = part;
  frontier->states += part.states;
  return true;
}

bool frontier_add(struct frontier *frontier, struct chunk *chunk) {
  assert(chunk->count > 0);
  /* Relaxed: the next phase of the thread pool publishes it. */
  atomic_store_explicit(&chunk->left, chunk->count, memory_order_relaxed);
  return frontier_append(frontier, (struct frontier_part){.chunk = chunk, .states = chunk->count});
}

void frontier_clear(struct frontier *frontier) {
  for (size_t i = 0; i < frontier->count; i++)
    mem_free(frontier->parts[i].block);
  frontier->count = 0;
  frontier->states = 0;
}

void frontier_free(struct frontier *frontier) {
  frontier_clear(frontier);
  mem_free(frontier->parts);
  *frontier = (struct frontier){0};
}
