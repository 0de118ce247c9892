#include "order/reader.h"

#include "base/utf8.h"
#include "core/diag.h"
#include "core/mem.h"
#include "core/system/compress.h"
#include "core/usage.h"
#include "order/format.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct floe_order {
  struct arena arena; /* texts, header */
  struct order_header header;
  floe_order_info info;
  const char *name;
  floe_log *log;
  FILE *stream;
  struct unpacker *unpacker; /* NULL: the keys are uncompressed */
  uint32_t checksum;         /* of the keys read so far */
  uint64_t left;             /* keys not read yet */
  bool checked;              /* the end has been verified */
  uint8_t *header_bytes;
  size_t header_size;
};

static floe_status log_unreadable(const floe_order *order, const char *why) {
  struct utf8_shown shown;
  diag_error(order->log, NULL, NOWHERE, NULL, "%s cannot be read: %s", utf8_show(order->name, &shown), why);
  return FLOE_ERROR_IO;
}

/* ---- the header ------------------------------------------------------------------------------ */

static floe_status log_truncated(const floe_order *order) {
  return log_unreadable(order, ferror(order->stream) ? strerror(errno) : "it ends too early");
}

static void set_info(floe_order *order) {
  const struct order_header *header = &order->header;
  char hex[DIGEST_HEX];
  digest_hex(header->digest, hex);
  order->info = (floe_order_info){.kind = header->kind,
                                  .key_bits = header->key_bits,
                                  .key_words = header->key_words,
                                  .key_bytes = header->key_bytes,
                                  .count = header->count,
                                  .threads = header->threads,
                                  .canonical = header->canonical,
                                  .complete = !header->incomplete,
                                  .end = header->end,
                                  .compressed = header->zstd,
                                  .model = header->model,
                                  .writer = header->writer,
                                  .digest = arena_printf(&order->arena, "sha256:%s", hex),
                                  .constants = header->constant_count};
}

struct decoding {
  floe_order *order;
  const char *why; /* NULL: no error */
};

static void decode(void *data) {
  struct decoding *decoding = data;
  floe_order *order = decoding->order;
  if (order_header_decode(order->header_bytes, order->header_size, &order->arena, &order->header, &decoding->why))
    set_info(order);
}

static floe_status read_header(floe_order *order) {
  uint8_t prelude[ORDER_PRELUDE];
  struct decoding decoding = {order, NULL};
  if (fread(prelude, 1, sizeof prelude, order->stream) != sizeof prelude)
    return ferror(order->stream) ? log_truncated(order) : log_unreadable(order, "it is not an order file");
  order->header_size = order_prelude(prelude, &decoding.why);
  if (!order->header_size)
    return log_unreadable(order, decoding.why);
  order->header_bytes = mem_alloc(order->header_size);
  if (!order->header_bytes)
    return FLOE_ERROR_MEMORY;
  memcpy(order->header_bytes, prelude, sizeof prelude);
  size_t rest = order->header_size - sizeof prelude;
  if (fread(order->header_bytes + sizeof prelude, 1, rest, order->stream) != rest)
    return log_truncated(order);
  if (arena_guard(&order->arena, decode, &decoding) != 0)
    return FLOE_ERROR_MEMORY;
  return decoding.why ? log_unreadable(order, decoding.why) : FLOE_OK;
}

static floe_status open_order(floe_order *order) {
  FLOE_TRY(read_header(order));
  order->left = order->header.count;
  if (!order->header.zstd)
    return FLOE_OK;
  floe_status status = unpacker_create(order->stream, &order->unpacker);
  if (status == FLOE_ERROR_UNSUPPORTED)
    log_unreadable(order, "it is compressed, and this floe was built without libzstd");
  return status;
}

floe_status order_open_stream(FILE *stream, const char *name, floe_log *log, floe_order **out) {
  floe_order *order = mem_alloc(sizeof *order);
  if (!order) {
    fclose(stream);
    return FLOE_ERROR_MEMORY;
  }
  arena_init(&order->arena);
  order->stream = stream;
  order->log = log;
  order->name = name;
  floe_status status = open_order(order);
  if (status == FLOE_OK)
    *out = order;
  else
    floe_order_close(order);
  return status;
}

