/* Header of a visited-order file (doc/order.md): struct and serialisation. */
#ifndef FLOE_ORDER_FORMAT_H
#define FLOE_ORDER_FORMAT_H

#include "base/little_endian.h"
#include "core/arena.h"
#include "core/status.h"
#include "core/system/digest.h"
#include "floe.h"

#define ORDER_VERSION 1
#define ORDER_PRELUDE 16 /* first bytes, which contain the length of the header */
#define ORDER_LONGEST_HEADER ((size_t)1 << 20)
#define ORDER_MOST_WORDS 65536
#define ORDER_TRAILER 4 /* bytes: CRC-32 of the keys */

struct order_header {
  floe_order_kind kind;
  bool zstd, canonical, incomplete;
  floe_end end;
  uint32_t threads, key_bits, key_words, key_bytes;
  uint64_t count;
  unsigned char digest[DIGEST_BYTES];
  const char *model, *writer; /* name of the model; version of floe */
  const floe_constant *constants;
  uint32_t constant_count;
};

/* Bytes of a key: the least that hold `bits`; of a key of several words all words. */
uint32_t order_key_bytes(uint32_t bits, uint32_t words);

/* Depends only on the texts. 0: longer than ORDER_LONGEST_HEADER. */
size_t order_header_size(const struct order_header *header);
void order_header_encode(const struct order_header *header, uint8_t *bytes);

/* Size of the whole header, from its first ORDER_PRELUDE bytes; 0 with *why set: it is not a header. */
size_t order_prelude(const uint8_t *bytes, const char **why);
/* False with *why set: the bytes are not a header. Texts are allocated in `arena`, whose guard must be active. */
bool order_header_decode(const uint8_t *bytes, size_t size, struct arena *arena, struct order_header *out,
                         const char **why);

/* CRC-32 (IEEE 802.3, as in zlib) of earlier bytes, whose own is `before` (0: none), followed by these n. */
uint32_t order_checksum(uint32_t before, const void *bytes, size_t n);

#endif
