/* The key of a successor in kernel C: what its firing changes of the state's key by rank. */
#ifndef FLOE_CODEGEN_DELTA_H
#define FLOE_CODEGEN_DELTA_H

#include "step/codegen/codegen_merge.h"
#include "step/codegen/codegen_writer.h"

/* In this order: before the statements of a firing; before each assignment; after them. Without keys by rank the first
   two write nothing. */
void codegen_changes(struct codegen *gen, const struct transition *transition);
void codegen_keep_index(struct codegen *gen, const struct statement *statement);
/* FLOE_EMIT of the firing, whose statements are those of `transition`, one of the body's. */
void codegen_emit(struct codegen *gen, const struct codegen_body *body, const struct transition *transition,
                  const char *number);

#endif
