/* Generated code for the packed state. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_STATE_H
#define FLOE_STEP_CODEGEN_CODEGEN_STATE_H

#include "step/codegen/codegen_writer.h"

/* Sets gen->accessors: the names by which variables are read and written. */
void codegen_make_accessors(struct codegen *gen);
/* Writes the type, and the functions that read and write its variables. */
void codegen_state(struct codegen *gen);
/* The type alone. */
void codegen_state_type(struct codegen *gen);

#endif
