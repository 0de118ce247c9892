/* Partition of the states of a distributed search: each state is owned by one member of the group. The owner is a hash
   of some bits of the key (step/kernel/state_owner.h), which engine/distributed/owner_sampling.h chooses. */
#ifndef FLOE_ENGINE_DISTRIBUTED_STATE_OWNER_H
#define FLOE_ENGINE_DISTRIBUTED_STATE_OWNER_H

#include "step/layout/layout.h"
#include "tables/kernel/shim.h"

#include "step/kernel/state_owner.h"

/* The same for all members. */
struct state_owner {
  const uint64_t *mask;     /* [words] bits that determine the owner; NULL: all bits */
  uint32_t words, size;     /* of a state; of the group */
  struct local_index index; /* dense numbering of each member's keys; index.members is 0 if there is none, and the owner
                               is a hash (owner_of) */
};

/* For a group of `size` members. Keys get a dense numbering if a visited set may have a bit for each of them (keys of
   one word, fewer than 2^48) and the mask has enough adjacent bits for a digit. The caller keeps `mask` alive. */
void state_owner_make(const struct layout *layout, const uint64_t *mask, unsigned size, struct state_owner *out);

static inline unsigned state_owner_of(const struct state_owner *state_owner, const uint64_t *state) {
  return state_owner->index.members ? local_index_owner(&state_owner->index, *state)
                                    : owner_of(state, state_owner->mask, state_owner->words, state_owner->size);
}

#endif
