#define _GNU_SOURCE
#include "base/utf8.h"
#include "base/whole_io.h"
#include "checkpoint/coder.h"
#include "checkpoint/fields.h"
#include "checkpoint/format.h"
#include "checkpoint/generations.h"
#include "core/diag.h"
#include "core/mem.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct writer_context {
  struct coder coder;
  size_t count; /* states in the coder */
  enum checkpoint_section section;
  struct totals totals; /* of the parts written through this context */
};

struct checkpoint_writer {
  struct checkpoint_generations files;
  floe_log *log;
  struct bucket_order bucket_order;
  uint32_t words;
  uint64_t file; /* random number in all parts */
  _Atomic uint64_t end;
  atomic_int error; /* errno of the first failure; 0: none */
  struct totals totals;
  struct writer_context *contexts;
  unsigned context_count;
};

/* Relaxed: a number without data. */
static bool note_error(struct checkpoint_writer *writer, int error) {
  int none = 0;
  atomic_compare_exchange_strong_explicit(&writer->error, &none, error ? error : EIO, memory_order_relaxed,
                                          memory_order_relaxed);
  return false;
}

static int error_of(struct checkpoint_writer *writer) {
  return atomic_load_explicit(&writer->error, memory_order_relaxed);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Exceeding the file size limit of the process sends SIGXFSZ to the writing thread, whose default action ends the
   process. The thread is the caller's: the signal is blocked, and consumed if it comes. */
static bool write_at(struct checkpoint_writer *writer, const uint8_t *bytes, size_t n, uint64_t at) {
  sigset_t signals, before;
  const struct timespec now = {0, 0};
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  bool written = write_whole_at(writer->files.new.file, bytes, n, at);
  int error = errno;
  if (!written && error == EFBIG && !sigismember(&before, SIGXFSZ))
    sigtimedwait(&signals, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return written || note_error(writer, error);
}

/* The part's bytes follow room for its header. fetch_add reserves its range of the file. Relaxed: a number without
   data. */
static bool write_part(struct checkpoint_writer *writer, struct part part, uint8_t *bytes, struct totals *totals) {
  size_t n = PART_BYTES + (size_t)part.length;
  uint64_t at = atomic_fetch_add_explicit(&writer->end, n, memory_order_relaxed);
  part.file = writer->file;
  part.checksum = checksum_of(bytes + PART_BYTES, part.length);
  part_encode(&part, bytes);
  totals_add(totals, &part, bytes, at);
  return write_at(writer, bytes, n, at);
}

/* ---- states ---------------------------------------------------------------------------------- */

static bool flush_context(struct checkpoint_writer *writer, struct writer_context *writer_context) {
  if (writer_context->count == 0)
    return true;
  struct part part = {.kind = writer_context->section, .states = (uint32_t)writer_context->count};
  part.length = (uint32_t)coder_encode(&writer_context->coder, writer_context->count,
                                       writer_context->section == CHECKPOINT_KEYS, &part.coding);
  writer_context->count = 0;
  return write_part(writer, part, writer_context->coder.bytes, &writer_context->totals);
}

bool checkpoint_put(struct checkpoint_writer *writer, unsigned number, enum checkpoint_section section,
                    const uint64_t *states, size_t n) {
  assert(number < writer->context_count && section < CHECKPOINT_SECTIONS);
  struct writer_context *writer_context = &writer->contexts[number];
  const size_t words = writer->words, most = block_states(writer->words);
  if (error_of(writer) || (section != writer_context->section && !flush_context(writer, writer_context)))
    return false;
  writer_context->section = section;
  while (n > 0) {
    size_t now = most - writer_context->count < n ? most - writer_context->count : n;
    memcpy(writer_context->coder.states + writer_context->count * words, states, now * words * sizeof *states);
    writer_context->count += now;
    states += now * words;
    n -= now;
    if (writer_context->count == most && !flush_context(writer, writer_context))
      return false;
  }
  return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static const uint8_t header_room[PART_BYTES];

/* Writes the bytes of a buffer, which begins with room for the header; frees them. */
static bool write_fields(struct checkpoint_writer *writer, unsigned kind, struct byte_buffer *byte_buffer) {
  struct part part = {.kind = kind, .coding = CODING_FIELDS};
  bool fits = !byte_buffer->failed && byte_buffer->n - PART_BYTES <= UINT32_MAX;
  if (!fits)
    note_error(writer, byte_buffer->failed ? ENOMEM : EFBIG);
  else
    part.length = (uint32_t)(byte_buffer->n - PART_BYTES);
  bool written = fits && write_part(writer, part, byte_buffer->bytes, &writer->totals);
  mem_free(byte_buffer->bytes);
  return written;
}

static bool write_head(struct checkpoint_writer *writer, const struct checkpoint_head *head) {
  struct byte_buffer byte_buffer = {.n = 0};
  uint8_t prelude[PRELUDE_BYTES];
  struct checkpoint_head dated = *head;
  if (!dated.written)
    dated.written = (int64_t)time(NULL);
  prelude_encode(prelude);
  byte_buffer_add(&byte_buffer, header_room, PART_BYTES);
  head_encode(&dated, &byte_buffer);
  writer->end = PRELUDE_BYTES;
  bool written = write_at(writer, prelude, sizeof prelude, 0);
  return write_fields(writer, PART_HEAD, &byte_buffer) && written;
}

static bool write_search(struct checkpoint_writer *writer, const struct checkpoint_search *search) {
  struct byte_buffer byte_buffer = {.n = 0};
  byte_buffer_add(&byte_buffer, header_room, PART_BYTES);
  search_encode(search, writer->words, &byte_buffer);
  return write_fields(writer, PART_SEARCH, &byte_buffer);
}

static bool write_end(struct checkpoint_writer *writer, uint64_t search_at) {
  uint8_t bytes[END_BYTES];
  struct part part = {.kind = PART_END, .coding = CODING_FIELDS, .length = END_PAYLOAD};
  struct totals own = {.parts = 0};
  struct trailer trailer = {writer->totals, search_at, writer->end + END_BYTES};
  trailer_encode(&trailer, bytes + PART_BYTES);
  return write_part(writer, part, bytes, &own);
}

/* ---- creation and end ------------------------------------------------------------------------ */

static void free_writer(struct checkpoint_writer *writer) {
  generations_abandon(&writer->files);
  for (unsigned i = 0; i < writer->context_count; i++)
    coder_free(&writer->contexts[i].coder);
  mem_free(writer->contexts);
  mem_free(writer);
}

static void log_failure(const struct checkpoint_writer *writer, int error) {
  struct utf8_shown shown;
  const char *path = utf8_show(writer->files.new.path, &shown);
  if (error == EEXIST)
    diag_error(writer->log, NULL, NOWHERE, "name another file, or remove this one",
               "%s is not overwritten: it is not a checkpoint", path);
  else
    diag_error(writer->log, NULL, NOWHERE, NULL, "the checkpoint %s cannot be written: %s", path, strerror(error));
}

void checkpoint_abandon(struct checkpoint_writer *writer) {
  if (!writer)
    return;
  if (error_of(writer))
    log_failure(writer, error_of(writer));
  free_writer(writer);
}

static bool make_contexts(struct checkpoint_writer *writer, const struct checkpoint_head *head, unsigned contexts) {
  writer->contexts = mem_array(contexts, sizeof *writer->contexts);
  if (!writer->contexts)
    return false;
  for (unsigned i = 0; i < contexts; i++) {
    writer->context_count = i + 1;
    if (!coder_init(&writer->contexts[i].coder, &writer->bucket_order, head->bits, head->words))
      return false;
  }
  return true;
}

/* Without random numbers: a number that the next file of this process does not have. */
static uint64_t file_number(void) {
  uint64_t number;
  struct timespec now;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number)
    return number;
  clock_gettime(CLOCK_REALTIME, &now);
  return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) * 65537 + (uint64_t)getpid();
}

static floe_status open_writer(struct checkpoint_writer *writer, const char *path, const struct checkpoint_head *head,
                               unsigned contexts) {
  if (!make_contexts(writer, head, contexts))
    return FLOE_ERROR_MEMORY;
  if (!generations_open(&writer->files, path)) {
    strcpy(writer->files.new.path, strlen(path) < PATH_MAX ? path : "");
    note_error(writer, errno);
    return FLOE_ERROR_IO;
  }
  return write_head(writer, head) ? FLOE_OK : FLOE_ERROR_IO;
}

size_t checkpoint_writer_bytes(uint32_t words, unsigned contexts) {
  return sizeof(struct checkpoint_writer) + contexts * (sizeof(struct writer_context) + coder_memory(words));
}

floe_status checkpoint_create(const char *path, const struct checkpoint_head *head, unsigned contexts, floe_log *log,
                              struct checkpoint_writer **out) {
  assert(contexts > 0 && head->words > 0 && head->words <= MOST_STATE_WORDS);
  struct checkpoint_writer *writer = mem_alloc(sizeof *writer);
  if (!writer)
    return FLOE_ERROR_MEMORY;
  writer->log = log;
  writer->words = head->words;
  writer->files.new.file = -1;
  writer->file = file_number();
  writer->bucket_order = bucket_order_make(head);
  floe_status status = open_writer(writer, path, head, contexts);
  if (status == FLOE_OK)
    *out = writer;
  else
    checkpoint_abandon(writer);
  return status;
}

static bool write_rest(struct checkpoint_writer *writer, const struct checkpoint_search *search) {
  for (unsigned i = 0; i < writer->context_count; i++) {
    if (!flush_context(writer, &writer->contexts[i]))
      return false;
    totals_join(&writer->totals, &writer->contexts[i].totals);
  }
  uint64_t search_at = writer->end;
  return write_search(writer, search) && write_end(writer, search_at);
}

floe_status checkpoint_commit(struct checkpoint_writer *writer, const struct checkpoint_search *search,
                              uint64_t *bytes) {
  bool in_place;
  floe_status status = FLOE_OK;
  if (error_of(writer) || !write_rest(writer, search))
    status = FLOE_ERROR_IO;
  else if (!generations_commit(&writer->files, &in_place)) {
    note_error(writer, errno == EEXIST ? EBUSY : errno); /* another process created a file of this name meanwhile */
    status = FLOE_ERROR_IO;
  }
  if (status == FLOE_OK && bytes)
    *bytes = writer->end;
  checkpoint_abandon(writer);
  return status;
}
