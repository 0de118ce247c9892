#include "cmd/explore/state_set.h"

#include <stdlib.h>

void state_set_free(struct state_set *set) {
  for (size_t i = 0; i < set->count; i++)
    floe_state_free(set->states[i].state);
  free(set->states);
  free(set->slots);
  *set = (struct state_set){0};
}

/* The slot of the state, or the free one where it belongs. */
static uint32_t *find_slot(const struct state_set *set, const floe_state *state) {
  size_t at = floe_state_hash(state) & (set->slot_count - 1);
  while (set->slots[at] && !floe_state_equal(set->states[set->slots[at] - 1].state, state))
    at = (at + 1) & (set->slot_count - 1);
  return &set->slots[at];
}

static bool grow(struct state_set *set) {
  const size_t room = set->room ? 2 * set->room : 256;
  struct found_state *states = realloc(set->states, room * sizeof *states);
  if (states)
    set->states = states;
  uint32_t *slots = states ? calloc(2 * room, sizeof *slots) : NULL;
  if (!slots)
    return false;
  free(set->slots);
  set->slots = slots;
  set->room = room;
  set->slot_count = 2 * room;
  for (size_t i = 0; i < set->count; i++)
    *find_slot(set, set->states[i].state) = (uint32_t)i + 1;
  return true;
}

bool state_set_add(struct state_set *set, const floe_state *state, uint32_t parent, uint32_t step, size_t *index,
                   bool *is_new) {
  if (set->count == set->room && (set->count >= STATE_SET_MOST || !grow(set)))
    return false;
  uint32_t *slot = find_slot(set, state);
  *is_new = *slot == 0;
  if (*is_new) {
    struct found_state *found = &set->states[set->count];
    *found = (struct found_state){.parent = parent, .step = step};
    if (floe_state_copy(state, &found->state) != FLOE_OK)
      return false;
    found->depth = set->count ? set->states[parent].depth + 1 : 0;
    *slot = (uint32_t)++set->count;
  }
  *index = *slot - 1;
  return true;
}

bool state_set_has(const struct state_set *set, const floe_state *state) {
  return set->slot_count && *find_slot(set, state) != 0;
}
