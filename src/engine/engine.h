/* The exploration engines behind one seam. */
#ifndef FLOE_ENGINE_H
#define FLOE_ENGINE_H

#include "engine/phases.h"
#include "engine/statistics.h"
#include "step/stepper.h"
#include "table/table.h"

#include <stdatomic.h>

/* What a run of an engine needs. */
struct engine_task {
  const struct model *model;
  const struct layout *layout;
  const uint64_t *initial; /* the initial state, layout->words */
  struct stepper *stepper;
  const floe_options *options; /* threads, memory etc. resolved: no zeros that mean "chosen" but for the table's */
  uint64_t wanted;             /* mask of properties to check */
  atomic_bool *interrupt;      /* ends the run soon when set */
  const atomic_bool *needless; /* the same, when nobody wants what the run finds; NULL: it is wanted */
  double started;              /* clock at the start of the whole command, for the timeout */
  struct archive *archive;     /* keeps every level up to the depth bound; NULL: nothing is kept */
  struct order_file *order;    /* records the keys, has a lane for each thread; NULL: nothing is recorded */
  void (*waiting)(void *user); /* for engine_stop (core/stop.h); NULL: nobody wants to know */
  void *user;
  struct gpu *gpu; /* engine_gpu_prepare: the device, opened (gpu/driver.h); else NULL */
};

/* First violation (least depth; of the states of that depth the least packed state) of a property. */
struct engine_hit {
  bool hit;
  uint32_t depth;
  uint64_t *state; /* words */
  struct step_error error;
};

/* An end within a level (memory, time, interrupt) leaves that level's successors in `states`,
   `transitions`, `fired`, `deadlocks` and `checksum`, but not in level_states: those are exact
   always. */
struct engine_outcome {
  floe_end end;
  bool needless; /* it came by task->needless; `end` is FLOE_END_INTERRUPT */
#define COUNT(type, name, json, unit, description) type name;
#include "engine/statistics.def"
#include "floe.h"
  uint32_t complete_depth;
  bool any_complete;
  uint64_t *level_states; /* [levels] */
  uint64_t *fired;        /* [transition_count] ground transitions */
  uint64_t checksum;      /* sum over states of a mix of their words, modulo 2^64 */
  uint64_t failed;    /* mask of the properties not hit whose evaluation failed in some state; others may be in it */
  bool cut;           /* some firing failed: */
  uint32_t cut_depth; /* first at this depth */
  struct engine_hit *hits; /* [property_count] */
  size_t property_count;
  struct run_statistics statistics;
  struct table_shape shape;
  const char *simd;
  unsigned threads;           /* that worked */
  double phases[PHASE_COUNT]; /* on the CPU: the parts of statistics.explore_seconds */
  double waiting;             /* thread-seconds in which threads waited for others that worked */
  /* On a GPU. statistics.explore_seconds is without the first two. */
  double build_seconds;  /* kernels compiled or taken from the cache, and loaded */
  double memory_seconds; /* first table, queue and buffers allocated and cleared */
  bool built_from_cache; /* NVRTC was not needed */
  unsigned blocks;       /* of the grid, 256 threads each; 0: no GPU */
  uint64_t launches;     /* of the exploration kernel */
};

/* Breadth first on all threads. States must be of one word. FLOE_ERROR_USAGE: there is no table as
   the options want it. Early ends are no errors: out->end tells. */
floe_status engine_cpu_run(const struct engine_task *task, floe_log *log, struct engine_outcome *out);
/* What ends the run, for phases that are not the exploration itself: interrupt, timeout, needless. */
struct stop engine_stop(const struct engine_task *task);
/* Contribution of a state to `checksum`. */
uint64_t engine_state_mix(const uint64_t *state, uint32_t words);
/* Whether a run whose `hits` (mask of properties) are known need not go on: something is violated, or all is decided.
 */
bool engine_is_decided(const struct engine_task *task, uint64_t hits);
/* Properties that are hit and still to be evaluated, as an error there counts: none once `errors` is hit, and none
   whose evaluation cannot fail. */
uint64_t engine_errors_only(const struct engine_task *task, uint64_t hits);
void engine_outcome_free(struct engine_outcome *outcome);

#endif
