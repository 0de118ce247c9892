/* The status type of every function that can fail. */
#ifndef FLOE_CORE_STATUS_H
#define FLOE_CORE_STATUS_H

#include "floe_common.h"

/* Status values are floe_status (floe_common.h). Outputs of a function are set only when it returns FLOE_OK. */

#define FLOE_TRY(call)                                                                                                 \
  do {                                                                                                                 \
    floe_status try_status_ = (call);                                                                                  \
    if (try_status_ != FLOE_OK)                                                                                        \
      return try_status_;                                                                                              \
  } while (0)

#endif
