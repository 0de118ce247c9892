#include "checkpoint/block_compress.h"

#include "core/mem.h"

#include <zstd.h>

#define LEVEL 1

struct shrinker {
  ZSTD_CCtx *in;
  ZSTD_DCtx *out;
};

bool shrink_available(void) { return true; }

struct shrinker *shrinker_create(void) {
  struct shrinker *shrinker = mem_alloc(sizeof *shrinker);
  if (!shrinker)
    return NULL;
  shrinker->in = ZSTD_createCCtx();
  shrinker->out = ZSTD_createDCtx();
  if (shrinker->in && shrinker->out)
    return shrinker;
  shrinker_free(shrinker);
  return NULL;
}

void shrinker_free(struct shrinker *shrinker) {
  if (shrinker) {
    ZSTD_freeCCtx(shrinker->in);
    ZSTD_freeDCtx(shrinker->out);
  }
  mem_free(shrinker);
}

size_t shrink(struct shrinker *shrinker, const void *bytes, size_t n, void *to, size_t most) {
  size_t length = ZSTD_compressCCtx(shrinker->in, to, most, bytes, n, LEVEL);
  return ZSTD_isError(length) ? 0 : length;
}

bool unshrink(struct shrinker *shrinker, const void *bytes, size_t length, void *to, size_t n) {
  return ZSTD_decompressDCtx(shrinker->out, to, n, bytes, length) == n;
}
