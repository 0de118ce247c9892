/* States in the order of discovery, with the step by which each was found first: for searches of the page, which are
   small. Not for several threads at once. */
#ifndef FLOE_CMD_EXPLORE_STATE_SET_H
#define FLOE_CMD_EXPLORE_STATE_SET_H

#include "floe.h"

struct found_state {
  floe_state *state;
  uint32_t parent, step; /* index of the state before, and of the step there; the first one is its own parent */
  uint32_t depth;
};

struct state_set {
  struct found_state *states; /* [count] */
  uint32_t *slots;            /* [slot_count] index + 1; 0: free */
  size_t count, room, slot_count;
};

enum { STATE_SET_MOST = 1 << 24 };

void state_set_free(struct state_set *set);
/* Adds a copy of the state, if it is new; *index is its number. False: no memory, or STATE_SET_MOST states. */
bool state_set_add(struct state_set *set, const floe_state *state, uint32_t parent, uint32_t step, size_t *index,
                   bool *is_new);
bool state_set_has(const struct state_set *set, const floe_state *state);

#endif
