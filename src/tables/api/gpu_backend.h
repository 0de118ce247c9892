/* Back-end for tables on a GPU. */
#ifndef FLOE_TABLES_API_GPU_BACKEND_H
#define FLOE_TABLES_API_GPU_BACKEND_H

#include "core/reason.h"
#include "tables/api/backend.h"

struct hash_gpu_settings {
  unsigned number;
  bool host_memory;      /* its tables are in the host's memory */
  const char *cache_dir; /* directory of compiled kernels; "": none; outlives the engine */
  floe_log *log;
};

/* FLOE_ERROR_UNSUPPORTED with a reason: there is no such GPU. */
floe_status hash_gpu_open(const struct hash_gpu_settings *settings, const struct hash_backend **backend,
                          struct hash_engine **out, struct reason *reason);

#endif
