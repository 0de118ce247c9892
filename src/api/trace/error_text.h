/* Describes errors of evaluations and firings for people. */
#ifndef FLOE_API_TRACE_ERROR_TEXT_H
#define FLOE_API_TRACE_ERROR_TEXT_H

#include "step/stepper.h"

/* The error at edge.site in firing `edge` (transition NO_TRANSITION: in evaluating a property) in state `values`, with
   its place: "assignment of 5 to x outside 0..3 (model.xml:12)". NULL: nothing fails there. All memory from `arena`. */
const char *cause_text(const struct model *model, const int64_t *values, struct step_edge edge, struct arena *arena);

/* Why an evaluation of `expr` fails in this state, without a place: "division by zero: x is 0". NULL: it does not. */
const char *expression_cause_text(const struct model *model, const struct expr *expr, const int64_t *values,
                                  struct arena *arena);

/* Selected values of a choice, [select_count]. */
void choice_values(const struct transition *transition, uint32_t choice, int64_t *selects);

#endif
