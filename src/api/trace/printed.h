/* What a step prints. */
#ifndef FLOE_API_TRACE_PRINTED_H
#define FLOE_API_TRACE_PRINTED_H

#include "model/model.h"

/* "" if it prints nothing. `values`: the state before the step. Memory from `arena`, whose guard is active. */
const char *printed_text(const struct model *model, const struct transition *transition, const int64_t *values,
                         struct arena *arena);

#endif
