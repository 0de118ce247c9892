/* Compression of the keys of visited-order files: packing_zstd.c with libzstd, packing_none.c without it. */
#ifndef FLOE_ORDER_PACKING_H
#define FLOE_ORDER_PACKING_H

#include "core/status.h"

#include <stdio.h>

struct packer;
struct unpacker;

bool packing_available(void);

/* FLOE_ERROR_UNSUPPORTED: compiled without libzstd; FLOE_ERROR_MEMORY. */
floe_status packer_create(struct packer **out);
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
