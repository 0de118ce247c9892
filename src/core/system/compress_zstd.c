#include "core/system/compress.h"

#include "core/mem.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

#define ROOM ((size_t)128 << 10) /* bytes that a stream passes on at once */

bool compress_available(void) { return true; }

/* ---- blocks ---------------------------------------------------------------------------------- */

struct compressor {
  ZSTD_CCtx *in;
  ZSTD_DCtx *out;
  int level;
};

struct compressor *compressor_create(int level) {
  struct compressor *compressor = mem_alloc(sizeof *compressor);
  if (!compressor)
    return NULL;
  *compressor = (struct compressor){.in = ZSTD_createCCtx(), .out = ZSTD_createDCtx(), .level = level};
  if (compressor->in && compressor->out)
    return compressor;
  compressor_free(compressor);
  return NULL;
}

void compressor_free(struct compressor *compressor) {
  if (!compressor)
    return;
  ZSTD_freeCCtx(compressor->in);
  ZSTD_freeDCtx(compressor->out);
  mem_free(compressor);
}

size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room) {
  size_t packed = ZSTD_compressCCtx(compressor->in, to, room, from, n, compressor->level);
  return ZSTD_isError(packed) ? 0 : packed;
}

bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size) {
  return ZSTD_decompressDCtx(compressor->out, to, size, from, n) == size; /* error codes differ from every size */
}

/* ---- compression of streams ------------------------------------------------------------------ */

struct packer {
  ZSTD_CCtx *context;
  char out[ROOM];
};

floe_status packer_create(int level, struct packer **out) {
  struct packer *packer = mem_alloc(sizeof *packer);
  if (packer)
    packer->context = ZSTD_createCCtx();
  if (!packer || !packer->context) {
    mem_free(packer);
    return FLOE_ERROR_MEMORY;
  }
  ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level);
  *out = packer;
  return FLOE_OK;
}

void packer_free(struct packer *packer) {
  if (packer)
    ZSTD_freeCCtx(packer->context);
  mem_free(packer);
}

bool packer_add(struct packer *packer, const void *bytes, size_t n, bool last,
                bool (*put)(void *user, const void *bytes, size_t n), void *user) {
  ZSTD_inBuffer in = {bytes, n, 0};
  for (;;) {
    ZSTD_outBuffer out = {packer->out, sizeof packer->out, 0};
    size_t left = ZSTD_compressStream2(packer->context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      errno = ENOMEM;
      return false;
    }
    if (out.pos > 0 && !put(user, packer->out, out.pos))
      return false;
    if (last ? left == 0 : in.pos == in.size)
      return true;
  }
}

/* ---- decompression of streams ---------------------------------------------------------------- */

struct unpacker {
  ZSTD_DCtx *context;
  FILE *file;
  ZSTD_inBuffer in;
  bool ended, damaged;
  char bytes[ROOM];
};

floe_status unpacker_create(FILE *file, struct unpacker **out) {
  struct unpacker *unpacker = mem_alloc(sizeof *unpacker);
  if (unpacker)
    unpacker->context = ZSTD_createDCtx();
  if (!unpacker || !unpacker->context) {
    mem_free(unpacker);
    return FLOE_ERROR_MEMORY;
  }
  unpacker->file = file;
  unpacker->in.src = unpacker->bytes;
  *out = unpacker;
  return FLOE_OK;
}

void unpacker_free(struct unpacker *unpacker) {
  if (unpacker)
    ZSTD_freeDCtx(unpacker->context);
  mem_free(unpacker);
}

static bool refill(struct unpacker *unpacker) {
  if (unpacker->in.pos < unpacker->in.size)
    return true;
  unpacker->in.size = fread(unpacker->bytes, 1, sizeof unpacker->bytes, unpacker->file);
  unpacker->in.pos = 0;
  return unpacker->in.size > 0;
}

/* False: no more data. */
static bool unpack_some(struct unpacker *unpacker, ZSTD_outBuffer *out) {
  if (unpacker->ended || unpacker->damaged)
    return false;
  if (!refill(unpacker)) {
    unpacker->damaged = true;
    return false;
  }
  size_t left = ZSTD_decompressStream(unpacker->context, out, &unpacker->in);
  unpacker->damaged = ZSTD_isError(left);
  unpacker->ended = left == 0;
  return !unpacker->damaged;
}

size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t n) {
  ZSTD_outBuffer out = {bytes, n, 0};
  while (out.pos < out.size && unpack_some(unpacker, &out))
    ;
  return out.pos;
}

size_t unpacker_rest(struct unpacker *unpacker, void *rest, size_t n) {
  char nothing;
  ZSTD_outBuffer out = {&nothing, 0, 0};
  while (!unpacker->ended && unpack_some(unpacker, &out))
    if (unpacker->in.pos < unpacker->in.size && !unpacker->ended)
      break; /* more data than expected */
  if (!unpacker->ended)
    return SIZE_MAX;
  size_t buffered = unpacker->in.size - unpacker->in.pos;
  buffered = buffered < n ? buffered : n;
  memcpy(rest, unpacker->bytes + unpacker->in.pos, buffered);
  return buffered + fread((char *)rest + buffered, 1, n - buffered, unpacker->file);
}
