/* Table of arcs of a search's model in device memory, for models of many transitions: kernels that read it are compiled
   once for all such models, and generated code would take seconds to compile (doc/design/arcs.md). */
#ifndef FLOE_GPU_ENGINE_DEVICE_ARCS_H
#define FLOE_GPU_ENGINE_DEVICE_ARCS_H

#include "gpu/engine/gpu_search.h"

/* Makes self->arcs. FLOE_ERROR_UNSUPPORTED: the model has no table, or generated code is better. */
floe_status device_arcs_make(struct gpu_search *self);

#endif
