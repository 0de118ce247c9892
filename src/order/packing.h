/* Compression of the keys of order files. packing_zstd.c with libzstd, packing_none.c without it. */
#ifndef FLOE_ORDER_PACKING_H
#define FLOE_ORDER_PACKING_H

#include "core/status.h"

#include <stdio.h>

struct packer;
struct unpacker;

bool packing_available(void);

/* FLOE_ERROR_UNSUPPORTED: there is no compression; FLOE_ERROR_MEMORY. */
floe_status packer_create(struct packer **out);
void packer_free(struct packer *packer); /* NULL is allowed */
/* Compresses n bytes, and with `last` ends the data; hands what comes out to `put`. False when
   `put` says so, or, with errno ENOMEM, when memory ends. */
bool packer_add(struct packer *packer, const void *bytes, size_t n, bool last,
                bool (*put)(void *user, const void *bytes, size_t n), void *user);

floe_status unpacker_create(FILE *file, struct unpacker **out);
void unpacker_free(struct unpacker *unpacker); /* NULL is allowed */
/* Reads up to n bytes of what was compressed, fewer only where it ends or is damaged. */
size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t n);
/* The compressed data has ended as it should. What the file holds after it, up to n bytes, is
   copied to `rest`; returns how many there are. SIZE_MAX: the data has not ended, or is damaged. */
size_t unpacker_rest(struct unpacker *unpacker, void *rest, size_t n);

#endif
