/* Without libzstd: states of several words are written uncompressed, and compressed ones cannot be read. */
#include "checkpoint/block_compress.h"

bool block_compress_available(void) { return false; }

struct block_compressor *block_compressor_create(void) {
  return NULL;
}

void block_compressor_free(struct block_compressor *block_compressor) { (void)block_compressor; }

size_t block_compress(struct block_compressor *block_compressor, const void *bytes, size_t n, void *to, size_t most) {
  (void)block_compressor, (void)bytes, (void)n, (void)to, (void)most;
  return 0;
}

bool block_decompress(struct block_compressor *block_compressor, const void *bytes, size_t length, void *to, size_t n) {
  (void)block_compressor, (void)bytes, (void)length, (void)to, (void)n;
  return false;
}
