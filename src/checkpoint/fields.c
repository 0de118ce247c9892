#include "checkpoint/fields.h"

#include "checkpoint/format.h"
#include "core/mem.h"
#include "tables/table.h"

#include <assert.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

void byte_buffer_add(struct byte_buffer *byte_buffer, const void *bytes, size_t n) {
  if (byte_buffer->n + n > byte_buffer->room && !byte_buffer->failed) {
    size_t room = 2 * (byte_buffer->n + n) + 256;
    uint8_t *more = mem_resize(byte_buffer->bytes, room);
    byte_buffer->failed = !more;
    byte_buffer->bytes = more ? more : byte_buffer->bytes;
    byte_buffer->room = more ? room : byte_buffer->room;
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

/* NULL is as good as "". */
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

static void put_hit(struct byte_buffer *byte_buffer, const struct checkpoint_violation *violation, uint32_t words) {
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
  put32(byte_buffer, search->cut);
  put32(byte_buffer, search->cut_depth);
  put64(byte_buffer, search->transitions);
  put64(byte_buffer, search->deadlocks);
  put64(byte_buffer, search->checksum);
  put32(byte_buffer, search->max_out_degree);
  put_words(byte_buffer, search->level_states, search->levels);
  put_words(byte_buffer, search->fired, search->transition_count);
  for (uint32_t i = 0; i < search->property_count; i++)
    put_hit(byte_buffer, &search->violations[i], words);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Once something is wrong, all that comes after is 0. */
struct scan {
  const uint8_t *at, *end;
  struct arena *arena;
  bool wrong;
};

static bool has(struct scan *scan, uint64_t n) {
  scan->wrong = scan->wrong || (uint64_t)(scan->end - scan->at) < n;
  return !scan->wrong;
}

static uint32_t take32(struct scan *scan) {
  if (!has(scan, 4))
    return 0;
  scan->at += 4;
  return load32(scan->at - 4);
}

static uint64_t take64(struct scan *scan) {
  if (!has(scan, 8))
    return 0;
  scan->at += 8;
  return load64(scan->at - 8);
}

static bool take_flag(struct scan *scan) {
  uint32_t flag = take32(scan);
  scan->wrong = scan->wrong || flag > 1;
  return flag == 1;
}

static double take_double(struct scan *scan) {
  uint64_t word = take64(scan);
  double value;
  memcpy(&value, &word, sizeof value);
  scan->wrong = scan->wrong || !(value >= 0);
  return value;
}

static const uint64_t *take_words(struct scan *scan, uint64_t n) {
  if (!has(scan, 8 * n))
    n = 0;
  uint64_t *words = arena_array(scan->arena, n, sizeof *words);
  for (uint64_t i = 0; i < n; i++)
    words[i] = take64(scan);
  return words;
}

static const char *take_text(struct scan *scan) {
  uint32_t length = take32(scan);
  if (!has(scan, length))
    length = 0;
  const char *text = (const char *)scan->at;
  scan->wrong = scan->wrong || memchr(text, '\0', length);
  scan->at += length;
  return arena_copy(scan->arena, text, length);
}

/* Of things that take at least so many bytes each. */
static uint32_t take_count(struct scan *scan, uint64_t bytes_each) {
  uint32_t n = take32(scan);
  return has(scan, n * bytes_each) ? n : 0;
}

/* Its own name of it, as heads are compared with what tables say. */
static const char *known_permutation(const char *name) {
  for (const char *const *known = permutation_names(); *known; known++)
    if (strcmp(name, *known) == 0)
      return *known;
  return NULL;
}

static bool sensible_order(const struct checkpoint_head *head, const char *permutation) {
  return head->order.permutation || !*permutation;
}

static void take_constants(struct scan *scan, struct checkpoint_head *head) {
  head->constant_count = take_count(scan, 16);
  floe_constant *constants = arena_array(scan->arena, head->constant_count, sizeof *constants);
  for (uint32_t i = 0; i < head->constant_count; i++) {
    constants[i].name = take_text(scan);
    constants[i].value = (int64_t)take64(scan);
    constants[i].given = take_flag(scan);
  }
  head->constants = constants;
}

static void take_options(struct scan *scan, struct checkpoint_head *head) {
  head->option_count = take_count(scan, 4);
  const char **options = arena_array(scan->arena, head->option_count, sizeof *options);
  for (uint32_t i = 0; i < head->option_count; i++)
    options[i] = take_text(scan);
  head->options = options;
}

bool head_decode(const uint8_t *bytes, size_t n, struct arena *arena, struct checkpoint_head *out) {
  struct scan scan = {.at = bytes, .end = bytes + n, .arena = arena};
  *out = (struct checkpoint_head){.bits = take32(&scan)};
  out->words = take32(&scan);
  out->written = (int64_t)take64(&scan);
  out->seconds = take_double(&scan);
  if (has(&scan, DIGEST_BYTES)) {
    memcpy(out->digest, scan.at, DIGEST_BYTES);
    scan.at += DIGEST_BYTES;
  }
  out->order.seed = take64(&scan);
  out->order.buckets = take64(&scan);
  const char *permutation = take_text(&scan);
  out->order.permutation = known_permutation(permutation);
  out->writer = take_text(&scan);
  out->model = take_text(&scan);
  out->file = take_text(&scan);
  take_constants(&scan, out);
  take_options(&scan, out);
  return !scan.wrong && scan.at == scan.end && out->words >= 1 && out->words <= MOST_STATE_WORDS && out->bits >= 1 &&
         out->bits <= 64 * (uint64_t)out->words && sensible_order(out, permutation);
}

static void take_hit(struct scan *scan, uint32_t words, struct checkpoint_violation *out) {
  uint32_t flags = take32(scan);
  scan->wrong = scan->wrong || flags == 2 || flags > 3;
  *out = (struct checkpoint_violation){.violation = flags & 1, .provisional = flags >> 1 & 1};
  if (!out->violation)
    return;
  out->depth = take32(scan);
  out->transition = take32(scan);
  out->site = take32(scan);
  out->state = take_words(scan, words);
}

static void take_hits(struct scan *scan, uint32_t words, struct checkpoint_search *search) {
  if (!has(scan, 4 * (uint64_t)search->property_count))
    search->property_count = 0;
  struct checkpoint_violation *violations = arena_array(scan->arena, search->property_count, sizeof *violations);
  for (uint32_t i = 0; i < search->property_count; i++)
    take_hit(scan, words, &violations[i]);
  search->violations = violations;
}

bool search_decode(const uint8_t *bytes, size_t n, uint32_t words, struct arena *arena, struct checkpoint_search *out) {
  struct scan scan = {.at = bytes, .end = bytes + n, .arena = arena};
  *out = (struct checkpoint_search){.levels = take32(&scan)};
  out->complete = take32(&scan);
  out->property_count = take32(&scan);
  out->transition_count = take32(&scan);
  out->expanded = take64(&scan);
  out->failed = take64(&scan);
  out->cut = take_flag(&scan);
  out->cut_depth = take32(&scan);
  out->transitions = take64(&scan);
  out->deadlocks = take64(&scan);
  out->checksum = take64(&scan);
  out->max_out_degree = take32(&scan);
  out->level_states = take_words(&scan, out->levels);
  out->fired = take_words(&scan, out->transition_count);
  take_hits(&scan, words, out);
  return !scan.wrong && scan.at == scan.end && out->complete <= out->levels;
}
