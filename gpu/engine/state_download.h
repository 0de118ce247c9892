/* Downloads new states, or keys that were looked up, after every launch, in the order of discovery; delivers them to an
   archive or a recorder while the next launch runs. */
#ifndef FLOE_GPU_ENGINE_STATE_DOWNLOAD_H
#define FLOE_GPU_ENGINE_STATE_DOWNLOAD_H

#include "core/status.h"

#include <stdint.h>

enum { DOWNLOAD_BUFFER_WORDS = 1 << 21 }; /* of each of download.buffers */

struct gpu_search;

/* Before anything is sized: determines what the run downloads. */
void download_plan(struct gpu_search *self);
floe_status download_open(struct gpu_search *self);
void download_close(struct gpu_search *self);
/* Downloads what the last launch found, and delivers the previous download meanwhile. */
void download_take(struct gpu_search *self);
/* Delivers what was downloaded. An error ends the search. */
void download_deliver(struct gpu_search *self);
/* In a group: delivers everything found so far, before states that any member finds after the next reduction. */
void download_flush(struct gpu_search *self);
/* In a group: begins the level in the archive, also if this member found no states of it, so that the archives of all
   members have the same levels. */
void download_begin_level(struct gpu_search *self);

/* The states of n keys or roots, RECORDER_MOST_AT_ONCE at most. Valid until the next call. */
const uint64_t *download_states_of(const struct gpu_search *self, const uint64_t *waiting, uint64_t n);

#endif
