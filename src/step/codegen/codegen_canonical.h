/* Canonical form of a state in generated code: the tables of the layout (step/layout/canonical.h) and the text
   step/kernel/canonical.h. Defines floe_canonical(words). */
#ifndef FLOE_STEP_CODEGEN_CODEGEN_CANONICAL_H
#define FLOE_STEP_CODEGEN_CODEGEN_CANONICAL_H

#include "step/codegen/codegen_writer.h"

/* For a layout with canonical forms. */
void codegen_canonical(struct codegen *gen);

#endif
