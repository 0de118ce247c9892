/* Queue of unexpanded states: a ring in device memory, and segments of it on the host when the ring is full. It holds
   the rest of the current level and what is found of the next level. */
#ifndef FLOE_GPU_ENGINE_QUEUE_H
#define FLOE_GPU_ENGINE_QUEUE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_search;

/* `expected`: states of the search, 0: unknown; `reserved`: bytes of device memory that will be allocated later. */
floe_status queue_first(struct gpu_search *self, uint64_t expected, uint64_t reserved);
/* Makes room in a full queue: enlarges the ring or moves part of it to the host. Ends the search if neither has room.
 */
void queue_make_room(struct gpu_search *self);
/* The same after a launch that ended for lack of room: states expanded since may have made room already. */
void queue_was_full(struct gpu_search *self);
/* Shrinks the ring to its first size; its states go to the host. FLOE_ERROR_MEMORY: the host has no room. */
floe_status queue_shrink(struct gpu_search *self);
/* Some states are on the host: the kernel must not close the level. */
bool queue_in_parts(const struct gpu_search *self);
/* The rest of the current level is on the device. */
bool queue_has_level(const struct gpu_search *self);
/* The current part is expanded: loads the next part of this level. False: there is none. */
bool queue_next_part(struct gpu_search *self);
/* The next level becomes the current level. */
void queue_next_level(struct gpu_search *self);
/* Adds states to the segments on the host, of the current level or the next one. FLOE_ERROR_MEMORY. */
floe_status queue_add(struct gpu_search *self, bool next, const uint64_t *states, uint64_t n);
/* Visits all states of the current level or the next one; those in the ring are downloaded to `buffer`, page-locked, of
   `room` words. */
floe_status queue_each(struct gpu_search *self, bool next, uint64_t *buffer, uint64_t room,
                       void (*visit)(void *user, const uint64_t *states, size_t n), void *user);
/* The ring still has all states that the search has found, from FIRST_POSITION on. */
bool queue_has_all(const struct gpu_search *self);
uint64_t queue_level_rest(const struct gpu_search *self); /* unexpanded states of the level */
uint64_t queue_next_states(const struct gpu_search *self);
uint64_t queue_bytes(const struct gpu_search *self);
void queue_free(struct gpu_search *self);

#endif
