/* Errors of the model in words. */
#ifndef FLOE_CAUSE_H
#define FLOE_CAUSE_H

#include "step/stepper.h"

/* What failed at `site` in the firing `edge` (transition NO_TRANSITION: in the evaluation of a
   property) of the state `values`, with its place: "assignment of 5 to x outside 0..3
   (model.xml:12)". NULL: nothing fails there. All memory from `arena`. */
const char *cause_text(const struct model *model, const int64_t *values, struct step_edge edge, struct arena *arena);

/* Values of the selects of a choice. */
void choice_values(const struct transition *transition, uint32_t choice, int64_t *selects);

#endif
