/* General compression of the bytes of a block: block_compress_zstd.c with libzstd, block_compress_none.c without it. */
#ifndef FLOE_CHECKPOINT_SHRINK_H
#define FLOE_CHECKPOINT_SHRINK_H

#include <stdbool.h>
#include <stddef.h>

struct shrinker; /* of one thread */
bool shrink_available(void);
struct shrinker *shrinker_create(void);        /* NULL: no memory, or not available */
void shrinker_free(struct shrinker *shrinker); /* NULL is allowed */
/* Bytes written to `to`; 0: they do not fit into `most`. */
size_t shrink(struct shrinker *shrinker, const void *bytes, size_t n, void *to, size_t most);
/* False: the bytes are not what n bytes became. */
bool unshrink(struct shrinker *shrinker, const void *bytes, size_t length, void *to, size_t n);

#endif
