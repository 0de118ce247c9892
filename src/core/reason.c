#include "core/reason.h"

#include <stdarg.h>
#include <stdio.h>

void reason_set(struct reason *reason, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(reason->text, sizeof reason->text, format, args);
  va_end(args);
}
