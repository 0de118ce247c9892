#include "checkpoint/fields.h"

#include "checkpoint/format.h"
#include "core/mem.h"
#include "tables/table.h"

#include <assert.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

void byte_buffer_add(struct byte_buffer *byte_buffer, const void *bytes, size_t n) {
  if (byte_buffer->n + n > byte_buffer->capacity && !byte_buffer->failed) {
    size_t capacity = 2 * (byte_buffer->n + n) + 256;
    uint8_t *more = mem_resize(byte_buffer->bytes, capacity);
    byte_buffer->failed = !more;
    byte_buffer->bytes = more ? more : byte_buffer->bytes;
    byte_buffer->capacity = more ? capacity : byte_buffer->capacity;
  }
  if (byte_buffer->failed)
    return;
  memcpy(byte_buffer->bytes + byte_buffer->n, bytes, n);
  byte_buffer->n += n;
}

static void put32(struct byte_buffer *byte_buffer, uint32_t value) {
  uint8_t bytes[4];
  store32(bytes, value);
  byte_buffer_add(byte_buffer, bytes, sizeof bytes);
}

static void put64(struct byte_buffer *byte_buffer, uint64_t value) {
  uint8_t bytes[8];
  store64(bytes, value);
  byte_buffer_add(byte_buffer, bytes, sizeof bytes);
}

static void put_double(struct byte_buffer *byte_buffer, double value) {
  uint64_t word;
  static_assert(sizeof word == sizeof value, "binary64");
  memcpy(&word, &value, sizeof word);
  put64(byte_buffer, word);
}

static void put_words(struct byte_buffer *byte_buffer, const uint64_t *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    put64(byte_buffer, words[i]);
}

/* NULL is written as "". */
static void put_text(struct byte_buffer *byte_buffer, const char *text) {
  size_t length = text ? strlen(text) : 0;
  assert(length <= UINT32_MAX);
  put32(byte_buffer, (uint32_t)length);
  byte_buffer_add(byte_buffer, text ? text : "", length);
}

void head_encode(const struct checkpoint_head *head, struct byte_buffer *byte_buffer) {
  put32(byte_buffer, head->bits);
  put32(byte_buffer, head->words);
  put64(byte_buffer, (uint64_t)head->written);
  put_double(byte_buffer, head->seconds);
  byte_buffer_add(byte_buffer, head->digest, sizeof head->digest);
  put64(byte_buffer, head->order.seed);
  put64(byte_buffer, head->order.buckets);
  put_text(byte_buffer, head->order.permutation);
  put_text(byte_buffer, floe_version());
  put_text(byte_buffer, head->model);
  put_text(byte_buffer, head->file);
  put32(byte_buffer, head->constant_count);
  for (uint32_t i = 0; i < head->constant_count; i++) {
    put_text(byte_buffer, head->constants[i].name);
    put64(byte_buffer, (uint64_t)head->constants[i].value);
    put32(byte_buffer, head->constants[i].given);
  }
  put32(byte_buffer, head->option_count);
  for (uint32_t i = 0; i < head->option_count; i++)
    put_text(byte_buffer, head->options[i]);
}

static void put_violation(struct byte_buffer *byte_buffer, const struct checkpoint_violation *violation,
                          uint32_t words) {
  put32(byte_buffer, violation->violation | (uint32_t)violation->provisional << 1);
  if (!violation->violation)
    return;
  put32(byte_buffer, violation->depth);
  put32(byte_buffer, violation->transition);
  put32(byte_buffer, violation->site);
  put_words(byte_buffer, violation->state, words);
}

