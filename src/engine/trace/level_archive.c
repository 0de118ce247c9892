#include "engine/trace/level_archive.h"

#include "base/tempfile.h"
#include "base/whole_io.h"
#include "core/diag.h"
#include "core/mem.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCK_WORDS (BLOCK_BYTES / sizeof(uint64_t))

/* A sequence of words in blocks. The first `kept` blocks are in memory, the others in the file, the last, partial
   one in `tail`. */
struct archive {
  pthread_mutex_t mutex;
  uint32_t words;
  floe_log *log;
  size_t most_kept;
  uint64_t **blocks; /* [kept] in memory */
  size_t kept, cap;
  uint64_t in_file; /* blocks */
  uint64_t *tail;
  size_t tail_words;
  int file;         /* -1: none yet */
  uint64_t *firsts; /* [levels]: state number at which the level begins */
  uint32_t levels, level_cap;
  uint64_t states;
};

floe_status archive_create(uint32_t words, uint64_t memory, floe_log *log, struct archive **out) {
  struct archive *archive = mem_alloc(sizeof *archive);
  if (!archive)
    return FLOE_ERROR_MEMORY;
  *archive = (struct archive){.words = words, .log = log, .file = -1};
  archive->most_kept = memory / BLOCK_BYTES;
  pthread_mutex_init(&archive->mutex, NULL);
  *out = archive;
  return FLOE_OK;
}

void archive_free(struct archive *archive) {
  if (!archive)
    return;
  for (size_t i = 0; i < archive->kept; i++)
    pages_free(archive->blocks[i], BLOCK_BYTES);
  mem_free(archive->blocks);
  pages_free(archive->tail, BLOCK_BYTES);
  mem_free(archive->firsts);
  if (archive->file >= 0)
    close(archive->file);
  pthread_mutex_destroy(&archive->mutex);
  mem_free(archive);
}

/* ---- the file -------------------------------------------------------------------------------- */

static floe_status file_failed(const struct archive *archive, const char *what) {
  diag_warning(archive->log, NULL, NOWHERE, "TMPDIR names the folder of that file",
               "cannot %s the temporary file for the trace in %s: %s", what, tempfile_folder(), strerror(errno));
  return FLOE_ERROR_IO;
}

