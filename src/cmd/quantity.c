#include "cmd/quantity.h"

#include <stdio.h>

const char *byte_text(uint64_t bytes, char out[QUANTITY]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)bytes;
  int unit = 0;
  while (value >= 1024) {
    value /= 1024;
    unit++;
  }
  snprintf(out, QUANTITY, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return out;
}
