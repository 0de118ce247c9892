#define _GNU_SOURCE
#include "order/writer.h"

#include "base/atomic_file.h"
#include "base/utf8.h"
#include "base/whole_io.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/compress.h"
#include "core/threads/thread.h"
#include "order/queue.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Full blocks that may be queued, besides the one of each context: a short delay of the disk does not stop the
   exploration. */
#define SPARE_BLOCKS 12

/* Neighbouring keys of a breadth-first order differ little: a low level finds most of the redundancy, and is as fast
   as exploration. */
#define LEVEL 1

struct order_file {
  struct order_header header; /* texts belong to the caller of order_create */
  char *path;
  floe_log *log;
  struct atomic_file new;
  size_t header_size;
  struct packer *packer; /* NULL: no compression */
  uint32_t checksum;     /* of the keys' bytes */
  uint64_t key_bytes_seen;
  struct order_context *contexts;
  unsigned context_count;
  struct queue queue;
  pthread_t thread;
  bool started, finishing; /* finishing: the thread writes the end and renames the file */
  atomic_int error;        /* errno of the first failure; 0: none */
  bool error_logged;
};

/* Keeps the first error, which causes the others. Relaxed: a number without data. */
static void note_error(struct order_file *file, int error) {
  int none = 0;
  atomic_compare_exchange_strong_explicit(&file->error, &none, error ? error : EIO, memory_order_relaxed,
                                          memory_order_relaxed);
}

static int error_of(struct order_file *file) { return atomic_load_explicit(&file->error, memory_order_relaxed); }

/* ---- writer thread --------------------------------------------------------------------------- */

static bool put_output(void *user, const void *bytes, size_t n) {
  const struct order_file *file = user;
  return write_whole(file->new.file, bytes, n);
}

static bool put_bytes(struct order_file *file, const uint8_t *bytes, size_t n, bool last) {
  file->checksum = order_checksum(file->checksum, bytes, n);
  file->key_bytes_seen += n;
  if (file->packer)
    return packer_add(file->packer, bytes, n, last, put_output, file);
  return put_output(file, bytes, n);
}

static bool put_header(struct order_file *file) {
  uint8_t *bytes = mem_alloc(file->header_size);
  if (!bytes) {
    errno = ENOMEM;
    return false;
  }
  order_header_encode(&file->header, bytes);
  ssize_t written = pwrite(file->new.file, bytes, file->header_size, 0);
  mem_free(bytes);
  if (written >= 0 && (size_t)written != file->header_size)
    errno = ENOSPC;
  return written == (ssize_t)file->header_size;
}

static bool put_end(struct order_file *file) {
  uint8_t trailer[ORDER_TRAILER] = {0};
  if (file->packer && !packer_add(file->packer, trailer, 0, true, put_output, file))
    return false;
  store32(trailer, file->checksum);
  return put_output(file, trailer, sizeof trailer);
}

static void finish(struct order_file *file) {
  assert(file->key_bytes_seen % file->header.key_bytes == 0);
  file->header.count = file->key_bytes_seen / file->header.key_bytes;
  if (!put_end(file) || !put_header(file) || fsync(file->new.file) != 0 || !atomic_file_commit(&file->new))
    note_error(file, errno);
}

/* After a failure blocks are emptied without being written, so that no thread waits forever. */
static void *writer_main(void *data) {
  struct order_file *file = data;
  struct block *block;
  while ((block = queue_take(&file->queue))) {
    if (!error_of(file) && !put_bytes(file, block->bytes, block->used, false))
      note_error(file, errno);
    queue_give_back(&file->queue, block);
  }
  if (file->finishing && !error_of(file))
    finish(file);
  return NULL;
}

/* All signals are blocked in the thread: exceeding the file size limit is then a write error, not the end of the
   process by SIGXFSZ. */
static bool start_writer(struct order_file *file) {
  file->started = thread_start(&file->thread, writer_main, file);
  if (!file->started)
    note_error(file, EAGAIN);
  return file->started;
}

static void stop_writer(struct order_file *file) {
  if (!file->started)
    return;
  queue_end(&file->queue);
  pthread_join(file->thread, NULL);
  file->started = false;
}

/* ---- recording ------------------------------------------------------------------------------- */

static void queue_block(struct order_context *context) {
  context->bytes = queue_exchange(&context->file->queue, context->bytes, context->used);
  context->used = 0;
}

/* Branch-free: every key is stored, and the position advances only if the key is recorded. Bytes beyond the width of
   a key are overwritten by the next one. */
static size_t put_words(uint8_t *to, const uint64_t *keys, const uint8_t *answers, size_t n, size_t width, bool all) {
  uint8_t *at = to;
  for (size_t i = 0; i < n; i++) {
    store64(at, keys[i]);
    at += answers[i] == ORDER_NEW || (all && answers[i] == ORDER_KNOWN) ? width : 0;
  }
  return (size_t)(at - to);
}

static size_t put_states(uint8_t *to, const uint64_t *keys, const uint8_t *answers, size_t n, uint32_t words,
                         bool all) {
  uint8_t *at = to;
  for (size_t i = 0; i < n; i++) {
    if (answers[i] != ORDER_NEW && (!all || answers[i] != ORDER_KNOWN))
      continue;
    for (uint32_t w = 0; w < words; w++, at += sizeof(uint64_t))
      store64(at, keys[i * words + w]);
  }
  return (size_t)(at - to);
}

