/* Frontier of a breadth-first search: the states to expand, in chunks. Each chunk is filled by one thread and passed
   on by pointer; states are not copied, and chunks are reused. If memory is short, part of the frontier is on disk. */
#ifndef FLOE_ENGINE_CPU_FRONTIER_H
#define FLOE_ENGINE_CPU_FRONTIER_H

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
  atomic_size_t left; /* not expanded yet */
  _Alignas(CHUNK_HEADER) uint64_t words[];
};

/* Allocator of chunks; thread-safe. It keeps its memory until it is closed or trimmed. */
struct chunk_pool {
  pthread_mutex_t mutex;
  struct budget *budget;
  struct chunk *idle;
  struct slab *slabs;
  size_t slab_bytes, largest_slab; /* of the next slab; upper bound */
  uint64_t bytes, peak;            /* of all slabs; maximum of those without kept chunks */
  struct chunk *kept;              /* expanded chunks, kept for traces until their memory is needed */
  size_t kept_count, most_kept;    /* most_kept 0: none are kept, or they were dropped */
};

void chunk_pool_open(struct chunk_pool *pool, struct budget *budget);
void chunk_pool_close(struct chunk_pool *pool);
/* Allocates memory for this many chunks, if that is at most `bytes`. */
void chunk_pool_reserve(struct chunk_pool *pool, size_t chunks, uint64_t bytes);
/* Returns slabs without used chunks to the budget, but keeps at least `chunks` idle chunks. */
void chunk_pool_trim(struct chunk_pool *pool, size_t chunks);
struct chunk *chunk_take(struct chunk_pool *pool); /* empty; NULL: no memory, or the budget is spent */
void chunk_give(struct chunk_pool *pool, struct chunk *chunk);
/* Keeps expanded chunks from now on, of `bytes` at most. chunk_take drops all of them before it fails. */
void chunk_pool_keep(struct chunk_pool *pool, uint64_t bytes);
/* Of a chunk whose states are expanded: keeps it, or gives it back. With too many kept chunks, drops all of them. */
void chunk_expanded(struct chunk_pool *pool, struct chunk *chunk);
/* Gives kept chunks back, and keeps none from now on. Not while another thread reads them. */
void chunk_pool_drop_kept(struct chunk_pool *pool);

/* Element of the frontier: a chunk and its number of states, or a block of many chunks on disk; neither: its states
   were moved to another part. The chunk's own count must not be read while the level is being expanded: the chunk
   may be freed and refilled before its last ticket is drawn. The worker that draws a block's first ticket takes the
   whole block. */
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

bool frontier_make_room(struct frontier *frontier, size_t more); /* room for this many more parts; false: no memory */
/* Appends; false: no memory, nothing changed. */
bool frontier_add(struct frontier *frontier, struct chunk *chunk);
bool frontier_append(struct frontier *frontier, struct frontier_part part);
void frontier_clear(struct frontier *frontier); /* forgets chunks and blocks without freeing them */
void frontier_free(struct frontier *frontier);

#endif
