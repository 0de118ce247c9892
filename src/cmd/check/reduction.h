/* floe check --reduce: the model is reduced for the properties that are checked. */
#ifndef FLOE_CMD_CHECK_REDUCTION_H
#define FLOE_CMD_CHECK_REDUCTION_H

#include "cmd/session.h"

/* False: another option cannot be combined with it; the error is printed. */
bool check_reduction_options(const struct options *options);
/* After session_check. Returns as functions of a session do; without --reduce it does nothing. */
int reduce_for_check(struct session *session, const struct options *options);

#endif
