#include "core/system/digest.h"

#include <string.h>

void digest_init(struct digest *digest) { sha256_init(&digest->sha256); }

void digest_add(struct digest *digest, const void *bytes, size_t length) {
  sha256_update(&digest->sha256, length, bytes);
}

void digest_add_string(struct digest *digest, const char *string) { digest_add(digest, string, strlen(string) + 1); }

void digest_finish(struct digest *digest, unsigned char bytes[DIGEST_BYTES]) {
  sha256_digest(&digest->sha256, DIGEST_BYTES, bytes);
}

void digest_hex(const unsigned char bytes[DIGEST_BYTES], char hex[DIGEST_HEX]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < DIGEST_BYTES; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  hex[2 * DIGEST_BYTES] = '\0';
}
