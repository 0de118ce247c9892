/* The transitions of a group, which have one initiator, in kernel C. */
#ifndef FLOE_CODEGEN_GROUP_H
#define FLOE_CODEGEN_GROUP_H

#include "step/codegen/codegen_writer.h"

/* `located`: all test their initiator's location, and it has several. */
void codegen_group(struct codegen *gen, const struct transition_group *group, bool located);

#endif
