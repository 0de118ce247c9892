/* The states of a level that wait for their expansion, in chunks that threads fill alone and hand
   over whole: a frontier is never copied, and its memory goes round. Where memory is short some of it is on disk. */
#ifndef FLOE_FRONTIER_H
#define FLOE_FRONTIER_H

#include "engine/budget.h"
#include "engine/disk/spool.h"

#include <pthread.h>
#include <stddef.h>

#define CHUNK_BYTES ((size_t)16 << 10)
#define CHUNK_HEADER 64
#define CHUNK_WORDS ((CHUNK_BYTES - CHUNK_HEADER) / sizeof(uint64_t))

struct chunk {
  struct chunk *next;
  struct slab *slab;
  size_t count;       /* states */
  atomic_size_t left; /* states not expanded yet */
  _Alignas(CHUNK_HEADER) uint64_t words[];
};

/* Where chunks come from and go back to; any thread may ask. Memory is kept until the pool is
 * closed, or trimmed. */
struct chunk_pool {
  pthread_mutex_t mutex;
  struct budget *budget;
  struct chunk *idle;
  struct slab *slabs;
  size_t slab_bytes, largest_slab; /* of the next slab; at most */
  uint64_t bytes, peak;            /* of all slabs, now and at most */
};

void chunk_pool_open(struct chunk_pool *pool, struct budget *budget);
void chunk_pool_close(struct chunk_pool *pool);
/* Memory for so many chunks, where that is at most `bytes`. */
void chunk_pool_reserve(struct chunk_pool *pool, size_t chunks, uint64_t bytes);
/* Gives slabs without a chunk in use back to the budget, as long as `chunks` idle ones are left. */
void chunk_pool_trim(struct chunk_pool *pool, size_t chunks);
struct chunk *chunk_take(struct chunk_pool *pool); /* empty; NULL: no memory, or the budget is spent */
void chunk_give(struct chunk_pool *pool, struct chunk *chunk);

/* A chunk of the level and its number of states. The chunk's own count must not be read while the
   level is in work: the chunk may have been given back, and be filled anew, before the last ticket
   for it is drawn. Or, without a chunk, a block on disk, of many chunks; who draws its first ticket takes it. Neither:
   what was here is a part of another one. */
struct frontier_part {
  struct chunk *chunk;
  struct spool_block *block;
  size_t states;
};

struct frontier {
  struct frontier_part *parts;
  size_t count, cap;
  uint64_t states;
};

bool frontier_make_room(struct frontier *frontier, size_t more); /* for so many parts more; false: no memory */
/* Append; false when memory ends: then nothing is done. */
bool frontier_add(struct frontier *frontier, struct chunk *chunk);
bool frontier_append(struct frontier *frontier, struct frontier_part part);
void frontier_clear(struct frontier *frontier); /* chunks are forgotten, not given back; blocks, too */
void frontier_free(struct frontier *frontier);

#endif