void order_record(struct order_context *context, const uint64_t *keys, const uint8_t *answers, size_t n) {
  const struct order_header *header = &context->file->header;
  size_t slack = sizeof(uint64_t); /* put_words writes whole words */
  assert(n <= ORDER_MOST_AT_ONCE && n * header->key_bytes + slack <= BLOCK_BYTES);
  if (error_of(context->file))
    return;
  if (context->used + n * header->key_bytes + slack > BLOCK_BYTES)
    queue_block(context);
  bool all = header->kind == FLOE_ORDER_LOOKUPS;
  uint8_t *to = context->bytes + context->used;
  context->used += header->key_words == 1 ? put_words(to, keys, answers, n, header->key_bytes, all)
                                          : put_states(to, keys, answers, n, header->key_words, all);
  assert(context->used <= BLOCK_BYTES && context->used % header->key_bytes == 0);
}

void order_flush(struct order_context *context) {
  if (context->used > 0)
    queue_block(context);
}

struct order_context *order_context(struct order_file *file, unsigned number) {
  assert(number < file->context_count);
  return &file->contexts[number];
}

/* ---- creation -------------------------------------------------------------------------------- */

static void free_file(struct order_file *file) {
  stop_writer(file);
  queue_close(&file->queue);
  packer_free(file->packer);
  atomic_file_abort(&file->new);
  mem_free(file->contexts);
  mem_free(file->path);
  mem_free(file);
}

static bool open_temporary(struct order_file *file) {
  struct stat status;
  if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode)) {
    note_error(file, S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
    return false;
  }
  if (!atomic_file_open(&file->new, file->path, ATOMIC_FILE_MODE) ||
      lseek(file->new.file, (off_t)file->header_size, SEEK_SET) < 0)
    note_error(file, errno);
  return !error_of(file);
}

static bool make_contexts(struct order_file *file, unsigned contexts) {
  file->contexts = mem_array(contexts, sizeof *file->contexts);
  if (!file->contexts)
    return false;
  for (; file->context_count < contexts; file->context_count++)
    file->contexts[file->context_count] =
        (struct order_context){.file = file, .bytes = queue_exchange(&file->queue, NULL, 0)};
  return true;
}

static floe_status open_file(struct order_file *file, const char *path, unsigned contexts) {
  file->path = mem_strdup(path);
  if (!queue_open(&file->queue, contexts + SPARE_BLOCKS) || !file->path || !make_contexts(file, contexts))
    return FLOE_ERROR_MEMORY;
  if (file->header.zstd)
    FLOE_TRY(packer_create(LEVEL, &file->packer));
  if (!file->header_size) {
    note_error(file, EFBIG);
    return FLOE_ERROR_IO;
  }
  return open_temporary(file) && start_writer(file) ? FLOE_OK : FLOE_ERROR_IO;
}

static floe_status fail_creation(struct order_file *file, floe_status status) {
  struct utf8_shown shown;
  if (status == FLOE_ERROR_UNSUPPORTED)
    diag_error(file->log, NULL, NOWHERE, NULL, "this floe was built without libzstd: %s cannot be compressed",
               utf8_show(file->path, &shown));
  else if (status == FLOE_ERROR_MEMORY)
    no_memory(file->log);
  else
    order_report_error(file);
  order_abandon(file);
  return status;
}

floe_status order_create(const char *path, const struct order_header *header, unsigned contexts, floe_log *log,
                         struct order_file **out) {
  assert(contexts > 0 && header->key_words > 0);
  assert(header->key_bytes == order_key_bytes(header->key_bits, header->key_words));
  struct order_file *file = mem_alloc(sizeof *file);
  if (!file)
    return FLOE_ERROR_MEMORY;
  file->header = *header;
  file->log = log;
  file->new.file = -1;
  file->header_size = order_header_size(header);
  floe_status status = open_file(file, path, contexts);
  if (status != FLOE_OK)
    return fail_creation(file, status);
  *out = file;
  return FLOE_OK;
}

/* ---- restart --------------------------------------------------------------------------------- */

static bool truncate_file(struct order_file *file) {
  const off_t begin = (off_t)file->header_size;
  file->checksum = 0;
  file->key_bytes_seen = 0;
  if (ftruncate(file->new.file, begin) != 0 || lseek(file->new.file, begin, SEEK_SET) < 0)
    return false;
  if (!file->packer)
    return true;
  packer_free(file->packer);
  file->packer = NULL;
  errno = ENOMEM;
  return packer_create(LEVEL, &file->packer) == FLOE_OK;
}

/* After an earlier failure keys are dropped, and order_finish logs the reason. */
void order_restart(struct order_file *file) {
  stop_writer(file);
  for (unsigned i = 0; i < file->context_count; i++)
    file->contexts[i].used = 0;
  if (!error_of(file) && !truncate_file(file))
    note_error(file, errno);
  queue_reopen(&file->queue);
  start_writer(file);
}

/* ---- finish ---------------------------------------------------------------------------------- */

void order_report_error(struct order_file *file) {
  struct utf8_shown shown;
  int error = error_of(file);
  if (!error || file->error_logged)
    return;
  file->error_logged = true;
  diag_error(file->log, NULL, NOWHERE, NULL, "%s cannot be written: %s", utf8_show(file->path, &shown),
             error == ESPIPE ? "it is not a regular file" : strerror(error));
}

void order_abandon(struct order_file *file) {
  if (file)
    free_file(file);
}

floe_status order_finish(struct order_file *file, const struct order_ending *ending) {
  for (unsigned i = 0; i < file->context_count; i++)
    order_flush(&file->contexts[i]);
  struct order_header *header = &file->header;
  header->end = ending->end;
  header->incomplete = ending->end != FLOE_END_COMPLETE;
  header->threads = ending->threads;
  header->canonical = ending->threads == 1;
  file->finishing = true; /* the queue's mutex publishes it */
  stop_writer(file);
  floe_status status = error_of(file) ? FLOE_ERROR_IO : FLOE_OK;
  order_report_error(file);
  order_abandon(file);
  return status;
}