static floe_status write_block(struct archive *archive) {
  if (archive->file < 0)
    archive->file = tempfile_open();
  if (archive->file < 0)
    return file_failed(archive, "create");
  if (!write_whole_at(archive->file, archive->tail, BLOCK_BYTES, archive->in_file * BLOCK_BYTES))
    return file_failed(archive, "write");
  archive->in_file++;
  archive->tail_words = 0;
  return FLOE_OK;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool keep_block(struct archive *archive) {
  if (archive->kept == archive->cap) {
    size_t cap = archive->cap ? archive->cap * 2 : 16;
    uint64_t **blocks = mem_resize(archive->blocks, cap * sizeof *blocks);
    if (!blocks)
      return false;
    archive->blocks = blocks;
    archive->cap = cap;
  }
  archive->blocks[archive->kept++] = archive->tail;
  archive->tail = NULL;
  return true;
}

/* Provides an empty tail; it is full or missing. Once there is a file, all later blocks go to the file. */
static floe_status renew_tail(struct archive *archive) {
  bool in_memory = archive->kept < archive->most_kept && archive->in_file == 0;
  if (archive->tail && !in_memory)
    return write_block(archive);
  if (archive->tail && !keep_block(archive))
    return FLOE_ERROR_MEMORY;
  archive->tail = pages_alloc(BLOCK_BYTES);
  archive->tail_words = 0;
  return archive->tail ? FLOE_OK : FLOE_ERROR_MEMORY;
}

static floe_status add(struct archive *archive, const uint64_t *states, size_t count) {
  size_t words = count * archive->words;
  archive->states += count;
  while (words > 0) {
    if (!archive->tail || archive->tail_words == BLOCK_WORDS)
      FLOE_TRY(renew_tail(archive));
    size_t room = BLOCK_WORDS - archive->tail_words;
    size_t n = words < room ? words : room;
    memcpy(archive->tail + archive->tail_words, states, n * sizeof *states);
    archive->tail_words += n;
    states += n;
    words -= n;
  }
  return FLOE_OK;
}

floe_status archive_add(struct archive *archive, const uint64_t *states, size_t count) {
  pthread_mutex_lock(&archive->mutex);
  floe_status status = add(archive, states, count);
  pthread_mutex_unlock(&archive->mutex);
  return status;
}

static floe_status begin_level(struct archive *archive) {
  if (archive->levels == archive->level_cap) {
    uint32_t cap = archive->level_cap ? archive->level_cap * 2 : 64;
    uint64_t *firsts = mem_resize(archive->firsts, cap * sizeof *firsts);
    if (!firsts)
      return FLOE_ERROR_MEMORY;
    archive->firsts = firsts;
    archive->level_cap = cap;
  }
  archive->firsts[archive->levels++] = archive->states;
  return FLOE_OK;
}

floe_status archive_begin_level(struct archive *archive) { return archive_reach_level(archive, archive->levels + 1); }

floe_status archive_reach_level(struct archive *archive, uint32_t levels) {
  floe_status status = FLOE_OK;
  pthread_mutex_lock(&archive->mutex);
  while (status == FLOE_OK && archive->levels < levels)
    status = begin_level(archive);
  pthread_mutex_unlock(&archive->mutex);
  return status;
}

void archive_clear(struct archive *archive) {
  for (size_t i = 0; i < archive->kept; i++)
    pages_free(archive->blocks[i], BLOCK_BYTES);
  archive->kept = archive->tail_words = 0;
  archive->in_file = archive->states = 0;
  archive->levels = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

uint32_t archive_levels(const struct archive *archive) { return archive->levels; }

uint64_t archive_states(const struct archive *archive, uint32_t level) {
  if (level >= archive->levels)
    return 0;
  uint64_t end = level + 1 < archive->levels ? archive->firsts[level + 1] : archive->states;
  return end - archive->firsts[level];
}

static floe_status read_words(const struct archive *archive, uint64_t block, size_t offset, size_t n, uint64_t *to) {
  const uint64_t *from = archive->tail;
  if (block < archive->kept)
    from = archive->blocks[block];
  else if (block - archive->kept < archive->in_file) {
    uint64_t at = (block - archive->kept) * BLOCK_BYTES + offset * sizeof *to;
    return read_whole_at(archive->file, to, n * sizeof *to, at) ? FLOE_OK : FLOE_ERROR_IO;
  }
  memcpy(to, from + offset, n * sizeof *to);
  return FLOE_OK;
}

floe_status archive_read(const struct archive *archive, uint32_t level, uint64_t first, size_t count,
                         uint64_t *states) {
  assert(first + count <= archive_states(archive, level));
  uint64_t at = (archive->firsts[level] + first) * archive->words;
  size_t words = count * archive->words;
  while (words > 0) {
    size_t offset = at % BLOCK_WORDS;
    size_t n = words < BLOCK_WORDS - offset ? words : BLOCK_WORDS - offset;
    FLOE_TRY(read_words(archive, at / BLOCK_WORDS, offset, n, states));
    states += n;
    at += n;
    words -= n;
  }
  return FLOE_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static uint64_t states_of(const void *self, uint32_t level) { return archive_states(self, level); }

static size_t parts_of(const void *self, uint32_t level) {
  return (size_t)((archive_states(self, level) + LEVEL_PART - 1) / LEVEL_PART);
}

static floe_status read_part(const void *self, uint32_t level, size_t part, unsigned thread, uint64_t *buffer,
                             const uint64_t **states, size_t *count) {
  const uint64_t first = part * (uint64_t)LEVEL_PART, rest = archive_states(self, level) - first;
  (void)thread;
  *states = buffer;
  *count = rest < LEVEL_PART ? (size_t)rest : LEVEL_PART;
  return archive_read(self, level, first, *count, buffer);
}

struct level_source archive_source(const struct archive *archive) {
  return (struct level_source){.self = archive, .states = states_of, .parts = parts_of, .read = read_part};
}
