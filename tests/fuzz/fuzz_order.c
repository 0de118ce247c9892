/* libFuzzer harness: the bytes as an order file. Checksums would reject every change, so that of
   the header is corrected first. */
#include "core/mem.h"
#include "order/format.h"
#include "order/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_right(uint8_t *bytes, size_t size) {
  const char *why;
  if (size < ORDER_PRELUDE)
    return;
  size_t header = order_prelude(bytes, &why);
  if (!header || header > size)
    return;
  store32(bytes + header - 4, order_checksum(0, bytes, header - 4));
}

/* False: rejected. */
static bool read_all(floe_order *order) {
  enum { WORDS = 70000 };
  const floe_order_info *info = floe_order_information(order);
  uint64_t *keys = mem_array(WORDS, sizeof *keys);
  size_t most = WORDS / info->key_words, n = 1;
  floe_status status = FLOE_OK;
  uint64_t total = 0;
  while (status == FLOE_OK && n > 0) {
    status = floe_order_read(order, keys, most, &n);
    total += status == FLOE_OK ? n : 0;
  }
  mem_free(keys);
  if (status == FLOE_OK && total != info->count)
    abort();
  for (size_t i = 0; i < info->constants; i++)
    if (strlen(floe_order_constant(order, i).name) > 65535)
      abort();
  return status == FLOE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  floe_log *log;
  floe_order *order;
  if (size == 0)
    return 0;
  uint8_t *bytes = malloc(size);
  memcpy(bytes, data, size);
  make_right(bytes, size);
  FILE *stream = fmemopen(bytes, size, "rb");
  if (!stream || floe_log_create(&log) != FLOE_OK)
    abort();
  bool sound = order_open_stream(stream, "fuzz", log, &order) == FLOE_OK;
  if (sound) {
    sound = read_all(order);
    floe_order_close(order);
  }
  if (sound != (floe_log_errors(log) == 0)) /* exactly the failures are logged */
    abort();
  floe_log_free(log);
  free(bytes);
  if (mem_live() != 0)
    abort();
  return 0;
}