void search_encode(const struct checkpoint_search *search, uint32_t words, struct byte_buffer *byte_buffer) {
  put32(byte_buffer, search->levels);
  put32(byte_buffer, search->complete);
  put32(byte_buffer, search->property_count);
  put32(byte_buffer, search->transition_count);
  put64(byte_buffer, search->expanded);
  put64(byte_buffer, search->failed);
  put32(byte_buffer, search->firing_failed);
  put32(byte_buffer, search->firing_failed_depth);
  put64(byte_buffer, search->transitions);
  put64(byte_buffer, search->deadlocks);
  put64(byte_buffer, search->checksum);
  put32(byte_buffer, search->max_out_degree);
  put_words(byte_buffer, search->level_states, search->levels);
  put_words(byte_buffer, search->fired, search->transition_count);
  for (uint32_t i = 0; i < search->property_count; i++)
    put_violation(byte_buffer, &search->violations[i], words);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* After the first error all values read are 0. */
struct byte_reader {
  const uint8_t *at, *end;
  struct arena *arena;
  bool invalid;
};

static bool has_bytes(struct byte_reader *byte_reader, uint64_t n) {
  byte_reader->invalid = byte_reader->invalid || (uint64_t)(byte_reader->end - byte_reader->at) < n;
  return !byte_reader->invalid;
}

static uint32_t take32(struct byte_reader *byte_reader) {
  if (!has_bytes(byte_reader, 4))
    return 0;
  byte_reader->at += 4;
  return load32(byte_reader->at - 4);
}

static uint64_t take64(struct byte_reader *byte_reader) {
  if (!has_bytes(byte_reader, 8))
    return 0;
  byte_reader->at += 8;
  return load64(byte_reader->at - 8);
}

static bool take_flag(struct byte_reader *byte_reader) {
  uint32_t flag = take32(byte_reader);
  byte_reader->invalid = byte_reader->invalid || flag > 1;
  return flag == 1;
}

static double take_double(struct byte_reader *byte_reader) {
  uint64_t word = take64(byte_reader);
  double value;
  memcpy(&value, &word, sizeof value);
  byte_reader->invalid = byte_reader->invalid || !(value >= 0);
  return value;
}

static const uint64_t *take_words(struct byte_reader *byte_reader, uint64_t n) {
  if (!has_bytes(byte_reader, 8 * n))
    n = 0;
  uint64_t *words = arena_array(byte_reader->arena, n, sizeof *words);
  for (uint64_t i = 0; i < n; i++)
    words[i] = take64(byte_reader);
  return words;
}

static const char *take_text(struct byte_reader *byte_reader) {
  uint32_t length = take32(byte_reader);
  if (!has_bytes(byte_reader, length))
    length = 0;
  const char *text = (const char *)byte_reader->at;
  byte_reader->invalid = byte_reader->invalid || memchr(text, '\0', length);
  byte_reader->at += length;
  return arena_copy(byte_reader->arena, text, length);
}

/* Number of items of at least `bytes_each` bytes each. */
static uint32_t take_count(struct byte_reader *byte_reader, uint64_t bytes_each) {
  uint32_t n = take32(byte_reader);
  return has_bytes(byte_reader, n * bytes_each) ? n : 0;
}

/* Returns the registry's string of this name, because heads are compared by pointer. */
static const char *known_permutation(const char *name) {
  for (const char *const *known = permutation_names(); *known; known++)
    if (strcmp(name, *known) == 0)
      return *known;
  return NULL;
}

static bool order_is_valid(const struct checkpoint_head *head, const char *permutation) {
  return head->order.permutation || !*permutation;
}

static void take_constants(struct byte_reader *byte_reader, struct checkpoint_head *head) {
  head->constant_count = take_count(byte_reader, 16);
  floe_constant *constants = arena_array(byte_reader->arena, head->constant_count, sizeof *constants);
  for (uint32_t i = 0; i < head->constant_count; i++) {
    constants[i].name = take_text(byte_reader);
    constants[i].value = (int64_t)take64(byte_reader);
    constants[i].given = take_flag(byte_reader);
  }
  head->constants = constants;
}

static void take_options(struct byte_reader *byte_reader, struct checkpoint_head *head) {
  head->option_count = take_count(byte_reader, 4);
  const char **options = arena_array(byte_reader->arena, head->option_count, sizeof *options);
  for (uint32_t i = 0; i < head->option_count; i++)
    options[i] = take_text(byte_reader);
  head->options = options;
}

bool head_decode(const uint8_t *bytes, size_t n, struct arena *arena, struct checkpoint_head *out) {
  struct byte_reader byte_reader = {.at = bytes, .end = bytes + n, .arena = arena};
  *out = (struct checkpoint_head){.bits = take32(&byte_reader)};
  out->words = take32(&byte_reader);
  out->written = (int64_t)take64(&byte_reader);
  out->seconds = take_double(&byte_reader);
  if (has_bytes(&byte_reader, DIGEST_BYTES)) {
    memcpy(out->digest, byte_reader.at, DIGEST_BYTES);
    byte_reader.at += DIGEST_BYTES;
  }
  out->order.seed = take64(&byte_reader);
  out->order.buckets = take64(&byte_reader);
  const char *permutation = take_text(&byte_reader);
  out->order.permutation = known_permutation(permutation);
  out->writer = take_text(&byte_reader);
  out->model = take_text(&byte_reader);
  out->file = take_text(&byte_reader);
  take_constants(&byte_reader, out);
  take_options(&byte_reader, out);
  return !byte_reader.invalid && byte_reader.at == byte_reader.end && out->words >= 1 &&
         out->words <= MOST_STATE_WORDS && out->bits >= 1 && out->bits <= 64 * (uint64_t)out->words &&
         order_is_valid(out, permutation);
}

static void take_violation(struct byte_reader *byte_reader, uint32_t words, struct checkpoint_violation *out) {
  uint32_t flags = take32(byte_reader);
  byte_reader->invalid = byte_reader->invalid || flags == 2 || flags > 3;
  *out = (struct checkpoint_violation){.violation = flags & 1, .provisional = flags >> 1 & 1};
  if (!out->violation)
    return;
  out->depth = take32(byte_reader);
  out->transition = take32(byte_reader);
  out->site = take32(byte_reader);
  out->state = take_words(byte_reader, words);
}

static void take_violations(struct byte_reader *byte_reader, uint32_t words, struct checkpoint_search *search) {
  if (!has_bytes(byte_reader, 4 * (uint64_t)search->property_count))
    search->property_count = 0;
  struct checkpoint_violation *violations = arena_array(byte_reader->arena, search->property_count, sizeof *violations);
  for (uint32_t i = 0; i < search->property_count; i++)
    take_violation(byte_reader, words, &violations[i]);
  search->violations = violations;
}

bool search_decode(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena, struct checkpoint_search *out) {
  struct byte_reader byte_reader = {.at = bytes, .end = bytes + n, .arena = arena};
  *out = (struct checkpoint_search){.levels = take32(&byte_reader)};
  out->complete = take32(&byte_reader);
  out->property_count = take32(&byte_reader);
  out->transition_count = take32(&byte_reader);
  out->expanded = take64(&byte_reader);
  out->failed = take64(&byte_reader);
  out->firing_failed = take_flag(&byte_reader);
  out->firing_failed_depth = take32(&byte_reader);
  out->transitions = take64(&byte_reader);
  out->deadlocks = take64(&byte_reader);
  out->checksum = take64(&byte_reader);
  out->max_out_degree = take32(&byte_reader);
  out->level_states = take_words(&byte_reader, out->levels);
  out->fired = take_words(&byte_reader, out->transition_count);
  take_violations(&byte_reader, words, out);
  return !byte_reader.invalid && byte_reader.at == byte_reader.end && out->complete <= out->levels;
}

struct search_decoding {
  const uint8_t *bytes;
  size_t n;
  uint32_t words;
  struct arena *arena;
  struct checkpoint_search *out;
  bool sound;
};

static void decode_search(void *data) {
  struct search_decoding *d = data;
  d->sound = search_decode(d->bytes, d->n, d->words, d->arena, d->out);
}

floe_status search_decode_guarded(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena,
                                  struct checkpoint_search *out) {
  struct search_decoding decoding = {bytes, n, words, arena, out, false};
  if (arena_guard(arena, decode_search, &decoding) != 0)
    return FLOE_ERROR_MEMORY;
  return decoding.sound ? FLOE_OK : FLOE_ERROR_INTERNAL;
}
