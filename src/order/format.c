#include "order/format.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

/* Offsets of the fixed fields. */
enum {
  AT_MAGIC = 0,
  AT_VERSION = 8,
  AT_SIZE = 12,
  AT_KIND = 16,
  AT_COMPRESSION = 17,
  AT_FLAGS = 18,
  AT_END = 19,
  AT_THREADS = 20,
  AT_BITS = 24,
  AT_WORDS = 28,
  AT_BYTES = 32,
  AT_CONSTANTS = 36,
  AT_COUNT = 40,
  AT_DIGEST = 48,
  AT_TEXTS = 80
};
enum { CHECKSUM = 4, LENGTH = 2, LONGEST_TEXT = 65535 };
enum { FLAG_CANONICAL = 1, FLAG_INCOMPLETE = 2 };
static const char magic[8] = {'F', 'L', 'O', 'E', 'O', 'R', 'D', '\n'};

uint32_t order_key_bytes(uint32_t bits, uint32_t words) { return words == 1 ? (bits + 7) / 8 : 8 * words; }

uint32_t order_checksum(uint32_t before, const void *bytes, size_t n) { return (uint32_t)crc32_z(before, bytes, n); }

/* ---- writing --------------------------------------------------------------------------------- */

static size_t text_length(const char *text) {
  size_t length = strlen(text);
  return length < LONGEST_TEXT ? length : LONGEST_TEXT;
}

/* Control characters would reach the terminal of the user that prints the header. */
static bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

static uint8_t *put_text(uint8_t *to, const char *text) {
  size_t length = text_length(text);
  *to++ = (uint8_t)length;
  *to++ = (uint8_t)(length >> 8);
  for (size_t i = 0; i < length; i++)
    *to++ = is_control((unsigned char)text[i]) ? '?' : (uint8_t)text[i];
  return to;
}

size_t order_header_size(const struct order_header *header) {
  size_t size = AT_TEXTS + LENGTH + text_length(header->model) + LENGTH + text_length(header->writer) + CHECKSUM;
  for (uint32_t i = 0; i < header->constant_count; i++)
    size += LENGTH + text_length(header->constants[i].name) + sizeof(uint64_t);
  size = (size + 7) / 8 * 8;
  return size <= ORDER_LONGEST_HEADER ? size : 0;
}

static void encode_fields(const struct order_header *header, uint8_t *bytes) {
  memcpy(bytes + AT_MAGIC, magic, sizeof magic);
  store32(bytes + AT_VERSION, ORDER_VERSION);
  bytes[AT_KIND] = (uint8_t)header->kind;
  bytes[AT_COMPRESSION] = header->zstd;
  bytes[AT_FLAGS] = (uint8_t)((header->canonical ? FLAG_CANONICAL : 0) | (header->incomplete ? FLAG_INCOMPLETE : 0));
  bytes[AT_END] = (uint8_t)header->end;
  store32(bytes + AT_THREADS, header->threads);
  store32(bytes + AT_BITS, header->key_bits);
  store32(bytes + AT_WORDS, header->key_words);
  store32(bytes + AT_BYTES, header->key_bytes);
  store32(bytes + AT_CONSTANTS, header->constant_count);
  store64(bytes + AT_COUNT, header->count);
  memcpy(bytes + AT_DIGEST, header->digest, sizeof header->digest);
}

