/* Checkpoints that a run is asked for. */
#ifndef FLOE_KEEPING_H
#define FLOE_KEEPING_H

#include "checkpoint/checkpoint.h"

struct checkpoint_policy {
  const char *path;                   /* of the file */
  double every;                       /* seconds between two; 0: only when the run ends early */
  const struct checkpoint_head *head; /* but for `order` and `seconds`, to which those of this run are added */
};

#endif
