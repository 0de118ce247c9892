/* An exploration on its way from options to result: what the files that make it share. */
#ifndef FLOE_EXPLORATION_H
#define FLOE_EXPLORATION_H

#include "api/api.h"
#include "api/explore/gpu_select.h"
#include "api/explore/result.h"
#include "api/explore/settings.h"
#include "engine/engine.h"
#include "engine/snapshot/checkpoint_policy.h"

struct exploration {
  floe_model *owner;
  const floe_options *given;
  floe_log *log;
  const struct model *model;
  const struct layout *layout;
  double started, compile_seconds;
  double start_seconds; /* taking a GPU, and what was tried on the CPU before */
  const char *phase;    /* before anything is explored, for reports of progress */
  double next_report;   /* of it */
  floe_status status;   /* of a guarded part */
  floe_options options;
  bool two_levels;           /* options.table was SETTINGS_TWO_LEVELS, and is the scheme of its tables now */
  bool any_table;            /* options.table was left open, and is what the search begins with where nothing else is */
  uint64_t selected, wanted; /* masks of properties */
  uint64_t *initial;
  struct stepper *stepper;
  bool interpreted;         /* what the stepper is, or was at the end of the run */
  bool tiered;           /* it may change (step/compile/tiered_stepper.h) */
  struct stop stop;         /* that a switching one looks at */
  const char *engine;       /* that made the outcome */
  struct gpus gpus;         /* none: it was not a GPU */
  char gpu_title[320];      /* its name */
  floe_log *gpu_log;        /* what is told of it */
  double tried;             /* seconds that the CPU had before it was begun anew on the GPU; 0: it was not */
  struct order_file *order; /* NULL: the order is not recorded */
  struct recorder recorder; /* that writes it */
  bool order_lost;          /* its file could not be written */
  struct checkpoint_policy checkpoint_policy;   /* path NULL: there are no checkpoints */
  struct checkpoint_head kept_head;
  struct checkpoint_reader *from; /* it goes on from there; NULL: it begins */
  struct engine_outcome outcome;
  floe_result *result;
};

/* The task as the options have it: from the initial state, with nothing kept. */
struct engine_task exploration_task(const struct exploration *e);
/* The same for the run that finds the outcome: with checkpoints, from one, with the order recorded. */
struct engine_task exploration_main_task(const struct exploration *e);

#endif
