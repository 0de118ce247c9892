/* The first level of working-set tables on a device (tables/working_set/recent_level.h): kernel/workset.h. */
#ifndef FLOE_GPU_WORKSET_LEVEL_H
#define FLOE_GPU_WORKSET_LEVEL_H

#include "gpu/driver/driver.h"
#include "tables/working_set/working_set.h"

/* What levels are made on, for front_kind.create; outlives them. */
struct gpu_workset_machine {
  struct gpu *gpu;
  floe_log *log;
  const char *cache_dir; /* NULL: none */
  enum workset_form form;
};

/* Its functions want the device to be current in the calling thread. Errors are told as those of gpu/driver/driver.h. */
extern const struct front_kind gpu_front;

#endif
