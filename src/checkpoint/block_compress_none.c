/* No libzstd: states of several words are written as they are, and compressed ones cannot be read. */
#include "checkpoint/block_compress.h"

bool shrink_available(void) { return false; }

struct shrinker *shrinker_create(void) {
  return NULL;
}

void shrinker_free(struct shrinker *shrinker) { (void)shrinker; }

size_t shrink(struct shrinker *shrinker, const void *bytes, size_t n, void *to, size_t most) {
  (void)shrinker, (void)bytes, (void)n, (void)to, (void)most;
  return 0;
}

bool unshrink(struct shrinker *shrinker, const void *bytes, size_t length, void *to, size_t n) {
  (void)shrinker, (void)bytes, (void)length, (void)to, (void)n;
  return false;
}
