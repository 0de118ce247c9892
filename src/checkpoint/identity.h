/* What makes two models the same to a checkpoint. */
#ifndef FLOE_CHECKPOINT_IDENTITY_H
#define FLOE_CHECKPOINT_IDENTITY_H

#include "core/digest.h"
#include "step/layout/layout.h"

/* SHA-256 of all of the ground model that has a part in states, transitions and verdicts: variables with ranges,
   initial values and places in the packed state, transitions in their order, properties with their names, error sites.
   Not of names, comments, places in the text, descriptions: a model that was only written differently stays the
   same. */
void checkpoint_identity(const struct model *model, const struct layout *layout, unsigned char digest[DIGEST_BYTES]);

#endif
