/* Passes over the states of a search on one GPU for an accepting cycle (engine_task.cycles). */
#ifndef FLOE_GPU_CYCLES_DEVICE_CYCLES_H
#define FLOE_GPU_CYCLES_DEVICE_CYCLES_H

#include "engine/engine.h"

struct gpu_search;

/* The visited set is in a table of this device alone that has numbers of keys. */
bool device_cycles_possible(const struct gpu_search *self);
/* Sets *out. `partial`: the search is not complete, and can continue afterwards. Steps to states that are not in the
   table are ignored then; otherwise the memory of the search's queue may be freed. out->status also:
   FLOE_ERROR_UNSUPPORTED: not possible. */
void device_cycles_run(struct gpu_search *self, bool partial, struct outcome_cycles *out);

#endif
