/* Choice of the key bits that determine the owner of a state in a distributed search
   (engine/distributed/state_owner.h). Few transitions change the chosen bits, so that most successors stay with the
   member that found them, and the members get nearly equal numbers of states. Lerda, Sisto, "Distributed-memory model
   checking with SPIN", 1999, choose the state of one process; here the bits are chosen from a sample of the search. */
#ifndef FLOE_ENGINE_DISTRIBUTED_OWNER_SAMPLING_H
#define FLOE_ENGINE_DISTRIBUTED_OWNER_SAMPLING_H

#include "core/status.h"
#include "step/layout/layout.h"

/* mask: [layout->key_words], out: the chosen bits; all bits if no smaller choice is even enough, or if the sample is
   too small. `initial`: the key of the initial state. Expands some thousand states with an interpreter, from 1 to 30
   ms. Deterministic for the same arguments. FLOE_ERROR_MEMORY, FLOE_ERROR_MODEL. */
floe_status owner_mask_choose(const struct model *model, const struct layout *layout, const uint64_t *initial,
                              unsigned size, uint64_t *mask);

#endif
