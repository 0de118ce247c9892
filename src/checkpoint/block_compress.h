/* General-purpose compression of the bytes of a block: block_compress_zstd.c with libzstd, block_compress_none.c
   without it. */
#ifndef FLOE_CHECKPOINT_BLOCK_COMPRESS_H
#define FLOE_CHECKPOINT_BLOCK_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct block_compressor; /* used by one thread */
bool block_compress_available(void);
struct block_compressor *block_compressor_create(void);                /* NULL: no memory, or not available */
void block_compressor_free(struct block_compressor *block_compressor); /* NULL is allowed */
/* Returns the bytes written to `to`; 0: they do not fit into `most`. */
size_t block_compress(struct block_compressor *block_compressor, const void *bytes, size_t n, void *to, size_t most);
/* False: the bytes are not n compressed bytes. */
bool block_decompress(struct block_compressor *block_compressor, const void *bytes, size_t length, void *to, size_t n);

#endif
