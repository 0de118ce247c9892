/* Numbers in files: least significant byte first. */
#ifndef FLOE_BASE_LITTLE_ENDIAN_H
#define FLOE_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

/* The word with its bytes in that order. */
static inline uint64_t little_endian(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(word);
#else
  return word;
#endif
}

static inline void store64(uint8_t *bytes, uint64_t value) {
  value = little_endian(value);
  __builtin_memcpy(bytes, &value, sizeof value);
}

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t value;
  __builtin_memcpy(&value, bytes, sizeof value);
  return little_endian(value);
}

static inline void store32(uint8_t *bytes, uint32_t value) {
  for (int i = 0; i < 4; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t load32(const uint8_t *bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++)
    value |= (uint32_t)bytes[i] << 8 * i;
  return value;
}

#endif
