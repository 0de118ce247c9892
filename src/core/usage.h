/* Checks of the arguments of public functions; floe_common.h states the rule. */
#ifndef FLOE_CORE_USAGE_H
#define FLOE_CORE_USAGE_H

#include "core/status.h"

/* Logs (NULL: nowhere) which argument of which function is NULL. FLOE_ERROR_USAGE. */
floe_status usage_null(floe_log *log, const char *function, const char *argument);

/* In a function that returns a status: requires `argument`, a pointer, to be not NULL. */
#define REQUIRE(log, argument)                                                                                         \
  do {                                                                                                                 \
    if (!(argument))                                                                                                   \
      return usage_null(log, __func__, #argument);                                                                     \
  } while (0)

#endif
