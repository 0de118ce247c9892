/* Back-end for "working-set" tables, which have two levels. */
#ifndef FLOE_TABLES_API_WORKING_SET_BACKEND_H
#define FLOE_TABLES_API_WORKING_SET_BACKEND_H

#include "core/reason.h"
#include "tables/api/backend.h"
#include "tables/api/working_set_config.h"

struct hash_workset_settings {
  struct hash_workset workset;
  unsigned threads;      /* for the host level */
  floe_log *log;         /* for messages about the GPU */
  unsigned gpu;          /* number of the GPU */
  const char *cache_dir; /* directory of compiled kernels; "": none; outlives the engine */
};

/* Both levels in the host's memory. */
floe_status hash_workset_open(const struct hash_workset_settings *settings, const struct hash_backend **backend,
                              struct hash_engine **out);
/* The recent level on a GPU. FLOE_ERROR_UNSUPPORTED with a reason: there is no such GPU. */
floe_status hash_workset_open_gpu(const struct hash_workset_settings *settings, const struct hash_backend **backend,
                                  struct hash_engine **out, struct reason *reason);

#endif
