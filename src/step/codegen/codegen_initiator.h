/* Generated code for the transitions of one initiator. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_INITIATOR_H
#define FLOE_STEP_CODEGEN_CODEGEN_INITIATOR_H

#include "step/codegen/codegen_writer.h"

/* `located`: all transitions test their initiator's location, and it has several. */
void codegen_initiator(struct codegen *gen, const struct initiator_transitions *initiator, bool located);

#endif
