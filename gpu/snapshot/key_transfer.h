/* Transfers the keys of the visited set between device and host, for checkpoints: a part of the slots, or of the keys,
   at a time, while the threads of a pool work on the previous part. */
#ifndef FLOE_GPU_SNAPSHOT_KEY_TRANSFER_H
#define FLOE_GPU_SNAPSHOT_KEY_TRANSFER_H

#include "core/status.h"

#include <stdint.h>

struct gpu_search;
struct snapshot_source;

/* Buffers and threads, if the run saves or restores checkpoints. */
floe_status transfer_open(struct gpu_search *self);
uint64_t transfer_bytes(const struct gpu_search *self); /* of device memory, that transfer_open takes */
void transfer_close(struct gpu_search *self);

/* Visits all keys, in the order of the table's slots. Each thread of the pool visits a contiguous part, with its
 *number. count: number of keys. */
floe_status transfer_export(struct gpu_search *self,
                            void (*visit)(void *user, unsigned thread, const uint64_t *keys, uint64_t n), void *user,
                            uint64_t *count);
/* Inserts the keys of a source. Each thread of the pool calls `fill`, which takes states, writes their keys to
   [to, to + room) and returns their number; it ends when all return 0. The table grows if necessary. FLOE_ERROR_IO,
   logged: a key came twice. FLOE_ERROR_MEMORY: the keys do not fit. FLOE_ERROR_UNSUPPORTED: the search was stopped. */
floe_status transfer_load(struct gpu_search *self, struct snapshot_source *source,
                          uint64_t (*fill)(void *user, unsigned thread, uint64_t *to, uint64_t room), void *user);

#endif
