#define _GNU_SOURCE
#include "base/utf8.h"
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

struct lane {
  struct coder coder;
  size_t held; /* states in the coder */
  enum checkpoint_section section;
  struct totals totals; /* of what it wrote */
};

struct checkpoint_writer {
  struct checkpoint_generations place;
  floe_log *log;
  struct bucket_order bucket_order;
  uint32_t words;
  uint64_t file; /* number in all parts */
  _Atomic uint64_t end;
  atomic_int error; /* errno of what failed first; 0: nothing has */
  struct totals totals;
  struct lane *lanes;
  unsigned lane_count;
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

static bool write_bytes(int file, const uint8_t *bytes, size_t n, uint64_t at) {
  while (n > 0) {
    ssize_t written = pwrite(file, bytes, n, (off_t)at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      errno = written < 0 ? errno : ENOSPC;
      return false;
    }
    bytes += written;
    n -= (size_t)written;
    at += (uint64_t)written;
  }
  return true;
}

/* A file that is longer than the limit of the process gets its thread a signal whose default is to end the process. It
   is the caller's thread: the signal is held up, and taken away if it comes. */
static bool write_at(struct checkpoint_writer *writer, const uint8_t *bytes, size_t n, uint64_t at) {
  sigset_t signals, before;
  const struct timespec now = {0, 0};
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  bool written = write_bytes(writer->place.new.file, bytes, n, at);
  int error = errno;
  if (!written && error == EFBIG && !sigismember(&before, SIGXFSZ))
    sigtimedwait(&signals, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return written || note_error(writer, error);
}

/* The part's bytes stand after room for its header. Its place is its own from here on. Relaxed: a number without
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

static bool write_lane(struct checkpoint_writer *writer, struct lane *lane) {
  if (lane->held == 0)
    return true;
  struct part part = {.kind = lane->section, .states = (uint32_t)lane->held};
  part.length = (uint32_t)coder_encode(&lane->coder, lane->held, lane->section == CHECKPOINT_KEYS, &part.coding);
  lane->held = 0;
  return write_part(writer, part, lane->coder.bytes, &lane->totals);
}

bool checkpoint_put(struct checkpoint_writer *writer, unsigned number, enum checkpoint_section section,
                    const uint64_t *states, size_t n) {
  assert(number < writer->lane_count && section < CHECKPOINT_SECTIONS);
  struct lane *lane = &writer->lanes[number];
  const size_t words = writer->words, most = block_states(writer->words);
  if (error_of(writer) || (section != lane->section && !write_lane(writer, lane)))
    return false;
  lane->section = section;
  while (n > 0) {
    size_t now = most - lane->held < n ? most - lane->held : n;
    memcpy(lane->coder.states + lane->held * words, states, now * words * sizeof *states);
    lane->held += now;
    states += now * words;
    n -= now;
    if (lane->held == most && !write_lane(writer, lane))
      return false;
  }
  return true;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static const uint8_t header_room[PART_BYTES];

/* A pen's bytes, which begin with room for the header; frees them. */
static bool write_facts(struct checkpoint_writer *writer, unsigned kind, struct byte_buffer *byte_buffer) {
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
  return write_facts(writer, PART_HEAD, &byte_buffer) && written;
}

static bool write_search(struct checkpoint_writer *writer, const struct checkpoint_search *search) {
  struct byte_buffer byte_buffer = {.n = 0};
  byte_buffer_add(&byte_buffer, header_room, PART_BYTES);
  search_encode(search, writer->words, &byte_buffer);
  return write_facts(writer, PART_SEARCH, &byte_buffer);
}

static bool write_end(struct checkpoint_writer *writer, uint64_t search_at) {
  uint8_t bytes[END_BYTES];
  struct part part = {.kind = PART_END, .coding = CODING_FIELDS, .length = END_PAYLOAD};
  struct totals own = {.parts = 0};
  struct ending ending = {writer->totals, search_at, writer->end + END_BYTES};
  ending_encode(&ending, bytes + PART_BYTES);
  return write_part(writer, part, bytes, &own);
}

/* ---- the life of a writer -------------------------------------------------------------------- */

static void free_writer(struct checkpoint_writer *writer) {
  generations_abandon(&writer->place);
  for (unsigned i = 0; i < writer->lane_count; i++)
    coder_free(&writer->lanes[i].coder);
  mem_free(writer->lanes);
  mem_free(writer);
}

static void tell(const struct checkpoint_writer *writer, int error) {
  struct utf8_shown shown;
  const char *path = utf8_show(writer->place.new.path, &shown);
  if (error == EEXIST)
    diag_error(writer->log, NULL, NOWHERE, "name another file, or remove this one",
               "%s is not overwritten: it is no %s", path, "checkpoint");
  else
    diag_error(writer->log, NULL, NOWHERE, NULL, "the checkpoint %s cannot be written: %s", path, strerror(error));
}

void checkpoint_abandon(struct checkpoint_writer *writer) {
  if (!writer)
    return;
  if (error_of(writer))
    tell(writer, error_of(writer));
  free_writer(writer);
}

static bool make_lanes(struct checkpoint_writer *writer, const struct checkpoint_head *head, unsigned lanes) {
  writer->lanes = mem_array(lanes, sizeof *writer->lanes);
  if (!writer->lanes)
    return false;
  for (unsigned i = 0; i < lanes; i++) {
    writer->lane_count = i + 1;
    if (!coder_init(&writer->lanes[i].coder, &writer->bucket_order, head->bits, head->words))
      return false;
  }
  return true;
}

/* Without random numbers, any that the next file of this process does not have. */
static uint64_t file_number(void) {
  uint64_t number;
  struct timespec now;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number)
    return number;
  clock_gettime(CLOCK_REALTIME, &now);
  return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) * 65537 + (uint64_t)getpid();
}

