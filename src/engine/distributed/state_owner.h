/* Which states are whose in a group that explores together: an owner is a hash of some bits of the state
   (step/kernel/state_owner.h), chosen so that most transitions leave them alone, and their successors with whoever found them
   (Lerda, Sisto, "Distributed-memory model checking with SPIN", 1999, where it is the state of one process; here they
   are chosen from a sample of the search), and that shares are as good as even. */
#ifndef FLOE_OWNERS_H
#define FLOE_OWNERS_H

#include "core/status.h"
#include "step/layout/layout.h"
#include "tables/kernel/shim.h"

#include "step/kernel/state_owner.h"

#include <stdatomic.h>

/* mask: [layout->key_words], out: all bits where others would not do, or some are not known. `initial`: the key of the
   initial state. Expands some thousand states with an interpreter, from 1 to 30 ms; always the same for the same
   arguments, as long as `needless` (NULL: never) is not set meanwhile. FLOE_ERROR_MEMORY, FLOE_ERROR_MODEL. */
floe_status state_owner_choose(const struct model *model, const struct layout *layout, const uint64_t *initial,
                          unsigned size, const atomic_bool *needless, uint64_t *mask);

/* Whose a state is, the same for all members. */
struct state_owner {
  const uint64_t *mask;     /* [words] these bits say it; NULL: all do */
  uint32_t words, size;     /* of a state, of the group */
  struct local_index shares; /* how keys are dealt out by them; without members: by a hash (owner_of) */
};

/* Of a group of `size` members. Keys are dealt out in shares where a set may have a place for each (of one word, below
   2^48), so that a member's own have numbers without gaps, and there are enough bits side by side for a digit. The mask
   is the caller's. */
void state_owner_make(const struct layout *layout, const uint64_t *mask, unsigned size, struct state_owner *out);

static inline unsigned state_owner_of(const struct state_owner *state_owner, const uint64_t *state) {
  return state_owner->shares.members ? local_index_owner(&state_owner->shares, *state)
                                : owner_of(state, state_owner->mask, state_owner->words, state_owner->size);
}

#endif
