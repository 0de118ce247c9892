/* Size of generated code, as a measure of the time to compile it and of the instructions that it executes. */
#ifndef FLOE_STEP_CODEGEN_CODE_SIZE_H
#define FLOE_STEP_CODEGEN_CODE_SIZE_H

#include "core/status.h"

#include <stdint.h>

/* Number of operators in floe_successors and floe_properties of a text of codegen_text, with the operators of a
   function counted at each call, as a GPU's compiler inlines all functions; saturates. FLOE_ERROR_MEMORY. */
floe_status code_operators(const char *text, uint64_t *out);

#endif
