/* Generated code for the key of a successor: the state's index key plus the changes that the firing makes. */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_KEY_DELTA_H
#define FLOE_STEP_CODEGEN_CODEGEN_KEY_DELTA_H

#include "step/codegen/codegen_merge.h"
#include "step/codegen/codegen_writer.h"

/* Call before the statements of a firing and before each assignment, in this order. Without index keys they write
   nothing. */
void codegen_delta_begin(struct codegen *gen, const struct transition *transition);
void codegen_delta_assignment(struct codegen *gen, const struct statement *statement);
/* Writes the FLOE_EMIT of the firing, after its statements, which are those of `transition`, one of the body's. */
void codegen_emit(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                  const char *number);

#endif