floe_status floe_order_open(const char *path, floe_log *log, floe_order **out) {
  struct utf8_shown shown;
  REQUIRE(log, path);
  REQUIRE(log, out);
  FILE *stream = fopen(path, "rb");
  if (stream)
    return order_open_stream(stream, path, log, out);
  diag_error(log, NULL, NOWHERE, NULL, "%s cannot be opened: %s", utf8_show(path, &shown), strerror(errno));
  return FLOE_ERROR_IO;
}

void floe_order_close(floe_order *order) {
  if (!order)
    return;
  unpacker_free(order->unpacker);
  fclose(order->stream);
  mem_free(order->header_bytes);
  arena_free(&order->arena);
  mem_free(order);
}

const floe_order_info *floe_order_information(const floe_order *order) { return order ? &order->info : NULL; }

floe_constant floe_order_constant(const floe_order *order, size_t i) {
  return order && i < order->header.constant_count ? order->header.constants[i] : (floe_constant){0};
}

/* ---- the keys -------------------------------------------------------------------------------- */

static size_t read_bytes(floe_order *order, uint8_t *bytes, size_t n) {
  return order->unpacker ? unpacker_read(order->unpacker, bytes, n) : fread(bytes, 1, n, order->stream);
}

static uint64_t get_word(const uint8_t *bytes, size_t n) {
  uint64_t word = 0;
  for (size_t i = 0; i < n; i++)
    word |= (uint64_t)bytes[i] << 8 * i;
  return word;
}

/* Keys of one word are stored in key_bytes bytes, others in whole words. */
static void decode_keys(const struct order_header *header, const uint8_t *bytes, size_t count, uint64_t *keys) {
  size_t words = count * header->key_words;
  size_t width = header->key_words == 1 ? header->key_bytes : sizeof(uint64_t);
  for (size_t i = 0; i < words; i++)
    keys[i] = get_word(bytes + i * width, width);
}

/* Verifies that the keys are followed by their checksum and nothing else. */
static floe_status check_end(floe_order *order) {
  uint8_t rest[ORDER_TRAILER + 1];
  size_t n =
      order->unpacker ? unpacker_rest(order->unpacker, rest, sizeof rest) : fread(rest, 1, sizeof rest, order->stream);
  if (n != ORDER_TRAILER)
    return n < ORDER_TRAILER ? log_truncated(order)
                             : log_unreadable(order, "it is damaged: it is longer than its header says");
  if (load32(rest) != order->checksum)
    return log_unreadable(order, "it is damaged: wrong checksum of the keys");
  order->checked = true;
  return FLOE_OK;
}

/* Tables take keys of one word, and rely on their width. */
static bool keys_fit(const struct order_header *header, const uint64_t *keys, size_t count) {
  uint64_t all = 0;
  if (header->key_words > 1 || header->key_bits == 64)
    return true;
  for (size_t i = 0; i < count; i++)
    all |= keys[i];
  return all >> header->key_bits == 0;
}

static floe_status read_chunk(floe_order *order, uint64_t *keys, size_t count) {
  const struct order_header *header = &order->header;
  size_t bytes = count * header->key_bytes;
  assert(count > 0 && count <= order->left && bytes / count == header->key_bytes);
  uint8_t *chunk = mem_alloc(bytes);
  if (!chunk)
    return FLOE_ERROR_MEMORY;
  floe_status status = FLOE_OK;
  if (read_bytes(order, chunk, bytes) == bytes) {
    order->checksum = order_checksum(order->checksum, chunk, bytes);
    decode_keys(header, chunk, count, keys);
    if (!keys_fit(header, keys, count))
      status = log_unreadable(order, "it is damaged: a key has more bits than its header says");
  } else {
    status = log_truncated(order);
  }
  mem_free(chunk);
  return status;
}

/* Reads in chunks, so that the memory does not depend on the request. */
floe_status floe_order_read(floe_order *order, uint64_t *keys, size_t most, size_t *count) {
  REQUIRE(NULL, order);
  if (most > 0)
    REQUIRE(order->log, keys);
  REQUIRE(order->log, count);
  const struct order_header *header = &order->header;
  size_t requested = most < order->left ? most : (size_t)order->left, done = 0;
  size_t chunk = CHUNK_BYTES / header->key_bytes + 1;
  while (done < requested) {
    size_t n = requested - done < chunk ? requested - done : chunk;
    FLOE_TRY(read_chunk(order, keys + done * header->key_words, n));
    done += n;
    order->left -= n;
  }
  if (order->left == 0 && !order->checked)
    FLOE_TRY(check_end(order));
  *count = done;
  return FLOE_OK;
}
