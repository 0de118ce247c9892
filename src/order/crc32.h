/* CRC-32 of IEEE 802.3 (polynomial 0xedb88320, reflected), as zlib has it: the checksums of order
 * files. */
#ifndef FLOE_CRC32_H
#define FLOE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define CRC32_SLICES 8

struct crc32 {
  uint32_t value; /* of the bytes so far; 0 before the first */
  uint32_t table[CRC32_SLICES][256];
};

void crc32_init(struct crc32 *crc);
void crc32_add(struct crc32 *crc, const void *bytes, size_t n);

#endif
