/* Asynchronous spooling: threads write and read long rows of states through a spool while the caller continues. A
   GPU finds states faster than one thread compresses them. One thread at a time calls these functions. */
#ifndef FLOE_ENGINE_DISK_SPOOL_THREADS_H
#define FLOE_ENGINE_DISK_SPOOL_THREADS_H

#include "engine/disk/spool.h"

struct spool_threads;

/* A row of states in memory, on disk, or being transferred. All zeros except `states` and `count`: a row in memory. */
struct spool_row {
  uint64_t *states; /* memory of the caller; not accessed while the row is only on disk */
  uint64_t count;
  struct spool_block *blocks; /* [block_count] blocks on disk; NULL: none */
  size_t block_count;
  /* Used by the threads during a transfer: */
  struct spool_row *next;
  size_t taken, done; /* blocks */
  bool busy, reading;
  floe_status status;
};

/* Allocates all memory except the block lists of rows. FLOE_ERROR_MEMORY. */
floe_status spool_threads_create(const struct spool_config *config, unsigned threads, struct spool_threads **out);
void spool_threads_free(struct spool_threads *self); /* no row is being transferred; NULL is allowed */
size_t spool_threads_bytes(const struct spool_config *config, unsigned threads);
struct spool *spool_threads_spool(struct spool_threads *self);

/* Begins to write the row, which also stays in memory. FLOE_ERROR_MEMORY: nothing has begun. */
floe_status spool_row_write(struct spool_threads *self, struct spool_row *row);
/* Begins to read the row from disk to row->states. */
void spool_row_read(struct spool_threads *self, struct spool_row *row);
/* Waits for the end of the transfer. After a failed write (FLOE_ERROR_MEMORY) the row is in memory as before; after
   a failed read it is lost (FLOE_ERROR_IO); after a successful read it is no longer on disk. */
floe_status spool_row_wait(struct spool_threads *self, struct spool_row *row);
/* Calls `visit` with all states, in memory or on disk. The row does not change, and must not be in transfer. */
floe_status spool_row_visit(struct spool_threads *self, const struct spool_row *row,
                            void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
/* Releases the row's blocks on disk. */
void spool_row_drop(struct spool_threads *self, struct spool_row *row);

#endif
