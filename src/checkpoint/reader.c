#include "base/utf8.h"
#include "base/whole_io.h"
#include "checkpoint/coder.h"
#include "checkpoint/fields.h"
#include "checkpoint/format.h"
#include "checkpoint/generations.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/reason.h"
#include "core/system/compress.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct checkpoint_reader {
  int file;
  char *path;
  floe_log *log;
  struct arena arena;
  struct checkpoint_head head;
  struct checkpoint_search search;
  struct bucket_order bucket_order;
  struct trailer trailer;
  uint64_t number;           /* random number that all parts have */
  uint64_t begin;            /* offset of the first part after the head */
  struct totals head_totals; /* of the head and search parts */
  unsigned chosen;           /* mask of sections */
  uint64_t keys;             /* upper bound of all keys; 0: unknown */

  pthread_mutex_t mutex; /* of the members below */
  uint64_t at;           /* offset of the next part; trailer.search_at: there are no more */
  struct totals totals;
  floe_status status;   /* the first error */
  struct reason reason; /* description of `status` */
};

struct checkpoint_block {
  struct coder coder;
};

/* ---- errors ----------------------------------------------------------------------------------- */

static floe_status log_failure(const struct checkpoint_reader *reader, floe_status status, const char *why) {
  struct utf8_shown shown, other;
  struct reason hint;
  char previous[PATH_MAX];
  bool has_previous =
      status == FLOE_ERROR_IO && generations_previous(reader->path, previous) && access(previous, R_OK) == 0;
  if (has_previous)
    reason_set(&hint, "the previous checkpoint is %s", utf8_show(previous, &other));
  if (status != FLOE_ERROR_MEMORY)
    diag_error(reader->log, NULL, NOWHERE, has_previous ? hint.text : NULL, "%s cannot be read: %s",
               utf8_show(reader->path, &shown), why);
  return status;
}

/* Reports a damaged part at offset `at`. */
static floe_status report_damage(struct checkpoint_reader *reader, const char *part, uint64_t at, const char *what) {
  reason_set(&reader->reason, "it is damaged: the part \"%s\" at byte %" PRIu64 " %s", part, at, what);
  return FLOE_ERROR_IO;
}

static floe_status set_reason(struct checkpoint_reader *reader, const char *why) {
  reason_set(&reader->reason, "%s", why);
  return FLOE_ERROR_IO;
}

/* errno 0: the file was truncated since it was opened. */
static const char *read_error(void) { return errno ? strerror(errno) : "it ends too early"; }

/* ---- opening ----------------------------------------------------------------------------------- */

/* Reads the bytes of a part with fields, which must end before `limit`; the caller frees them (mem_free). */
static floe_status read_field_bytes(struct checkpoint_reader *reader, unsigned kind, uint64_t at, uint64_t limit,
                                    struct part *part, uint8_t **out) {
  uint8_t header[PART_BYTES];
  if (at > limit || limit - at < PART_BYTES)
    return report_damage(reader, part_name(kind), at, "is cut off");
  if (!read_whole_at(reader->file, header, PART_BYTES, at))
    return set_reason(reader, read_error());
  if (!part_decode(header, part) || part->kind != kind || part->coding != CODING_FIELDS || part->states ||
      part->length > limit - at - PART_BYTES)
    return report_damage(reader, part_name(kind), at, "has an invalid header");
  uint8_t *bytes = mem_alloc(part->length);
  if (!bytes)
    return FLOE_ERROR_MEMORY;
  bool read = read_whole_at(reader->file, bytes, part->length, at + PART_BYTES);
  if (read && checksum_of(bytes, part->length) == part->checksum) {
    totals_add(&reader->head_totals, part, header, at);
    *out = bytes;
    return FLOE_OK;
  }
  mem_free(bytes);
  return read ? report_damage(reader, part_name(kind), at, "has a wrong checksum") : set_reason(reader, read_error());
}

