/* The header of an order file, as in doc/order.md: a struct and its bytes. */
#ifndef FLOE_ORDER_FORMAT_H
#define FLOE_ORDER_FORMAT_H

#include "core/arena.h"
#include "core/digest.h"
#include "core/status.h"

#define ORDER_VERSION 1
#define ORDER_PRELUDE 16 /* bytes that tell how long the header is */
#define ORDER_LONGEST_HEADER ((size_t)1 << 20)
#define ORDER_MOST_WORDS 65536
#define ORDER_TRAILER 4 /* bytes: the keys' CRC-32 */

struct order_header {
  floe_order_kind kind;
  bool zstd, canonical, incomplete;
  floe_end end;
  uint32_t threads, key_bits, key_words, key_bytes;
  uint64_t count;
  unsigned char digest[DIGEST_BYTES];
  const char *model, *writer; /* the model's name; floe's version */
  const floe_constant *constants;
  uint32_t constant_count;
};

/* Bytes of a key: the least that hold `bits`, whole words where one word does not. */
uint32_t order_key_bytes(uint32_t bits, uint32_t words);

/* Depends on the texts alone. 0: longer than any header may be. */
size_t order_header_size(const struct order_header *header);
void order_header_encode(const struct order_header *header, uint8_t *bytes);

/* Size of the whole header, told by its first ORDER_PRELUDE bytes; 0 with *why set: it is none. */
size_t order_prelude(const uint8_t *bytes, const char **why);
/* False with *why set: the bytes are no header. Texts come from `arena`, whose guard must be
 * active. */
bool order_header_decode(const uint8_t *bytes, size_t size, struct arena *arena, struct order_header *out,
                         const char **why);

/* CRC-32 (IEEE 802.3, zlib's) of the bytes before, whose own is `before` (0: there are none), and of these n. */
uint32_t order_checksum(uint32_t before, const void *bytes, size_t n);

static inline void order_put32(uint8_t *bytes, uint32_t value) {
  for (int i = 0; i < 4; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t order_get32(const uint8_t *bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++)
    value |= (uint32_t)bytes[i] << 8 * i;
  return value;
}

#endif
