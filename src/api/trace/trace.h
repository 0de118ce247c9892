/* Builds a trace for people from a path of packed states. */
#ifndef FLOE_API_TRACE_TRACE_H
#define FLOE_API_TRACE_TRACE_H

#include "api/result/result.h"
#include "engine/engine.h"
#include "engine/trace/witness_path.h"

struct trace_request {
  const struct model *model;
  const struct layout *layout;
  const struct stepper *interpreter;
  uint32_t property;
  const struct engine_violation *violation;
  const struct path *path;  /* to violation->state */
  struct arena *scratch;    /* the caller frees it */
  struct stop stop;         /* ends the search for blocked transitions */
  bool single;              /* all steps of the path are single firings, also those to transient states */
  struct step_edge failing; /* `errors`: the firing (transition NO_TRANSITION: a property); else unused */
};

/* Replays the path with the interpreter and describes its states and steps; all memory from `arena`, whose guard is
   active. FLOE_ERROR_INTERNAL: the path does not replay, or its last state does not show the violation.
   FLOE_ERROR_MEMORY: `scratch` is full. *trace is set on success only. */
floe_status trace_make(const struct trace_request *request, struct arena *arena, const floe_trace **trace);

/* A run that repeats for ever: the steps of the path, of which the last ones, from state `loop` on, are repeated;
   `loop` is path->steps if the last state itself is. `property` is temporal, and `violation` not used. Errors as
   trace_make; FLOE_ERROR_INTERNAL also if the last state is not state `loop`. *trace may be completed by the caller. */
floe_status trace_make_loop(const struct trace_request *request, uint32_t loop, struct arena *arena,
                            struct floe_trace **trace);

/* State in which subexpressions are evaluated. */
struct subexpression_scope {
  const struct model *model;
  const int64_t *values;
  const int64_t *selects;  /* selected values of the transition whose guard it is; NULL: a property */
  const int64_t *message;  /* fields that the guard reads; NULL: none */
  const struct edge *edge; /* that transition as written; NULL: a property */
  struct arena *arena;
};
/* The value of an expression as people read it. */
const char *expression_value_text(const struct model *model, const struct expr *expr, int64_t value,
                                  struct arena *arena);
/* Appends the subexpressions of a property or guard, with their values in a state. `expr` may be NULL. */
void trace_subexpressions_add(const struct subexpression_scope *scope, const struct expr *expr,
                              struct trace_subexpressions *out);
/* Appends the blocked transitions of all instances in a state: those of which a condition is false. If time runs
   out, some of them (trace->blocked_incomplete). FLOE_ERROR_MEMORY: `scratch` is full. */
floe_status trace_blocked_find(const struct trace_request *request, const int64_t *values, struct arena *arena,
                               struct floe_trace *trace);

#endif
