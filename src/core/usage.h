/* What public functions do with arguments that make no sense; floe_common.h states the rule. */
#ifndef FLOE_USAGE_H
#define FLOE_USAGE_H

#include "core/status.h"

/* Says in `log` (NULL: nowhere) which argument of which function is NULL. FLOE_ERROR_USAGE. */
floe_status usage_null(floe_log *log, const char *function, const char *argument);

/* In a function that returns a status: `argument`, a pointer, is not NULL. */
#define WANT(log, argument)                                                                                            \
  do {                                                                                                                 \
    if (!(argument))                                                                                                   \
      return usage_null(log, __func__, #argument);                                                                     \
  } while (0)

#endif
