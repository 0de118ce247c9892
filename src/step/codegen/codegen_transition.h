/* Generated code for firings. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_TRANSITION_H
#define FLOE_STEP_CODEGEN_CODEGEN_TRANSITION_H

#include "step/codegen/codegen_merge.h"
#include "step/codegen/codegen_writer.h"

/* Writes the firings of one body. `located`: the code runs only at the initiator's location. */
void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located);

#endif
