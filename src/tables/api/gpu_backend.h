/* Hash tables of the public interface on a GPU: a machine of src/hash. */
#ifndef FLOE_HASH_GPU_H
#define FLOE_HASH_GPU_H

#include "core/reason.h"
#include "tables/api/backend.h"

/* host_memory: its tables lie in the host's memory. cache_dir: of compiled kernels, "": none; it
   must outlive the engine. FLOE_ERROR_UNSUPPORTED with a reason: there is no such GPU. */
floe_status hash_gpu_open(unsigned number, bool host_memory, const char *cache_dir, floe_log *log,
                          const struct hash_machine **machine, struct hash_engine **out, struct reason *reason);

#endif
