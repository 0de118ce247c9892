/* Generated code for firings. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_TRANSITION_H
#define FLOE_STEP_CODEGEN_CODEGEN_TRANSITION_H

#include "step/codegen/codegen_merge.h"
#include "step/codegen/codegen_writer.h"

/* Writes the firings of one body. `located`: the code runs only at the initiator's location. */
void codegen_firings(struct codegen *gen, const struct codegen_body *body, bool located);
/* Writes statements that return 1 if the transition fires in the state `s`, with or without an error. It need not be
   one of gen->model. */
void codegen_fires(struct codegen *gen, const struct transition *transition);

#endif
