/* Properties of a state that a stepper expands, evaluated on its values. */
#ifndef FLOE_STEP_STATE_PROPERTIES_H
#define FLOE_STEP_STATE_PROPERTIES_H

#include "step/stepper.h"

struct state_properties {
  const struct model *model;
  uint64_t deadlock, errors; /* masks of these properties; 0: not checked */
};

struct state_properties state_properties_of(const struct model *model);

extern const struct step_error no_step_error;
/* Keeps an earlier one. */
void set_first_step_error(struct step_error *error, uint32_t transition, uint32_t site);

/* Of `requested`, the properties that trigger; adds those whose evaluation fails to *failed. */
uint64_t state_properties_evaluate(const struct state_properties *self, const int64_t *values, uint64_t requested,
                                   uint64_t *failed, struct step_error *error);

/* The steps of expand_block for a state. Before its firings: the requested properties that trigger. */
uint64_t state_properties_begin(const struct state_properties *self, const int64_t *values, struct step_block *block,
                                struct step_error *error);
/* The state is a deadlock: the property, if it triggers. */
uint64_t state_properties_deadlock(const struct state_properties *self, const int64_t *values, struct step_block *block,
                                   struct step_error *error);
/* Whether a state with these firings, [count], is a deadlock. `after`: scratch for model->value_count values. */
bool state_is_deadlock(const struct model *model, const int64_t *values, const struct step_edge *edges, size_t count,
                       int64_t *after);
/* After its firings: notes the end of its successors, and reports what triggered. */
void state_properties_end(const struct state_properties *self, struct step_block *block, uint64_t triggered,
                          struct step_error error);

#endif
