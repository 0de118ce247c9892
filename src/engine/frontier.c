#include "engine/frontier.h"

#include "core/mem.h"

#include <assert.h>

/* Slabs grow from a size that a tiny model does not feel to one that is cheap to ask for. */
#define FIRST_SLAB ((size_t)64 << 10)
#define LARGEST_SLAB ((size_t)8 << 20)

struct slab {
  struct slab *next;
  char *memory;
  size_t bytes;
};

void chunk_pool_open(struct chunk_pool *pool, struct budget *budget) {
  *pool = (struct chunk_pool){.budget = budget, .slab_bytes = FIRST_SLAB};
  pthread_mutex_init(&pool->mutex, NULL);
}

void chunk_pool_close(struct chunk_pool *pool) {
  while (pool->slabs) {
    struct slab *slab = pool->slabs;
    pool->slabs = slab->next;
    pages_free(slab->memory, slab->bytes);
    budget_give(pool->budget, slab->bytes);
    mem_free(slab);
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

/* The last bit of a budget is used up in smaller and smaller slabs. */
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
  for (size_t at = slab->bytes; at > 0; at -= CHUNK_BYTES) {
    struct chunk *chunk = (struct chunk *)(slab->memory + at - CHUNK_BYTES);
    chunk->next = pool->idle;
    pool->idle = chunk;
  }
  while (pool->slab_bytes < LARGEST_SLAB && pool->slab_bytes < pool->bytes / 4)
    pool->slab_bytes *= 2; /* slack of a quarter at most */
  return true;
}

struct chunk *chunk_take(struct chunk_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  struct chunk *chunk = NULL;
  if (pool->idle || add_slab(pool)) {
    chunk = pool->idle;
    pool->idle = chunk->next;
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
  chunk->next = pool->idle;
  pool->idle = chunk;
  pthread_mutex_unlock(&pool->mutex);
}

bool frontier_make_room(struct frontier *frontier, size_t more) {
  size_t needed = frontier->count + more, cap = frontier->cap ? frontier->cap : 16;
  if (needed <= frontier->cap)
    return true;
  while (cap < needed)
    cap *= 2;
  struct frontier_part *parts = mem_resize(frontier->parts, cap * sizeof *parts);
  if (!parts)
    return false;
  frontier->parts = parts;
  frontier->cap = cap;
  return true;
}

bool frontier_add(struct frontier *frontier, struct chunk *list) {
  for (struct chunk *chunk = list; chunk; chunk = chunk->next) {
    if (!frontier_make_room(frontier, 1))
      return false;
    assert(chunk->count > 0);
    frontier->parts[frontier->count++] = (struct frontier_part){chunk, chunk->count};
    frontier->states += chunk->count;
    /* Relaxed: the next phase of the crew publishes it. */
    atomic_store_explicit(&chunk->left, chunk->count, memory_order_relaxed);
  }
  return true;
}

void frontier_clear(struct frontier *frontier) {
  frontier->count = 0;
  frontier->states = 0;
}

void frontier_free(struct frontier *frontier) {
  mem_free(frontier->parts);
  *frontier = (struct frontier){0};
}
