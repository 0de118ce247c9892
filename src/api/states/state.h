/* Definition of floe_state, and the checks that all functions with a model and a state share. */
#ifndef FLOE_API_STATES_STATE_H
#define FLOE_API_STATES_STATE_H

#include "api/api.h"

struct floe_state {
  uint64_t check_number; /* floe_model.check_number of its model */
  uint32_t words;
  uint64_t packed[]; /* [words] in fields */
};

/* FLOE_ERROR_USAGE, logged: `model` is NULL or not checked. */
floe_status state_require_model(const floe_model *model, floe_log *log);
/* Also requires that no state of the model has too many steps, which the interpreter relies on: FLOE_ERROR_MODEL. */
floe_status state_require_bound(const floe_model *model, floe_log *log);
size_t state_bytes(uint32_t words);
/* A state of a checked model, with all bits 0. */
floe_status state_create(const floe_model *model, floe_log *log, floe_state **out);

#endif
