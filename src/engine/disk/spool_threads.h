/* Threads that write long rows of states through a spool, and read them, while their caller does something else: a
   device finds states faster than one thread packs them. Calls are one thread's. */
#ifndef FLOE_SPOOL_TEAM_H
#define FLOE_SPOOL_TEAM_H

#include "engine/disk/spool.h"

struct spool_threads;

/* A row in memory, on disk, or on its way. Zeros, but for states and count, are one in memory. */
struct spool_row {
  uint64_t *states; /* the caller's; while it is only on disk they are not looked at */
  uint64_t count;
  struct spool_block *blocks; /* [block_count] on disk; NULL: none */
  size_t block_count;
  /* The team's, while it is on its way: */
  struct spool_row *next;
  size_t taken, done; /* blocks */
  bool busy, reading;
  floe_status status;
};

/* FLOE_ERROR_MEMORY. All memory that it will need, beside the list of a row's blocks. */
floe_status spool_threads_create(const struct spool_config *config, unsigned threads, struct spool_threads **out);
void spool_threads_free(struct spool_threads *team); /* no row is on its way; NULL is allowed */
size_t spool_threads_bytes(const struct spool_config *config, unsigned threads);
struct spool *spool_threads_spool(struct spool_threads *team);

/* Begins to write the row, which stays in memory. FLOE_ERROR_MEMORY: nothing has begun. */
floe_status spool_row_write(struct spool_threads *team, struct spool_row *row);
/* Begins to read what is on disk to row->states. */
void spool_row_read(struct spool_threads *team, struct spool_row *row);
/* The row is not on its way any more. After a write that failed (FLOE_ERROR_MEMORY) it is in memory as before; after
   a read that did it is lost (FLOE_ERROR_IO); after one that did not it is on the disk no more. */
floe_status spool_row_wait(struct spool_threads *team, struct spool_row *row);
/* Calls `visit` with all states, wherever they are; the row stays as it is, and is not on its way. */
floe_status spool_row_visit(struct spool_threads *team, const struct spool_row *row,
                            void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
/* Nothing of it is on disk then. */
void spool_row_drop(struct spool_threads *team, struct spool_row *row);

#endif
