/* Stepper on the table of arcs: no code is generated, and only transitions that may be enabled are tested. */
#ifndef FLOE_STEP_ARCS_ARC_STEPPER_H
#define FLOE_STEP_ARCS_ARC_STEPPER_H

#include "step/stepper.h"

/* As interpreter_create. FLOE_ERROR_UNSUPPORTED: the model has another form (arc_table.h), or keys are index keys. */
floe_status arc_stepper_create(const struct model *model, const struct layout *layout, struct stepper **out);

/* The table of arcs if the model has one, else the interpreter. *suffices: compiled code would not be faster. */
floe_status uncompiled_create(const struct model *model, const struct layout *layout, bool *suffices,
                              struct stepper **out);

#endif
