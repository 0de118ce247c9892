/* What floe_explore hands out. */
#ifndef FLOE_RESULT_H
#define FLOE_RESULT_H

#include "core/arena.h"
#include "floe.h"

struct trace_part {
  const char *text, *value;
};

struct trace_parts {
  struct trace_part *list;
  size_t count, cap;
};

struct floe_trace {
  floe_change *initial, *last;
  size_t initial_count; /* of both */
  floe_step *steps;
  size_t step_count;
  struct trace_parts parts;
  floe_blocked_transition *waits;
  size_t wait_count, wait_cap;
  bool waits_cut; /* there was no time for all */
};

/* Why a transition never fired. */
struct unfired {
  floe_unfired told;
  floe_unfired_condition *conditions; /* [told.conditions] */
  floe_change *values;        /* [told.values] */
};

struct floe_result {
  struct arena arena; /* everything below */
  floe_summary summary;
  uint64_t *level_states; /* [summary.levels] */
  uint64_t *fired;        /* [edge_count] */
  size_t edge_count;
  floe_verdict *verdicts;
  size_t verdict_count;
  floe_member *ranks;
  size_t rank_count;
  struct unfired *nevers;
  size_t unfired_count;
};

#endif