void order_header_encode(const struct order_header *header, uint8_t *bytes) {
  size_t size = order_header_size(header);
  assert(size > 0);
  memset(bytes, 0, size);
  encode_fields(header, bytes);
  store32(bytes + AT_SIZE, (uint32_t)size);
  uint8_t *to = put_text(bytes + AT_TEXTS, header->model);
  to = put_text(to, header->writer);
  for (uint32_t i = 0; i < header->constant_count; i++) {
    to = put_text(to, header->constants[i].name);
    store64(to, (uint64_t)header->constants[i].value);
    to += sizeof(uint64_t);
  }
  store32(bytes + size - CHECKSUM, order_checksum(0, bytes, size - CHECKSUM));
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool set_reason(const char **why, const char *what) {
  *why = what;
  return false;
}

size_t order_prelude(const uint8_t *bytes, const char **why) {
  size_t size = load32(bytes + AT_SIZE);
  if (memcmp(bytes, magic, sizeof magic) != 0)
    *why = "it is not an order file";
  else if (load32(bytes + AT_VERSION) != ORDER_VERSION)
    *why = "this floe does not know its version of the format";
  else if (size < AT_TEXTS + CHECKSUM || size > ORDER_LONGEST_HEADER || size % 8 != 0)
    *why = "its header is damaged";
  else
    return size;
  return 0;
}

struct cursor {
  const uint8_t *at, *end;
  struct arena *arena;
};

static const char *take_text(struct cursor *cursor) {
  if (cursor->end - cursor->at < LENGTH)
    return NULL;
  size_t length = cursor->at[0] | (size_t)cursor->at[1] << 8;
  const char *text = (const char *)cursor->at + LENGTH;
  if ((size_t)(cursor->end - cursor->at) - LENGTH < length)
    return NULL;
  for (size_t i = 0; i < length; i++)
    if (is_control((unsigned char)text[i]))
      return NULL;
  cursor->at += LENGTH + length;
  return arena_copy(cursor->arena, text, length);
}

static bool take_constant(struct cursor *cursor, floe_constant *out) {
  *out = (floe_constant){.name = take_text(cursor)};
  if (!out->name || cursor->end - cursor->at < (ptrdiff_t)sizeof(uint64_t))
    return false;
  out->value = (int64_t)load64(cursor->at);
  cursor->at += sizeof(uint64_t);
  return true;
}

static bool take_texts(struct cursor *cursor, struct order_header *header) {
  header->model = take_text(cursor);
  header->writer = header->model ? take_text(cursor) : NULL;
  size_t most = (size_t)(cursor->end - cursor->at) / (LENGTH + sizeof(uint64_t));
  if (!header->writer || header->constant_count > most)
    return false;
  floe_constant *constants = arena_array(cursor->arena, header->constant_count, sizeof *constants);
  header->constants = constants;
  for (uint32_t i = 0; i < header->constant_count; i++)
    if (!take_constant(cursor, &constants[i]))
      return false;
  return true;
}

static void decode_fields(const uint8_t *bytes, struct order_header *header) {
  uint8_t flags = bytes[AT_FLAGS];
  *header = (struct order_header){.kind = (floe_order_kind)bytes[AT_KIND],
                                  .zstd = bytes[AT_COMPRESSION] != 0,
                                  .canonical = (flags & FLAG_CANONICAL) != 0,
                                  .incomplete = (flags & FLAG_INCOMPLETE) != 0,
                                  .end = (floe_end)bytes[AT_END],
                                  .threads = load32(bytes + AT_THREADS),
                                  .key_bits = load32(bytes + AT_BITS),
                                  .key_words = load32(bytes + AT_WORDS),
                                  .key_bytes = load32(bytes + AT_BYTES),
                                  .constant_count = load32(bytes + AT_CONSTANTS),
                                  .count = load64(bytes + AT_COUNT)};
  memcpy(header->digest, bytes + AT_DIGEST, sizeof header->digest);
}

static bool known_codes(const uint8_t *bytes) {
  return bytes[AT_KIND] <= FLOE_ORDER_LOOKUPS && bytes[AT_COMPRESSION] <= 1 &&
         bytes[AT_FLAGS] <= (FLAG_CANONICAL | FLAG_INCOMPLETE) && bytes[AT_END] <= FLOE_END_INTERRUPT;
}

/* Consistent sizes, whose product is a valid size. */
static bool sizes_are_valid(const struct order_header *header) {
  uint32_t words = header->key_words;
  return words >= 1 && words <= ORDER_MOST_WORDS && header->key_bits >= 1 && header->key_bits <= 64 * words &&
         header->key_bytes == order_key_bytes(header->key_bits, words) &&
         header->count <= INT64_MAX / sizeof(uint64_t) / words;
}

bool order_header_decode(const uint8_t *bytes, size_t size, struct arena *arena, struct order_header *out,
                         const char **why) {
  struct cursor cursor = {bytes + AT_TEXTS, bytes + size - CHECKSUM, arena};
  assert(size >= AT_TEXTS + CHECKSUM);
  if (load32(bytes + size - CHECKSUM) != order_checksum(0, bytes, size - CHECKSUM))
    return set_reason(why, "its header is damaged: wrong checksum");
  decode_fields(bytes, out);
  if (!known_codes(bytes) || !sizes_are_valid(out) || !take_texts(&cursor, out))
    return set_reason(why, "its header is invalid");
  return true;
}
