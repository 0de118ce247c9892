/* The first level of working-set tables on a device (tables/working_set/recent_level.h): kernel/working_set.h. */
#ifndef FLOE_GPU_WORKSET_LEVEL_H
#define FLOE_GPU_WORKSET_LEVEL_H

#include "gpu/driver/driver.h"
#include "tables/working_set/working_set.h"

/* What levels are made on, for recent_level_kind.create; outlives them. */
struct gpu_workset_device {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir; /* NULL: none */
  enum workset_form form;
};

/* Its functions want the device to be current in the calling thread. Errors are told as those of gpu/driver/driver.h.
 */
extern const struct recent_level_kind gpu_recent_level;

#endif
