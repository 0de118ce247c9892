/* Tables of the public interface in two levels, "working-set": a machine of src/hash. */
#ifndef FLOE_HASH_TWO_LEVELS_H
#define FLOE_HASH_TWO_LEVELS_H

#include "core/reason.h"
#include "tables/api/backend.h"
#include "tables/api/working_set_config.h"

struct hash_workset_place {
  struct hash_workset workset;
  unsigned threads;      /* of the second level */
  floe_log *log;         /* of the GPU */
  unsigned gpu;          /* its number */
  const char *cache_dir; /* of kernels; "": none; outlives the engine */
};

/* Both levels in the host's memory. */
floe_status hash_workset_open(const struct hash_workset_place *place, const struct hash_machine **machine,
                              struct hash_engine **out);
/* The first one on a GPU. FLOE_ERROR_UNSUPPORTED with a reason: there is no such GPU. */
floe_status hash_workset_open_gpu(const struct hash_workset_place *place, const struct hash_machine **machine,
                                  struct hash_engine **out, struct reason *reason);

#endif
