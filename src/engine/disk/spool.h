/* Spool: an unnamed file (in $TMPDIR, else /tmp) for states that do not fit in memory. To spill is to move states
   there: engine/cpu/spill.c and gpu/engine/queue_segments.c decide which and when. Blocks of states are read in any
   order. A block is compressed if that saves space, written past the page cache if the file system supports it, and
   checked when it is read. Space of released blocks is reused.

   Any number of threads write and read concurrently, each with its own context. The calling thread compresses and
   writes: compression takes longer than the disk, and a thread that finds states faster than the disk takes them
   must wait anyway. */
#ifndef FLOE_ENGINE_DISK_SPOOL_H
#define FLOE_ENGINE_DISK_SPOOL_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_LEVEL 1 /* of compression: doc/design/disk.md */

struct spool;
struct spool_context;

struct spool_config {
  uint32_t words; /* of a state */
  size_t most;    /* states in a block */
  int level;      /* of compression */
  bool plain;     /* no compression */
  bool cached;    /* no direct writes and reads */
};

/* Consecutive states in memory. */
struct spool_span {
  const uint64_t *states;
  size_t count;
};

/* A block on disk. The checksum also detects a stale block in the same place. */
struct spool_block {
  uint64_t at;     /* offset in the file */
  uint32_t stored; /* bytes there */
  uint32_t states;
  uint32_t check; /* CRC-32 of these bytes */
  bool packed;
};

struct spool_statistics {
  uint64_t blocks, states, written, read; /* written and read: bytes of the file */
  uint64_t most;                          /* bytes that the file ever had */
};

/* The file is created with the first block. FLOE_ERROR_MEMORY. */
floe_status spool_create(const struct spool_config *config, struct spool **out);
void spool_free(struct spool *spool); /* after its contexts; NULL is allowed */
struct spool_statistics spool_statistics(struct spool *spool);

/* Memory of a context: about two blocks and that of the compressor. */
size_t spool_context_bytes(const struct spool_config *config);
floe_status spool_context_create(struct spool *spool, struct spool_context **out);
void spool_context_free(struct spool_context *context); /* NULL is allowed */

/* Writes the states of all spans, in their order, as one block. FLOE_ERROR_MEMORY: the disk is full or not writable;
   spool_report_error has the details. */
floe_status spool_write(struct spool_context *context, const struct spool_span *spans, size_t count,
                        struct spool_block *out);
/* Reads block->states states. The block stays allocated. FLOE_ERROR_IO: it cannot be read or is damaged;
   spool_report_error has the details. */
floe_status spool_read(struct spool_context *context, const struct spool_block *block, uint64_t *states);
/* The same, passing some states at a time to `visit`. */
floe_status spool_visit(struct spool_context *context, const struct spool_block *block,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
/* Releases the block's space. */
void spool_release(struct spool *spool, const struct spool_block *block);

/* Logs the first failure, if any: a read failure as an error, a write failure as a warning. */
void spool_report_error(struct spool *spool, floe_log *log);

int spool_file(struct spool *spool); /* for tests that damage it; -1: there is none yet */

#endif
