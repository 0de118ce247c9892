/* Paths to violations, from the levels of a finished search that are copied to the host: no kernel is compiled. */
#ifndef FLOE_GPU_TRACE_HOST_PATHS_H
#define FLOE_GPU_TRACE_HOST_PATHS_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

struct engine_outcome;
struct gpu_search;
struct path_target;
struct stop;

/* Targets of a search whose ring still has all levels. */
struct host_paths_request {
  const struct path_target *targets; /* [count], of PATHS_MOST at most */
  unsigned count;
  uint32_t depth; /* the greatest of the targets */
  const struct stop *stop;
};

/* The levels before `depth` have so few states that the host expands them faster than NVRTC compiles a kernel. */
bool host_paths_suffice(const uint64_t *level_states, uint32_t depth);
/* Sets out->paths, with edges. `out` is the outcome of the search. Errors of paths_find
   (engine/trace/witness_path.h), and of the device. */
floe_status host_paths_find(struct gpu_search *self, const struct host_paths_request *request,
                            struct engine_outcome *out);

#endif
