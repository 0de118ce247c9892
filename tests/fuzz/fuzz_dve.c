/* libFuzzer harness: the bytes through the complete front end of DVE, from text to the ground model. */
#include "tests/dve/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!dve_read((const char *)data, size, NULL))
    abort();
  return 0;
}
