/* Result of an exploration: summary, verdicts, traces (floe_result, floe_trace). */
#ifndef FLOE_API_RESULT_RESULT_H
#define FLOE_API_RESULT_RESULT_H

#include "core/arena.h"
#include "floe.h"
#include "model/tool.h"

struct trace_subexpression {
  const char *text, *value;
};

struct trace_subexpressions {
  struct trace_subexpression *list;
  size_t count, cap;
};

struct floe_trace {
  floe_change *initial, *last;
  size_t variable_count; /* of both */
  floe_step *steps;
  size_t step_count;
  const char **printed;    /* [step_count] "": nothing */
  const struct tool *tool; /* NULL: the language has none, and there is no tool_trace */
  struct tool_trace tool_trace;
  const char *unplayable; /* why the tool cannot play the trace; "": it can */
  bool repeats;           /* the run continues after the last state as after state `loop` */
  size_t loop;
  const floe_fair *constraints;
  size_t constraint_count;
  struct trace_subexpressions subexpressions;
  floe_blocked_transition *blocked;
  size_t blocked_count, blocked_cap;
  bool blocked_incomplete; /* the time limit came before all were found */
};

/* A transition that never fired. */
struct unfired {
  floe_unfired summary;
  floe_unfired_condition *conditions; /* [summary.conditions] */
  floe_change *values;                /* [summary.values] */
};

struct floe_result {
  struct arena arena; /* everything below */
  floe_summary summary;
  uint64_t *level_states; /* [summary.levels] */
  uint64_t *fired;        /* [edge_count] */
  size_t edge_count;
  floe_verdict *verdicts;
  size_t verdict_count;
  floe_measure *measures;
  size_t measure_count;
  floe_member *members;
  size_t member_count;
  struct unfired *unfired;
  size_t unfired_count;
};

#endif
