/* Device level of working-set tables (tables/working_set/recent_level.h): gpu/kernel/table/working_set.h. */
#ifndef FLOE_GPU_WORKSET_LEVEL_H
#define FLOE_GPU_WORKSET_LEVEL_H

#include "gpu/driver/driver.h"
#include "tables/working_set/working_set.h"

/* Parameter of recent_level_kind.create for device levels; outlives them. */
struct gpu_workset_device {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir; /* NULL: none */
  enum workset_form form;
};

/* Its functions require the device to be current in the calling thread. Errors are logged like those of
   gpu/driver/driver.h. */
extern const struct recent_level_kind gpu_recent_level;

#endif
