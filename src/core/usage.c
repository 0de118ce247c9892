#include "core/usage.h"

#include "core/diag.h"

floe_status usage_null(floe_log *log, const char *function, const char *argument) {
  diag_error(log, NULL, NOWHERE, NULL, "%s: %s is NULL", function, argument);
  return FLOE_ERROR_USAGE;
}
