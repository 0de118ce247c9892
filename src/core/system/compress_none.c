/* Without libzstd: files are written uncompressed, and compressed ones cannot be read. */
#include "core/system/compress.h"

bool compress_available(void) { return false; }

struct compressor *compressor_create(int level) {
  (void)level;
  return NULL;
}

void compressor_free(struct compressor *compressor) { (void)compressor; }

size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room) {
  (void)compressor, (void)from, (void)n, (void)to, (void)room;
  return 0;
}

bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size) {
  (void)compressor, (void)from, (void)n, (void)to, (void)size;
  return false;
}

floe_status packer_create(int level, struct packer **out) {
  (void)level, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

void packer_free(struct packer *packer) { (void)packer; }

bool packer_add(struct packer *packer, const void *bytes, size_t n, bool last,
                bool (*put)(void *user, const void *bytes, size_t n), void *user) {
  (void)packer, (void)bytes, (void)n, (void)last, (void)put, (void)user;
  return false;
}

floe_status unpacker_create(FILE *file, struct unpacker **out) {
  (void)file, (void)out;
  return FLOE_ERROR_UNSUPPORTED;
}

void unpacker_free(struct unpacker *unpacker) { (void)unpacker; }

size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t n) {
  (void)unpacker, (void)bytes, (void)n;
  return 0;
}

size_t unpacker_rest(struct unpacker *unpacker, void *rest, size_t n) {
  (void)unpacker, (void)rest, (void)n;
  return SIZE_MAX;
}
