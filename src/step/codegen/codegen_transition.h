/* Firings in kernel C. */
#ifndef FLOE_CODEGEN_TRANSITION_H
#define FLOE_CODEGEN_TRANSITION_H

#include "step/codegen/codegen_merge.h"
#include "step/codegen/codegen_writer.h"

/* The firings of one body. `located`: where the initiator is, is known. */
void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located);

#endif
