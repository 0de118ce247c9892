/* Compression by zstd, of blocks and of streams: compress_zstd.c with libzstd, compress_none.c without it. Levels are
   zstd's; fast ones are negative. Every object is used by one thread. */
#ifndef FLOE_CORE_SYSTEM_COMPRESS_H
#define FLOE_CORE_SYSTEM_COMPRESS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* False: built without libzstd. */
bool compress_available(void);

/* ---- one block of bytes at a time ------------------------------------------------------------ */

struct compressor;

struct compressor *compressor_create(int level);     /* NULL: no memory, or not available */
void compressor_free(struct compressor *compressor); /* NULL is allowed */

/* Upper bound of the memory of one compressor for blocks of n bytes, beyond what mem.h counts. Measured for levels up
   to 1 with libzstd 1.5.4: 181 kB for blocks of 32 KiB, 583 kB from 256 KiB on; to read, 96 kB. */
static inline size_t compressor_bytes(size_t n) {
  const size_t most = (size_t)600 << 10, least = (size_t)150 << 10;
  return ((size_t)100 << 10) + (least + 4 * n < most ? least + 4 * n : most);
}

/* Returns the number of bytes at `to`; 0: more than `room`, or no memory. */
size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room);
/* False: the data are damaged, or do not have `size` bytes. */
bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size);

/* ---- streams --------------------------------------------------------------------------------- */

struct packer;
struct unpacker;

/* FLOE_ERROR_UNSUPPORTED: not available; FLOE_ERROR_MEMORY. */
floe_status packer_create(int level, struct packer **out);
void packer_free(struct packer *packer); /* NULL is allowed */
/* Compresses n bytes, and with `last` ends the data; passes the output to `put`. False if `put` returns false, or,
   with errno ENOMEM, without memory. */
bool packer_add(struct packer *packer, const void *bytes, size_t n, bool last,
                bool (*put)(void *user, const void *bytes, size_t n), void *user);

floe_status unpacker_create(FILE *file, struct unpacker **out);
void unpacker_free(struct unpacker *unpacker); /* NULL is allowed */
/* Decompresses up to n bytes, fewer only at the end or if the data is damaged. */
size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t n);
/* Copies up to n bytes that follow the end of the compressed data to `rest`; returns their number. SIZE_MAX: the
   data has not ended, or is damaged. */
size_t unpacker_rest(struct unpacker *unpacker, void *rest, size_t n);

#endif