static floe_status open_writer(struct checkpoint_writer *writer, const char *path, const struct checkpoint_head *head,
                               unsigned lanes) {
  if (!make_lanes(writer, head, lanes))
    return FLOE_ERROR_MEMORY;
  if (!generations_open(&writer->place, path)) {
    strcpy(writer->place.new.path, strlen(path) < PATH_MAX ? path : "");
    note_error(writer, errno);
    return FLOE_ERROR_IO;
  }
  return write_head(writer, head) ? FLOE_OK : FLOE_ERROR_IO;
}

size_t checkpoint_writer_bytes(uint32_t words, unsigned lanes) {
  return sizeof(struct checkpoint_writer) + lanes * (sizeof(struct lane) + coder_memory(words));
}

floe_status checkpoint_create(const char *path, const struct checkpoint_head *head, unsigned lanes, floe_log *log,
                              struct checkpoint_writer **out) {
  assert(lanes > 0 && head->words > 0 && head->words <= MOST_STATE_WORDS);
  struct checkpoint_writer *writer = mem_alloc(sizeof *writer);
  if (!writer)
    return FLOE_ERROR_MEMORY;
  writer->log = log;
  writer->words = head->words;
  writer->place.new.file = -1;
  writer->file = file_number();
  writer->bucket_order = bucket_order_make(head);
  floe_status status = open_writer(writer, path, head, lanes);
  if (status == FLOE_OK)
    *out = writer;
  else
    checkpoint_abandon(writer);
  return status;
}

static bool write_rest(struct checkpoint_writer *writer, const struct checkpoint_search *search) {
  for (unsigned i = 0; i < writer->lane_count; i++) {
    if (!write_lane(writer, &writer->lanes[i]))
      return false;
    totals_join(&writer->totals, &writer->lanes[i].totals);
  }
  uint64_t search_at = writer->end;
  return write_search(writer, search) && write_end(writer, search_at);
}

floe_status checkpoint_commit(struct checkpoint_writer *writer, const struct checkpoint_search *search,
                              uint64_t *bytes) {
  bool stands;
  floe_status status = FLOE_OK;
  if (error_of(writer) || !write_rest(writer, search))
    status = FLOE_ERROR_IO;
  else if (!generations_commit(&writer->place, &stands)) {
    note_error(writer, errno == EEXIST ? EBUSY : errno); /* another process took a name in between */
    status = FLOE_ERROR_IO;
  }
  if (status == FLOE_OK && bytes)
    *bytes = writer->end;
  checkpoint_abandon(writer);
  return status;
}
