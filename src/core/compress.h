/* Compression of one block of bytes at a time: compress_zstd.c with libzstd, compress_none.c without it. */
#ifndef FLOE_COMPRESS_H
#define FLOE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct compressor; /* of one thread */

/* NULL: no memory, or there is no compression. A level as zstd has them; fast ones are negative. */
struct compressor *compressor_create(int level);
void compressor_free(struct compressor *compressor); /* NULL is allowed */
/* Memory that one takes beside what mem.h counts, for blocks of n bytes: not less than that. 0: there is no
 * compression. */
size_t compressor_bytes(size_t n);

/* Bytes at `to` then; 0: they would be more than `room`, or memory ended. */
size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room);
/* False: it is damaged, or does not come to `size` bytes. */
bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size);

#endif
