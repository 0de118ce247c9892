/* When and where a run writes checkpoints. */
#ifndef FLOE_ENGINE_SNAPSHOT_CHECKPOINT_POLICY_H
#define FLOE_ENGINE_SNAPSHOT_CHECKPOINT_POLICY_H

#include "checkpoint/checkpoint.h"

#include <stdbool.h>

struct checkpoint_policy {
  const char *path; /* of the file */
  double every;     /* seconds between two checkpoints; 0: only when the run ends early */
  bool of_complete; /* a complete search is saved, too: what follows it can be repeated without it */
  const struct checkpoint_head
      *head; /* head of the file, except that `order` is set and `seconds` increased by this run */
};

#endif
