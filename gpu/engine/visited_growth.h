/* The visited set in device memory: first table, growth by rehashing, keys that found no place. */
#ifndef FLOE_GPU_ENGINE_VISITED_GROWTH_H
#define FLOE_GPU_ENGINE_VISITED_GROWTH_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_search;

/* Number of states that the visited set will hold; in a group, this member's part. 0: unknown. */
uint64_t grow_expected_states(const struct gpu_search *self);
floe_status grow_first_set(struct gpu_search *self);
void grow_drop_set(struct gpu_search *self);
/* Replaces the table by a larger one. False: memory allows none, and the table is unchanged; or the search failed. */
bool grow_set(struct gpu_search *self);
/* The set is, or may become, a table with a slot for every key. */
bool grow_may_have_every_key(const struct gpu_search *self);
/* Replaces the table by one for keys of roots whose numbers have so many bits. FLOE_ERROR_MEMORY: there is no room. */
floe_status grow_keys(struct gpu_search *self, const unsigned bits[2]);
/* Inserts the keys that the table refused into larger ones. False: memory allows none, and some are still pending; or
   the search has ended. */
bool grow_place_pending(struct gpu_search *self);
/* Inserts the first `count` keys of buffers.source; those without a place become pending. */
floe_status grow_insert(struct gpu_search *self, uint64_t count);

#endif