struct decoding {
  struct checkpoint_reader *reader;
  const uint8_t *bytes;
  size_t n;
  bool sound;
};

static void decode_head(void *data) {
  struct decoding *d = data;
  d->sound = head_decode(d->bytes, d->n, &d->reader->arena, &d->reader->head);
}

static void decode_search(void *data) {
  struct decoding *d = data;
  d->sound = search_decode(d->bytes, d->n, d->reader->head.words, &d->reader->arena, &d->reader->search);
}

/* Reads and decodes a part with fields. */
static floe_status read_fields(struct checkpoint_reader *reader, unsigned kind, uint64_t at, uint64_t limit,
                               void (*decode)(void *data), struct part *part) {
  uint8_t *bytes;
  FLOE_TRY(read_field_bytes(reader, kind, at, limit, part, &bytes));
  struct decoding decoding = {reader, bytes, part->length, false};
  bool memory = arena_guard(&reader->arena, decode, &decoding) == 0;
  mem_free(bytes);
  if (!memory)
    return FLOE_ERROR_MEMORY;
  return decoding.sound ? FLOE_OK : report_damage(reader, part_name(kind), at, "has invalid content");
}

static floe_status read_prelude(struct checkpoint_reader *reader, uint64_t size) {
  uint8_t prelude[PRELUDE_BYTES];
  bool unsupported;
  if (size < PRELUDE_BYTES)
    return set_reason(reader, "it is not a checkpoint");
  if (!read_whole_at(reader->file, prelude, PRELUDE_BYTES, 0))
    return set_reason(reader, read_error());
  const char *flaw = prelude_flaw(prelude, &unsupported);
  if (!flaw)
    return FLOE_OK;
  set_reason(reader, flaw);
  return unsupported ? FLOE_ERROR_UNSUPPORTED : FLOE_ERROR_IO;
}

static floe_status read_end(struct checkpoint_reader *reader, uint64_t size) {
  uint8_t bytes[END_BYTES];
  struct part part;
  if (size < PRELUDE_BYTES + END_BYTES)
    return set_reason(reader, "it ends too early");
  uint64_t at = size - END_BYTES;
  if (!read_whole_at(reader->file, bytes, END_BYTES, at))
    return set_reason(reader, read_error());
  if (!part_decode(bytes, &part) || part.kind != PART_END || part.coding != CODING_FIELDS || part.states ||
      part.length != END_PAYLOAD)
    return set_reason(reader, "it is damaged or cut off: it has no valid end");
  trailer_decode(bytes + PART_BYTES, &reader->trailer);
  if (part.checksum != checksum_of(bytes + PART_BYTES, END_PAYLOAD) || reader->trailer.bytes != size)
    return report_damage(reader, part_name(PART_END), at, "has a wrong checksum, or belongs to another file");
  reader->number = part.file;
  return FLOE_OK;
}

static floe_status read_parts(struct checkpoint_reader *reader) {
  struct part head, search;
  const uint64_t end = reader->trailer.bytes - END_BYTES;
  FLOE_TRY(read_fields(reader, PART_HEAD, PRELUDE_BYTES, end, decode_head, &head));
  reader->begin = PRELUDE_BYTES + PART_BYTES + (uint64_t)head.length;
  if (reader->trailer.search_at < reader->begin)
    return report_damage(reader, part_name(PART_END), end, "has invalid content");
  FLOE_TRY(read_fields(reader, PART_SEARCH, reader->trailer.search_at, end, decode_search, &search));
  if (reader->trailer.search_at + PART_BYTES + search.length != end || head.file != reader->number ||
      search.file != reader->number)
    return set_reason(reader, "it is damaged: its parts belong to several files");
  return FLOE_OK;
}

