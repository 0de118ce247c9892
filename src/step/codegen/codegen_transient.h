/* Generated code for transient states: what kernel/sequence.h needs to know about the holder. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_TRANSIENT_H
#define FLOE_STEP_CODEGEN_CODEGEN_TRANSIENT_H

#include "step/codegen/codegen_writer.h"

/* Comes after the functions of initiators. */
void codegen_transient(struct codegen *gen);

#endif
