/* Which states are whose in a group that explores together: an owner is a hash of some bits of the state
   (step/kernel/owner.h), chosen so that most transitions leave them alone, and their successors with whoever found them
   (Lerda, Sisto, "Distributed-memory model checking with SPIN", 1999, where it is the state of one process; here they
   are chosen from a sample of the search), and that shares are as good as even. */
#ifndef FLOE_OWNERS_H
#define FLOE_OWNERS_H

#include "core/status.h"
#include "step/layout.h"

#include <stdatomic.h>

/* mask: [layout->key_words], out: all bits where others would not do, or some are not known. `initial`: the key of the
   initial state. Expands some thousand states with an interpreter, from 1 to 30 ms; always the same for the same
   arguments, as long as `needless` (NULL: never) is not set meanwhile. FLOE_ERROR_MEMORY, FLOE_ERROR_MODEL. */
floe_status owners_choose(const struct model *model, const struct layout *layout, const uint64_t *initial,
                          unsigned size, const atomic_bool *needless, uint64_t *mask);

#endif