static floe_status read_all_fields(struct checkpoint_reader *reader) {
  struct stat status;
  reader->file = open(reader->path, O_RDONLY | O_CLOEXEC);
  if (reader->file < 0 || fstat(reader->file, &status) != 0)
    return set_reason(reader, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return set_reason(reader, "it is not a regular file");
  const uint64_t size = (uint64_t)status.st_size;
  FLOE_TRY(read_prelude(reader, size));
  FLOE_TRY(read_end(reader, size));
  FLOE_TRY(read_parts(reader));
  reader->bucket_order = bucket_order_make(&reader->head);
  checkpoint_choose(reader, (1u << CHECKPOINT_SECTIONS) - 1);
  return FLOE_OK;
}

floe_status checkpoint_open(const char *path, floe_log *log, struct checkpoint_reader **out) {
  struct checkpoint_reader *reader = mem_alloc(sizeof *reader);
  if (!reader)
    return FLOE_ERROR_MEMORY;
  reader->file = -1;
  reader->log = log;
  arena_init(&reader->arena);
  pthread_mutex_init(&reader->mutex, NULL);
  reader->path = mem_strdup(path);
  floe_status status = reader->path ? read_all_fields(reader) : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK)
    *out = reader;
  else {
    if (reader->path)
      log_failure(reader, status, reader->reason.text);
    checkpoint_close(reader);
  }
  return status;
}

void checkpoint_close(struct checkpoint_reader *reader) {
  if (!reader)
    return;
  if (reader->file >= 0)
    close(reader->file);
  pthread_mutex_destroy(&reader->mutex);
  arena_free(&reader->arena);
  mem_free(reader->path);
  mem_free(reader);
}

const struct checkpoint_head *checkpoint_head_of(const struct checkpoint_reader *reader) { return &reader->head; }

const char *checkpoint_option_value(const char *option, const char *name) {
  const size_t length = strlen(name);
  return strncmp(option, name, length) == 0 && option[length] == '=' ? option + length + 1 : NULL;
}

const char *checkpoint_option_of(const struct checkpoint_head *head, const char *name) {
  for (uint32_t i = 0; i < head->option_count; i++) {
    const char *value = checkpoint_option_value(head->options[i], name);
    if (value)
      return value;
  }
  return NULL;
}

const struct checkpoint_search *checkpoint_search_of(const struct checkpoint_reader *reader) { return &reader->search; }

struct checkpoint_sizes checkpoint_sizes_of(const struct checkpoint_reader *reader, enum checkpoint_section section) {
  assert(section < CHECKPOINT_SECTIONS);
  return reader->trailer.totals.sections[section];
}

uint64_t checkpoint_bytes_of(const struct checkpoint_reader *reader) { return reader->trailer.bytes; }

/* ---- blocks ------------------------------------------------------------------------------------ */

struct checkpoint_block *checkpoint_block_create(const struct checkpoint_reader *reader) {
  struct checkpoint_block *block = mem_alloc(sizeof *block);
  if (block && coder_init(&block->coder, &reader->bucket_order, reader->head.bits, reader->head.words))
    return block;
  checkpoint_block_free(block);
  return NULL;
}

void checkpoint_block_free(struct checkpoint_block *block) {
  if (block)
    coder_free(&block->coder);
  mem_free(block);
}

/* Reads the header of the part at reader->at and advances to the next one; the mutex is held. */
static floe_status take_header(struct checkpoint_reader *reader, struct part *part) {
  uint8_t header[PART_BYTES];
  const uint64_t at = reader->at, limit = reader->trailer.search_at;
  if (limit - at < PART_BYTES)
    return report_damage(reader, "block", at, "is cut off");
  if (!read_whole_at(reader->file, header, PART_BYTES, at))
    return set_reason(reader, read_error());
  if (!part_decode(header, part) || part->kind >= CHECKPOINT_SECTIONS || part->file != reader->number ||
      part->length > coder_most() || part->length > limit - at - PART_BYTES || part->states == 0)
    return report_damage(reader, "block", at, "has an invalid header");
  totals_add(&reader->totals, part, header, at);
  reader->at += PART_BYTES + (uint64_t)part->length;
  return FLOE_OK;
}

