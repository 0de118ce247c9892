/* SHA-256 (FIPS 180-4): names and checks the files of the compile cache. */
#ifndef FLOE_SHA256_H
#define FLOE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_HEX (2 * SHA256_BYTES + 1) /* with the final NUL */

struct sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes so far */
  unsigned char block[64];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* Adds the string with its final NUL, so that neighbours cannot be mixed up. */
void sha256_add_string(struct sha256 *hash, const char *string);
void sha256_finish(struct sha256 *hash, unsigned char digest[SHA256_BYTES]);
void sha256_hex(const unsigned char digest[SHA256_BYTES], char hex[SHA256_HEX]);

#endif
