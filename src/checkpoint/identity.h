/* Digest of a model: checkpoints fit models with an equal digest. */
#ifndef FLOE_CHECKPOINT_IDENTITY_H
#define FLOE_CHECKPOINT_IDENTITY_H

#include "core/system/digest.h"
#include "step/layout/layout.h"

/* SHA-256 of everything in the ground model that affects states, transitions and verdicts: variables with ranges,
   initial values and positions in the packed state, transitions in their order, properties with their names, error
   sites; of a product also which cycles are accepting, and the fairness. It excludes names, comments, source positions
   and descriptions, so that rewriting a model without changing it keeps the digest. */
void checkpoint_identity(const struct model *model, const struct layout *layout, unsigned char digest[DIGEST_BYTES]);

#endif
