/* SHA-256 (FIPS 180-4) by nettle: names and checks the files of the code cache, and identifies models. */
#ifndef FLOE_CORE_SYSTEM_DIGEST_H
#define FLOE_CORE_SYSTEM_DIGEST_H

#include <nettle/sha2.h>
#include <stddef.h>

#define DIGEST_BYTES SHA256_DIGEST_SIZE
#define DIGEST_HEX (2 * DIGEST_BYTES + 1) /* with the final NUL */

struct digest {
  struct sha256_ctx sha256;
};

void digest_init(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t length);
/* Adds the string with its final NUL, so that adjacent strings are separated. */
void digest_add_string(struct digest *digest, const char *string);
/* Ends the digest; digest_init starts another one. */
void digest_finish(struct digest *digest, unsigned char bytes[DIGEST_BYTES]);
void digest_hex(const unsigned char bytes[DIGEST_BYTES], char hex[DIGEST_HEX]);

#endif
