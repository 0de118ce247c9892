/* Runs of a simplified model (model/reduce/simplify.h) as runs of the model as checked: each firing is followed by the
   transitions that were merged with it. */
#ifndef FLOE_API_TRACE_SIMPLIFIED_RUN_H
#define FLOE_API_TRACE_SIMPLIFIED_RUN_H

#include "engine/path.h"
#include "model/reduce/simplify.h"
#include "step/layout/layout.h"

struct simplified_run {
  const struct simplified *simplified;
  const struct layout *simplified_layout, *layout; /* of both models */
  const struct path *path;                         /* of the simplified model, with edges */
  bool single;                                     /* its steps are single firings, also those to transient states */
  bool repeats;                                    /* it continues after its last state as after state `loop` */
  size_t loop;
  /* Results: */
  struct path run;
  size_t run_loop;
  int64_t *values; /* of the last state */
};

/* Locals that the simplified model resets may differ at both ends of a cycle: then the run has the cycle twice. Memory
   from `arena`, whose guard is active. FLOE_ERROR_INTERNAL: the model as checked has no such run. */
floe_status simplified_run_make(struct simplified_run *run, struct arena *arena);

#endif
