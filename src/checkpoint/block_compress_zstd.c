#include "checkpoint/block_compress.h"

#include "core/mem.h"

#include <zstd.h>

#define LEVEL 1

struct block_compressor {
  ZSTD_CCtx *in;
  ZSTD_DCtx *out;
};

bool block_compress_available(void) { return true; }

struct block_compressor *block_compressor_create(void) {
  struct block_compressor *block_compressor = mem_alloc(sizeof *block_compressor);
  if (!block_compressor)
    return NULL;
  block_compressor->in = ZSTD_createCCtx();
  block_compressor->out = ZSTD_createDCtx();
  if (block_compressor->in && block_compressor->out)
    return block_compressor;
  block_compressor_free(block_compressor);
  return NULL;
}

void block_compressor_free(struct block_compressor *block_compressor) {
  if (block_compressor) {
    ZSTD_freeCCtx(block_compressor->in);
    ZSTD_freeDCtx(block_compressor->out);
  }
  mem_free(block_compressor);
}

size_t block_compress(struct block_compressor *block_compressor, const void *bytes, size_t n, void *to, size_t most) {
  size_t length = ZSTD_compressCCtx(block_compressor->in, to, most, bytes, n, LEVEL);
  return ZSTD_isError(length) ? 0 : length;
}

bool block_decompress(struct block_compressor *block_compressor, const void *bytes, size_t length, void *to, size_t n) {
  return ZSTD_decompressDCtx(block_compressor->out, to, n, bytes, length) == n;
}
