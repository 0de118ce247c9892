#define _GNU_SOURCE
#include "engine/disk/spool.h"

#include "base/tempfile.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/compress.h"
#include "engine/disk/byte_planes.h"
#include "engine/disk/free_extents.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

/* Alignment of offsets, lengths and memory of direct I/O: suits disks with sectors of 512 bytes and of 4 KiB. */
#define SECTOR ((size_t)4096)
#define MOST_COMPRESSED(bytes) ((bytes) / 8 * 7) /* a block that compresses to more is stored uncompressed */

#define VISIT_CHUNK ((size_t)1024) /* states */

enum failure { NO_FAILURE, NOT_CREATED, NOT_WRITTEN, NOT_READ, DAMAGED };

struct spool {
  struct spool_config config;
  pthread_mutex_t mutex; /* of all members below except `file` and `direct`, which are set once with it held */
  atomic_int file;       /* -1: none yet */
  atomic_bool direct;
  struct extents extents;
  struct spool_statistics figures;
  enum failure failure; /* the first failure */
  int reason;           /* its errno; 0: the file ended too early */
  uint64_t unwritten;   /* bytes that could not be written */
};

struct spool_context {
  struct spool *spool;
  struct compressor *compressor; /* NULL: no compression */
  size_t bytes;                  /* of a block, in sectors */
  uint8_t *io;                   /* [bytes] */
  uint8_t *planes;               /* [bytes] */
  uint64_t *before;              /* [words] */
  uint64_t *chunk;               /* [VISITED_AT_ONCE * words] */
};

/* ---- creation -------------------------------------------------------------------------------- */

static size_t in_sectors(size_t bytes) { return (bytes + SECTOR - 1) / SECTOR * SECTOR; }

static size_t block_bytes(const struct spool_config *config) {
  return in_sectors(config->most * config->words * sizeof(uint64_t));
}

floe_status spool_create(const struct spool_config *config, struct spool **out) {
  struct spool *spool = mem_alloc(sizeof *spool);
  assert(config->words > 0 && config->most > 0 && block_bytes(config) <= UINT32_MAX);
  if (!spool)
    return FLOE_ERROR_MEMORY;
  spool->config = *config;
  atomic_init(&spool->file, -1);
  atomic_init(&spool->direct, !config->cached);
  pthread_mutex_init(&spool->mutex, NULL);
  *out = spool;
  return FLOE_OK;
}

void spool_free(struct spool *spool) {
  if (!spool)
    return;
  if (spool_file(spool) >= 0)
    close(spool_file(spool));
  extents_free(&spool->extents);
  pthread_mutex_destroy(&spool->mutex);
  mem_free(spool);
}

struct spool_statistics spool_statistics(struct spool *spool) {
  pthread_mutex_lock(&spool->mutex);
  struct spool_statistics figures = spool->figures;
  pthread_mutex_unlock(&spool->mutex);
  return figures;
}

/* Acquire, paired with the release in create_file: `direct` is set before. */
int spool_file(struct spool *spool) { return atomic_load_explicit(&spool->file, memory_order_acquire); }

static bool compresses(const struct spool_config *config) { return !config->plain && compress_available(); }

size_t spool_context_bytes(const struct spool_config *config) {
  const size_t bytes = block_bytes(config);
  return compresses(config) ? 2 * bytes + compressor_bytes(bytes) + VISIT_CHUNK * config->words * sizeof(uint64_t)
                            : bytes;
}

