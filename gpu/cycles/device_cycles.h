/* Whether the states of a complete search on one GPU contain an accepting cycle (engine_task.cycles). */
#ifndef FLOE_GPU_CYCLES_DEVICE_CYCLES_H
#define FLOE_GPU_CYCLES_DEVICE_CYCLES_H

#include "engine/engine.h"

struct gpu_search;

/* Sets *out. Its status also: FLOE_ERROR_UNSUPPORTED: the visited set is not in a table of this device alone that has
   numbers of keys. The search cannot continue afterwards: the memory of its queue may be freed. */
void device_cycles_find(struct gpu_search *self, struct outcome_cycles *out);

#endif
