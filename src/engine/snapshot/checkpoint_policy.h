/* When and where a run writes checkpoints. */
#ifndef FLOE_ENGINE_SNAPSHOT_CHECKPOINT_POLICY_H
#define FLOE_ENGINE_SNAPSHOT_CHECKPOINT_POLICY_H

#include "checkpoint/checkpoint.h"

struct checkpoint_policy {
  const char *path; /* of the file */
  double every;     /* seconds between two checkpoints; 0: only when the run ends early */
  const struct checkpoint_head
      *head; /* head of the file, except that `order` is set and `seconds` increased by this run */
};

#endif