static floe_status init_context(struct spool_context *context) {
  const struct spool_config *config = &context->spool->config;
  context->bytes = block_bytes(config);
  context->io = pages_alloc(context->bytes);
  if (!context->io)
    return FLOE_ERROR_MEMORY;
  if (!compresses(config))
    return FLOE_OK;
  context->planes = pages_alloc(context->bytes);
  context->before = mem_array(config->words, sizeof *context->before);
  context->chunk = mem_array(VISIT_CHUNK * config->words, sizeof *context->chunk);
  context->compressor = compressor_create(config->level);
  return context->planes && context->before && context->chunk && context->compressor ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status spool_context_create(struct spool *spool, struct spool_context **out) {
  struct spool_context *context = mem_alloc(sizeof *context);
  if (!context)
    return FLOE_ERROR_MEMORY;
  context->spool = spool;
  floe_status status = init_context(context);
  if (status == FLOE_OK)
    *out = context;
  else
    spool_context_free(context);
  return status;
}

void spool_context_free(struct spool_context *context) {
  if (!context)
    return;
  pages_free(context->io, context->bytes);
  pages_free(context->planes, context->bytes);
  mem_free(context->before);
  mem_free(context->chunk);
  compressor_free(context->compressor);
  mem_free(context);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static floe_status note_failure(struct spool *spool, enum failure failure, int reason, uint64_t unwritten) {
  pthread_mutex_lock(&spool->mutex);
  if (spool->failure == NO_FAILURE) {
    spool->failure = failure;
    spool->reason = reason;
    spool->unwritten = unwritten;
  }
  pthread_mutex_unlock(&spool->mutex);
  return failure == NOT_CREATED || failure == NOT_WRITTEN ? FLOE_ERROR_MEMORY : FLOE_ERROR_IO;
}

#define ROOM_HINT "TMPDIR names the folder of that file; --memory=SIZE lets more states stay in memory"

void spool_report_error(struct spool *spool, floe_log *log) {
  const char *reason = spool->reason ? strerror(spool->reason) : "the file is too short";
  switch (spool->failure) {
  case NO_FAILURE:
    break;
  case NOT_CREATED:
    diag_warning(log, NULL, NOWHERE, ROOM_HINT,
                 "memory is short, and no temporary file for waiting states can be created in %s: %s",
                 tempfile_folder(), reason);
    break;
  case NOT_WRITTEN:
    diag_warning(log, NULL, NOWHERE, ROOM_HINT,
                 "memory is short, and the temporary file with waiting states in %s, %" PRIu64
                 " bytes so far, cannot take %" PRIu64 " more: %s",
                 tempfile_folder(), spool->extents.end, spool->unwritten, reason);
    break;
  case NOT_READ:
    diag_error(log, NULL, NOWHERE, NULL, "the temporary file with waiting states in %s cannot be read: %s",
               tempfile_folder(), reason);
    break;
  case DAMAGED:
    diag_error(log, NULL, NOWHERE, "is the disk, or memory, failing?",
               "the temporary file with waiting states in %s is damaged: it differs from what was written",
               tempfile_folder());
    break;
  }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Best effort: file systems without direct I/O (some tmpfs) reject it here or at the first write. */
static void set_direct(struct spool *spool, int file, bool direct) {
  const int flags = fcntl(file, F_GETFL);
  const bool set = flags >= 0 && fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
  atomic_store_explicit(&spool->direct, direct && set, memory_order_relaxed);
}

static int create_file(struct spool *spool) {
  int file = spool_file(spool);
  if (file >= 0)
    return file;
  file = tempfile_open();
  if (file >= 0 && !spool->config.cached)
    set_direct(spool, file, true);
  atomic_store_explicit(&spool->file, file, memory_order_release);
  return file;
}

static floe_status open_file(struct spool *spool, int *out) {
  *out = spool_file(spool);
  if (*out >= 0)
    return FLOE_OK;
  pthread_mutex_lock(&spool->mutex);
  *out = create_file(spool);
  const int reason = errno;
  pthread_mutex_unlock(&spool->mutex);
  return *out >= 0 ? FLOE_OK : note_failure(spool, NOT_CREATED, reason, 0);
}

/* Decides about a call that transferred no bytes: retry or fail. File systems may reject direct I/O at any call;
   then all calls use the page cache. */
static bool should_retry(struct spool *spool, int file, ssize_t moved) {
  if (moved < 0 && errno == EINTR)
    return true;
  if (moved == 0 || errno != EINVAL || !atomic_load_explicit(&spool->direct, memory_order_relaxed))
    return false;
  set_direct(spool, file, false);
  return true;
}

static bool write_all(struct spool *spool, int file, const uint8_t *from, size_t bytes, uint64_t at) {
  while (bytes > 0) {
    const ssize_t n = pwrite(file, from, bytes, (off_t)at);
    if (n <= 0) {
      if (should_retry(spool, file, n))
        continue;
      return false;
    }
    from += n;
    at += (uint64_t)n;
    bytes -= (size_t)n;
  }
  return true;
}

static bool read_all(struct spool *spool, int file, uint8_t *to, size_t bytes, uint64_t at) {
  while (bytes > 0) {
    const ssize_t n = pread(file, to, bytes, (off_t)at);
    if (n <= 0) {
      if (should_retry(spool, file, n))
        continue;
      errno = n == 0 ? 0 : errno;
      return false;
    }
    to += n;
    at += (uint64_t)n;
    bytes -= (size_t)n;
  }
  return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t count_states(const struct spool_span *spans, size_t count) {
  size_t states = 0;
  for (size_t i = 0; i < count; i++)
    states += spans[i].count;
  return states;
}

/* A new row of `count` states, as planes in context->planes. */
static struct byte_planes begin_planes(struct spool_context *context, size_t count) {
  const uint32_t words = context->spool->config.words;
  memset(context->before, 0, words * sizeof *context->before);
  return (struct byte_planes){context->planes, count, words, context->before};
}

/* Compresses into context->io; 0: that saves nothing. */
static size_t compress_states(struct spool_context *context, const struct spool_span *spans, size_t count,
                              size_t states) {
  const size_t bytes = states * context->spool->config.words * sizeof(uint64_t);
  size_t at = 0;
  if (!context->compressor)
    return 0;
  const struct byte_planes row = begin_planes(context, states);
  for (size_t i = 0; i < count; at += spans[i++].count)
    byte_planes_split(&row, spans[i].states, spans[i].count, at);
  return compressor_pack(context->compressor, context->planes, bytes, context->io, MOST_COMPRESSED(bytes));
}

static size_t copy_states(struct spool_context *context, const struct spool_span *spans, size_t count) {
  const size_t state_bytes = context->spool->config.words * sizeof(uint64_t);
  size_t done = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(context->io + done, spans[i].states, spans[i].count * state_bytes);
    done += spans[i].count * state_bytes;
  }
  return done;
}

static uint32_t checksum_of(const struct spool_context *context, size_t stored) {
  return (uint32_t)crc32_z(0, context->io, stored);
}

static uint64_t allocate_extent(struct spool *spool, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  const uint64_t at = extents_allocate(&spool->extents, bytes);
  pthread_mutex_unlock(&spool->mutex);
  return at;
}

/* Without memory for the list the extent is lost, and the file only grows. */
static void release_extent(struct spool *spool, uint64_t at, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  extents_release(&spool->extents, at, bytes);
  pthread_mutex_unlock(&spool->mutex);
}

static void note_written(struct spool *spool, size_t states, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  spool->figures.blocks++;
  spool->figures.states += states;
  spool->figures.written += bytes;
  if (spool->extents.end > spool->figures.most)
    spool->figures.most = spool->extents.end;
  pthread_mutex_unlock(&spool->mutex);
}

static floe_status store_block(struct spool_context *context, struct spool_block *block) {
  struct spool *spool = context->spool;
  const size_t bytes = in_sectors(block->stored);
  int file;
  FLOE_TRY(open_file(spool, &file));
  memset(context->io + block->stored, 0, bytes - block->stored);
  block->at = allocate_extent(spool, bytes);
  if (!write_all(spool, file, context->io, bytes, block->at)) {
    const int reason = errno;
    release_extent(spool, block->at, bytes);
    return note_failure(spool, NOT_WRITTEN, reason, bytes);
  }
  note_written(spool, block->states, bytes);
  return FLOE_OK;
}

floe_status spool_write(struct spool_context *context, const struct spool_span *spans, size_t count,
                        struct spool_block *out) {
  const size_t states = count_states(spans, count);
  assert(states > 0 && states <= context->spool->config.most);
  size_t stored = compress_states(context, spans, count, states);
  const bool packed = stored > 0;
  if (!packed)
    stored = copy_states(context, spans, count);
  struct spool_block block = {
      .stored = (uint32_t)stored, .states = (uint32_t)states, .packed = packed, .check = checksum_of(context, stored)};
  FLOE_TRY(store_block(context, &block));
  *out = block;
  return FLOE_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void note_read(struct spool *spool, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  spool->figures.read += bytes;
  pthread_mutex_unlock(&spool->mutex);
}

/* The stored bytes are in context->io; of a compressed block the planes are in context->planes. */
static floe_status load_block(struct spool_context *context, const struct spool_block *block) {
  struct spool *spool = context->spool;
  const size_t bytes = in_sectors(block->stored);
  const size_t unpacked = (size_t)block->states * spool->config.words * sizeof(uint64_t);
  assert(block->states > 0 && block->states <= spool->config.most && bytes <= context->bytes);
  if (!read_all(spool, spool_file(spool), context->io, bytes, block->at))
    return note_failure(spool, NOT_READ, errno, 0);
  if (checksum_of(context, block->stored) != block->check)
    return note_failure(spool, DAMAGED, 0, 0);
  if (block->packed && !compressor_unpack(context->compressor, context->io, block->stored, context->planes, unpacked))
    return note_failure(spool, DAMAGED, 0, 0);
  note_read(spool, bytes);
  return FLOE_OK;
}

floe_status spool_read(struct spool_context *context, const struct spool_block *block, uint64_t *states) {
  FLOE_TRY(load_block(context, block));
  if (block->packed) {
    const struct byte_planes row = begin_planes(context, block->states);
    byte_planes_join(&row, 0, block->states, states);
  } else
    memcpy(states, context->io, block->stored);
  return FLOE_OK;
}

floe_status spool_visit(struct spool_context *context, const struct spool_block *block,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  FLOE_TRY(load_block(context, block));
  if (!block->packed) {
    visit(user, (const uint64_t *)(const void *)context->io, block->states);
    return FLOE_OK;
  }
  const struct byte_planes row = begin_planes(context, block->states);
  for (size_t done = 0, n; done < block->states; done += n) {
    n = block->states - done < VISIT_CHUNK ? block->states - done : VISIT_CHUNK;
    byte_planes_join(&row, done, n, context->chunk);
    visit(user, context->chunk, n);
  }
  return FLOE_OK;
}

void spool_release(struct spool *spool, const struct spool_block *block) {
  release_extent(spool, block->at, in_sectors(block->stored));
}
