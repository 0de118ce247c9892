/* The transitions of one initiator in kernel C. */
#ifndef FLOE_CODEGEN_GROUP_H
#define FLOE_CODEGEN_GROUP_H

#include "step/codegen_writer.h"

/* Transitions first..end-1, which are of one initiator. `located`: all test its location, and it has
   several. */
void codegen_group(struct codegen *gen, size_t first, size_t end, bool located);

#endif
