/* The states of a level that wait for their expansion, in chunks that threads fill alone and hand
   over whole: a frontier is never copied, and its memory goes round. */
#ifndef FLOE_FRONTIER_H
#define FLOE_FRONTIER_H

#include "engine/budget.h"

#include <pthread.h>
#include <stddef.h>

#define CHUNK_BYTES ((size_t)16 << 10)
#define CHUNK_HEADER 64
#define CHUNK_WORDS ((CHUNK_BYTES - CHUNK_HEADER) / sizeof(uint64_t))

struct chunk {
  struct chunk *next;
  size_t count;       /* states */
  atomic_size_t left; /* states not expanded yet */
  _Alignas(CHUNK_HEADER) uint64_t words[];
};

/* Where chunks come from and go back to; any thread may ask. Memory is kept until the pool is
 * closed. */
struct chunk_pool {
  pthread_mutex_t mutex;
  struct budget *budget;
  struct chunk *idle;
  struct slab *slabs;
  size_t slab_bytes; /* of the next slab */
  uint64_t bytes;    /* of all slabs */
};

void chunk_pool_open(struct chunk_pool *pool, struct budget *budget);
void chunk_pool_close(struct chunk_pool *pool);
struct chunk *chunk_take(struct chunk_pool *pool); /* empty; NULL: no memory, or the budget is spent */
void chunk_give(struct chunk_pool *pool, struct chunk *chunk);

/* A chunk of the level and its number of states. The chunk's own count must not be read while the
   level is in work: the chunk may have been given back, and be filled anew, before the last ticket
   for it is drawn. */
struct frontier_part {
  struct chunk *chunk;
  size_t states;
};

struct frontier {
  struct frontier_part *parts;
  size_t count, cap;
  uint64_t states;
};

/* Room for `more` parts; false: no memory, and nothing has changed. */
bool frontier_make_room(struct frontier *frontier, size_t more);
/* Appends a list of chunks; false when memory ends (the rest of the list is lost to the frontier). */
bool frontier_add(struct frontier *frontier, struct chunk *list);
void frontier_clear(struct frontier *frontier); /* chunks are forgotten, not given back */
void frontier_free(struct frontier *frontier);

#endif
