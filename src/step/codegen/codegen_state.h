/* The packed state in kernel C. */
#ifndef FLOE_CODEGEN_STATE_H
#define FLOE_CODEGEN_STATE_H

#include "step/codegen/codegen_writer.h"

/* The names by which variables are read and written: gen->accessors. */
void codegen_make_accessors(struct codegen *gen);
/* The type, and what reads and writes it. */
void codegen_state(struct codegen *gen);

#endif
