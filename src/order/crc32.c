/* Eight bytes at a time: M. E. Kounavis, F. L. Berry: "A Systematic Approach to Building High
   Performance Software-based CRC Generators", 2005 (slicing by 8). */
#include "order/crc32.h"

#include <string.h>

#define POLYNOMIAL 0xedb88320u

void crc32_init(struct crc32 *crc) {
  crc->value = 0;
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1 ? POLYNOMIAL : 0);
    crc->table[0][byte] = rest;
  }
  for (uint32_t byte = 0; byte < 256; byte++)
    for (int slice = 1; slice < CRC32_SLICES; slice++) {
      uint32_t before = crc->table[slice - 1][byte];
      crc->table[slice][byte] = before >> 8 ^ crc->table[0][before & 0xff];
    }
}

static uint32_t load32(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t add_eight(const struct crc32 *crc, uint32_t rest, const uint8_t *bytes) {
  uint32_t low = rest ^ load32(bytes), high = load32(bytes + 4);
  uint32_t sum = 0;
  for (int i = 0; i < 4; i++) {
    sum ^= crc->table[7 - i][low >> 8 * i & 0xff];
    sum ^= crc->table[3 - i][high >> 8 * i & 0xff];
  }
  return sum;
}

void crc32_add(struct crc32 *crc, const void *bytes, size_t n) {
  const uint8_t *at = bytes;
  uint32_t rest = ~crc->value;
  for (; n >= 8; n -= 8, at += 8)
    rest = add_eight(crc, rest, at);
  for (; n > 0; n--, at++)
    rest = rest >> 8 ^ crc->table[0][(rest ^ *at) & 0xff];
  crc->value = ~rest;
}