/* Finds the next chosen part and the offset of its bytes; 0 states: there is none. The mutex is held. */
static floe_status next_part(struct checkpoint_reader *reader, struct part *part, uint64_t *at) {
  part->states = 0;
  while (reader->status == FLOE_OK && reader->at < reader->trailer.search_at) {
    reader->status = take_header(reader, part);
    if (reader->status == FLOE_OK && (reader->chosen >> part->kind & 1)) {
      *at = reader->at - part->length;
      return FLOE_OK;
    }
    part->states = 0;
  }
  return reader->status;
}

static floe_status fail_locked(struct checkpoint_reader *reader, const char *part, uint64_t at, const char *what) {
  pthread_mutex_lock(&reader->mutex);
  if (reader->status == FLOE_OK)
    reader->status = part ? report_damage(reader, part, at, what) : set_reason(reader, what);
  pthread_mutex_unlock(&reader->mutex);
  return reader->status;
}

/* A bitmap has no bit for larger keys. */
static bool are_below(const uint64_t *states, size_t n, uint64_t keys) {
  uint64_t most = 0;
  for (size_t i = 0; i < n; i++)
    most = states[i] > most ? states[i] : most;
  return most < keys;
}

static bool are_keys(const struct checkpoint_reader *reader, const struct coder *coder, size_t n) {
  return reader->keys == 0 || reader->head.words > 1 || are_below(coder->states, n, reader->keys);
}

static floe_status read_block(struct checkpoint_reader *reader, struct coder *coder, const struct part *part,
                              uint64_t at) {
  uint8_t *bytes = coder->bytes + PART_BYTES;
  if (!read_whole_at(reader->file, bytes, part->length, at))
    return fail_locked(reader, NULL, 0, read_error());
  if (checksum_of(bytes, part->length) != part->checksum)
    return fail_locked(reader, part_name(part->kind), at - PART_BYTES, "has a wrong checksum");
  if (part->coding == CODING_PLANES && !compress_available())
    return fail_locked(reader, NULL, 0, "it is compressed, and this floe was built without libzstd");
  if (!coder_decode(coder, part->coding, part->length, part->states) || !are_keys(reader, coder, part->states))
    return fail_locked(reader, part_name(part->kind), at - PART_BYTES, "has invalid content");
  return FLOE_OK;
}

floe_status checkpoint_next(struct checkpoint_reader *reader, struct checkpoint_block *block,
                            struct checkpoint_states *out) {
  struct part part = {.states = 0};
  uint64_t at = 0;
  pthread_mutex_lock(&reader->mutex);
  floe_status status = next_part(reader, &part, &at);
  pthread_mutex_unlock(&reader->mutex);
  FLOE_TRY(status);
  if (part.states)
    FLOE_TRY(read_block(reader, &block->coder, &part, at));
  *out = (struct checkpoint_states){(enum checkpoint_section)part.kind, block->coder.states, part.states};
  return FLOE_OK;
}

void checkpoint_choose(struct checkpoint_reader *reader, unsigned sections) {
  reader->chosen = sections;
  reader->at = reader->begin;
  reader->totals = reader->head_totals;
  reader->status = FLOE_OK;
}

void checkpoint_expect_keys(struct checkpoint_reader *reader, uint64_t keys) { reader->keys = keys; }

floe_status checkpoint_end_reading(struct checkpoint_reader *reader) {
  if (reader->status == FLOE_OK && reader->at < reader->trailer.search_at)
    reader->status = set_reason(reader, "it was not read to its end");
  if (reader->status == FLOE_OK && !totals_same(&reader->totals, &reader->trailer.totals))
    reader->status = set_reason(reader, "it is damaged: parts are missing or changed");
  return reader->status == FLOE_OK ? FLOE_OK : log_failure(reader, reader->status, reader->reason.text);
}
