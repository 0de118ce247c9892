/* States that memory has no room for, on disk: blocks of them go to a file without a name (in $TMPDIR, else /tmp) and
   come back in any order. A block is compressed where that saves something, written at once past the system's cache
   where the file system can do that, and checked when it is read. What has been read makes room for others.
   Any number of threads write and read at once, each by a lane of its own: in the thread that has the states at hand
   packing takes longer than the disk does, and who finds states faster than the disk takes them has to wait anyway. */
#ifndef FLOE_SPOOL_H
#define FLOE_SPOOL_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_LEVEL 1 /* of compression: doc/design.md, "States on disk" */

struct spool;
struct spool_context;

struct spool_config {
  uint32_t words; /* of a state */
  size_t most;    /* states in a block */
  int level;      /* of compression */
  bool plain;     /* no compression */
  bool cached;    /* no direct writes and reads */
};

/* States in a row in memory. */
struct spool_span {
  const uint64_t *states;
  size_t count;
};

/* A block on disk. It is told from all others, and from what lay in its place before, by its check. */
struct spool_block {
  uint64_t at;     /* in the file */
  uint32_t stored; /* bytes there */
  uint32_t states;
  uint32_t check; /* CRC-32 of these bytes */
  bool packed;
};

struct spool_statistics {
  uint64_t blocks, states, written, read; /* written and read: bytes of the file */
  uint64_t most;                          /* bytes that the file ever had */
};

/* The file is made with the first block. FLOE_ERROR_MEMORY. */
floe_status spool_create(const struct spool_config *config, struct spool **out);
void spool_free(struct spool *spool); /* after its lanes; NULL is allowed */
struct spool_statistics spool_statistics(struct spool *spool);

/* Memory that a lane takes: about two blocks and what compression needs. */
size_t spool_context_bytes(const struct spool_config *config);
floe_status spool_context_create(struct spool *spool, struct spool_context **out);
void spool_context_free(struct spool_context *lane); /* NULL is allowed */

/* Writes the states of all spans, in their order, as one block. FLOE_ERROR_MEMORY: the disk is full or cannot be
   written to; spool_report_error knows more. */
floe_status spool_write(struct spool_context *lane, const struct spool_span *spans, size_t count, struct spool_block *out);
/* block->states states. The block stays. FLOE_ERROR_IO: it cannot be read or is damaged; spool_report_error knows more. */
floe_status spool_read(struct spool_context *lane, const struct spool_block *block, uint64_t *states);
/* The same, some states at a time. */
floe_status spool_visit(struct spool_context *lane, const struct spool_block *block,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
/* The block is not needed any more. */
void spool_release(struct spool *spool, const struct spool_block *block);

/* Tells what went wrong first, if anything: as an error what cannot be read, as a warning what cannot be written. */
void spool_report_error(struct spool *spool, floe_log *log);

int spool_file(struct spool *spool); /* for tests that damage it; -1: there is none yet */

#endif
