#define _GNU_SOURCE
#include "engine/disk/spool.h"

#include "base/tempfile.h"
#include "core/compress.h"
#include "core/diag.h"
#include "core/mem.h"
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

/* Places, lengths and memory of direct writes: what disks with sectors of 512 bytes and of 4 KiB take. */
#define SECTOR ((size_t)4096)
#define WORTH(bytes) ((bytes) / 8 * 7) /* a block that packs to more is kept as it is */

#define VISITED_AT_ONCE ((size_t)1024) /* states */

enum failure { NO_FAILURE, NOT_CREATED, NOT_WRITTEN, NOT_READ, DAMAGED };

struct spool {
  struct spool_config config;
  pthread_mutex_t mutex; /* of all below but `file` and `direct`, which are set under it once */
  atomic_int file;       /* -1: none yet */
  atomic_bool direct;
  struct extents extents;
  struct spool_statistics figures;
  enum failure failure; /* the first one */
  int reason;           /* errno of it; 0: the file ended too early */
  uint64_t lacking;     /* bytes that found no room */
};

struct spool_context {
  struct spool *spool;
  struct compressor *compressor; /* NULL: blocks are kept as they are */
  size_t bytes;                  /* of a block, in sectors */
  uint8_t *io;                   /* [bytes] */
  uint8_t *planes;               /* [bytes] */
  uint64_t *before;              /* [words] */
  uint64_t *some;                /* [VISITED_AT_ONCE * words] */
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

/* Acquire, as who made it released it: what it is about (direct or not) is known then. */
int spool_file(struct spool *spool) { return atomic_load_explicit(&spool->file, memory_order_acquire); }

static bool packs(const struct spool_config *config) {
  return !config->plain && compressor_bytes(block_bytes(config)) > 0;
}

size_t spool_context_bytes(const struct spool_config *config) {
  const size_t bytes = block_bytes(config);
  return packs(config) ? 2 * bytes + compressor_bytes(bytes) + VISITED_AT_ONCE * config->words * sizeof(uint64_t)
                       : bytes;
}

static floe_status fill_lane(struct spool_context *lane) {
  const struct spool_config *config = &lane->spool->config;
  lane->bytes = block_bytes(config);
  lane->io = pages_alloc(lane->bytes);
  if (!lane->io)
    return FLOE_ERROR_MEMORY;
  if (!packs(config))
    return FLOE_OK;
  lane->planes = pages_alloc(lane->bytes);
  lane->before = mem_array(config->words, sizeof *lane->before);
  lane->some = mem_array(VISITED_AT_ONCE * config->words, sizeof *lane->some);
  lane->compressor = compressor_create(config->level);
  return lane->planes && lane->before && lane->some && lane->compressor ? FLOE_OK : FLOE_ERROR_MEMORY;
}

floe_status spool_context_create(struct spool *spool, struct spool_context **out) {
  struct spool_context *lane = mem_alloc(sizeof *lane);
  if (!lane)
    return FLOE_ERROR_MEMORY;
  lane->spool = spool;
  floe_status status = fill_lane(lane);
  if (status == FLOE_OK)
    *out = lane;
  else
    spool_context_free(lane);
  return status;
}

void spool_context_free(struct spool_context *lane) {
  if (!lane)
    return;
  pages_free(lane->io, lane->bytes);
  pages_free(lane->planes, lane->bytes);
  mem_free(lane->before);
  mem_free(lane->some);
  compressor_free(lane->compressor);
  mem_free(lane);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static floe_status fail(struct spool *spool, enum failure failure, int reason, uint64_t lacking) {
  pthread_mutex_lock(&spool->mutex);
  if (spool->failure == NO_FAILURE) {
    spool->failure = failure;
    spool->reason = reason;
    spool->lacking = lacking;
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
                 "memory is short, and the states that wait cannot go to a temporary file in %s: %s", tempfile_folder(),
                 reason);
    break;
  case NOT_WRITTEN:
    diag_warning(log, NULL, NOWHERE, ROOM_HINT,
                 "memory is short, and the temporary file in %s with states that wait, %" PRIu64
                 " bytes so far, cannot take %" PRIu64 " more: %s",
                 tempfile_folder(), spool->extents.end, spool->lacking, reason);
    break;
  case NOT_READ:
    diag_error(log, NULL, NOWHERE, NULL, "the temporary file in %s with states that wait cannot be read: %s",
               tempfile_folder(), reason);
    break;
  case DAMAGED:
    diag_error(log, NULL, NOWHERE, "is the disk, or memory, failing?",
               "the temporary file in %s with states that wait does not hold any more what was written to it",
               tempfile_folder());
    break;
  }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Only advice: file systems without direct writes (some tmpfs) say so here or at the first write. */
static void set_direct(struct spool *spool, int file, bool direct) {
  const int flags = fcntl(file, F_GETFL);
  const bool set = flags >= 0 && fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
  atomic_store_explicit(&spool->direct, direct && set, memory_order_relaxed);
}

static int make_file(struct spool *spool) {
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
  *out = make_file(spool);
  const int reason = errno;
  pthread_mutex_unlock(&spool->mutex);
  return *out >= 0 ? FLOE_OK : fail(spool, NOT_CREATED, reason, 0);
}

/* What a call that moved no bytes means: try again, or give up. A file system may take direct calls back at any of
   them; then all go by the cache. */
static bool try_again(struct spool *spool, int file, ssize_t moved) {
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
      if (try_again(spool, file, n))
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
      if (try_again(spool, file, n))
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

static size_t states_of(const struct spool_span *spans, size_t count) {
  size_t states = 0;
  for (size_t i = 0; i < count; i++)
    states += spans[i].count;
  return states;
}

/* Packed into lane->io; 0: that saves nothing. */
static size_t pack(struct spool_context *lane, const struct spool_span *spans, size_t count, size_t states) {
  const uint32_t words = lane->spool->config.words;
  const size_t bytes = states * words * sizeof(uint64_t);
  size_t at = 0;
  if (!lane->compressor)
    return 0;
  memset(lane->before, 0, words * sizeof *lane->before);
  for (size_t i = 0; i < count; at += spans[i++].count)
    byte_planes_split(spans[i].states, spans[i].count, words, lane->before, lane->planes, states, at);
  return compressor_pack(lane->compressor, lane->planes, bytes, lane->io, WORTH(bytes));
}

static size_t copy(struct spool_context *lane, const struct spool_span *spans, size_t count) {
  const size_t state_bytes = lane->spool->config.words * sizeof(uint64_t);
  size_t done = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(lane->io + done, spans[i].states, spans[i].count * state_bytes);
    done += spans[i].count * state_bytes;
  }
  return done;
}

static uint32_t check_of(const struct spool_context *lane, size_t stored) {
  return (uint32_t)crc32_z(0, lane->io, stored);
}

static uint64_t take_place(struct spool *spool, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  const uint64_t at = extents_allocate(&spool->extents, bytes);
  pthread_mutex_unlock(&spool->mutex);
  return at;
}

/* Without memory for the list of free places one is lost: the file grows, and nothing else. */
static void give_place(struct spool *spool, uint64_t at, size_t bytes) {
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

static floe_status put(struct spool_context *lane, struct spool_block *block) {
  struct spool *spool = lane->spool;
  const size_t bytes = in_sectors(block->stored);
  int file;
  FLOE_TRY(open_file(spool, &file));
  memset(lane->io + block->stored, 0, bytes - block->stored);
  block->at = take_place(spool, bytes);
  if (!write_all(spool, file, lane->io, bytes, block->at)) {
    const int reason = errno;
    give_place(spool, block->at, bytes);
    return fail(spool, NOT_WRITTEN, reason, bytes);
  }
  note_written(spool, block->states, bytes);
  return FLOE_OK;
}

floe_status spool_write(struct spool_context *lane, const struct spool_span *spans, size_t count,
                        struct spool_block *out) {
  const size_t states = states_of(spans, count);
  assert(states > 0 && states <= lane->spool->config.most);
  size_t stored = pack(lane, spans, count, states);
  const bool packed = stored > 0;
  if (!packed)
    stored = copy(lane, spans, count);
  struct spool_block block = {
      .stored = (uint32_t)stored, .states = (uint32_t)states, .packed = packed, .check = check_of(lane, stored)};
  FLOE_TRY(put(lane, &block));
  *out = block;
  return FLOE_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void note_read(struct spool *spool, size_t bytes) {
  pthread_mutex_lock(&spool->mutex);
  spool->figures.read += bytes;
  pthread_mutex_unlock(&spool->mutex);
}

/* What was written is in lane->io, or, of a block that was packed, as planes in lane->planes. */
static floe_status fetch(struct spool_context *lane, const struct spool_block *block) {
  struct spool *spool = lane->spool;
  const size_t bytes = in_sectors(block->stored);
  const size_t unpacked = (size_t)block->states * spool->config.words * sizeof(uint64_t);
  assert(block->states > 0 && block->states <= spool->config.most && bytes <= lane->bytes);
  if (!read_all(spool, spool_file(spool), lane->io, bytes, block->at))
    return fail(spool, NOT_READ, errno, 0);
  if (check_of(lane, block->stored) != block->check)
    return fail(spool, DAMAGED, 0, 0);
  if (block->packed && !compressor_unpack(lane->compressor, lane->io, block->stored, lane->planes, unpacked))
    return fail(spool, DAMAGED, 0, 0);
  note_read(spool, bytes);
  return FLOE_OK;
}

floe_status spool_read(struct spool_context *lane, const struct spool_block *block, uint64_t *states) {
  const uint32_t words = lane->spool->config.words;
  FLOE_TRY(fetch(lane, block));
  if (block->packed) {
    memset(lane->before, 0, words * sizeof *lane->before);
    byte_planes_join(lane->planes, block->states, 0, block->states, words, lane->before, states);
  } else
    memcpy(states, lane->io, block->stored);
  return FLOE_OK;
}

floe_status spool_visit(struct spool_context *lane, const struct spool_block *block,
                        void (*visit)(void *user, const uint64_t *states, size_t n), void *user) {
  const uint32_t words = lane->spool->config.words;
  FLOE_TRY(fetch(lane, block));
  if (!block->packed) {
    visit(user, (const uint64_t *)(const void *)lane->io, block->states);
    return FLOE_OK;
  }
  memset(lane->before, 0, words * sizeof *lane->before);
  for (size_t done = 0, n; done < block->states; done += n) {
    n = block->states - done < VISITED_AT_ONCE ? block->states - done : VISITED_AT_ONCE;
    byte_planes_join(lane->planes, block->states, done, n, words, lane->before, lane->some);
    visit(user, lane->some, n);
  }
  return FLOE_OK;
}

void spool_release(struct spool *spool, const struct spool_block *block) {
  give_place(spool, block->at, in_sectors(block->stored));
}
