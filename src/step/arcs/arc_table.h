/* Table of arcs of a ground model (step/kernel/arcs.h), whatever its language. A model has one if each transition has
   this form: it has no choice, its guards compare an element of a variable with a constant, and its statements assign
   a constant to an element or add one to it. Elements have constant indices. Of a product (model/temporal/product.h)
   the table has the steps of the model and `stutter`, not those of the automaton (step/arcs/arc_automaton.h). */
#ifndef FLOE_STEP_ARCS_ARC_TABLE_H
#define FLOE_STEP_ARCS_ARC_TABLE_H

#include "step/layout/layout.h"

#include "step/kernel/arcs.h"

struct arcs {
  struct arc_table table;
  uint32_t tests, ranges, updates; /* lengths of its arrays */
};

/* For states in fields. All memory from `arena`. FLOE_ERROR_UNSUPPORTED: the model has another form, or is one whose
   deadlocks may have steps (model.stuttering), or with transient states. */
floe_status arc_table_make(const struct model *model, const struct layout *layout, struct arena *arena,
                           const struct arcs **out);

#endif
