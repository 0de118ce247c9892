/* Compression of one block of bytes at a time: compress_zstd.c with libzstd, compress_none.c without it. */
#ifndef FLOE_CORE_SYSTEM_COMPRESS_H
#define FLOE_CORE_SYSTEM_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct compressor; /* used by one thread */

/* NULL: no memory, or built without compression. Levels are zstd's; fast ones are negative. */
struct compressor *compressor_create(int level);
void compressor_free(struct compressor *compressor); /* NULL is allowed */
/* Upper bound of the memory of one compressor for blocks of n bytes, beyond what mem.h counts. 0: no compression. */
size_t compressor_bytes(size_t n);

/* Returns the number of bytes at `to`; 0: more than `room`, or no memory. */
size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room);
/* False: the data are damaged, or do not have `size` bytes. */
bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size);

#endif
