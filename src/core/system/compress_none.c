/* Without libzstd: data are stored uncompressed. */
#include "core/system/compress.h"

struct compressor *compressor_create(int level) {
  (void)level;
  return NULL;
}

void compressor_free(struct compressor *compressor) { (void)compressor; }

size_t compressor_bytes(size_t n) {
  (void)n;
  return 0;
}

size_t compressor_pack(struct compressor *compressor, const void *from, size_t n, void *to, size_t room) {
  (void)compressor, (void)from, (void)n, (void)to, (void)room;
  return 0;
}

bool compressor_unpack(struct compressor *compressor, const void *from, size_t n, void *to, size_t size) {
  (void)compressor, (void)from, (void)n, (void)to, (void)size;
  return false;
}
