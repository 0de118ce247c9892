#include "gpu/engine/violations.h"

#include "core/diag.h"
#include "core/mem.h"
#include "gpu/engine/gpu_search.h"
#include "gpu/engine/gpu_tree.h"

#include <inttypes.h>

struct witness {
  uint64_t properties; /* that trigger in the state */
  struct step_error error;
};

static void on_trigger(void *user, size_t index, uint64_t properties, struct step_error error) {
  struct witness *witness = user;
  (void)index;
  witness->properties = properties;
  witness->error = error;
}

static floe_status evaluate_state(const struct gpu_search *self, const uint64_t *state, struct witness *out) {
  const struct stepper *stepper = self->search.task->stepper;
  struct witness witness = {0};
  struct step_block block = {.states = state,
                             .count = 1,
                             .capacity = stepper->max_successors,
                             .requested_properties = self->control.level.requested_properties,
                             .errors_only = self->control.level.errors_only,
                             .properties_only = self->control.level.properties_only,
                             .on_trigger = on_trigger,
                             .user = &witness};
  block.successors = mem_array(((size_t)stepper->max_successors + 1) * stepper->words, sizeof *block.successors);
  block.fired = mem_array(self->search.task->model->transition_count + 1, sizeof *block.fired);
  floe_status status = block.successors && block.fired ? FLOE_OK : FLOE_ERROR_MEMORY;
  if (status == FLOE_OK) {
    stepper->expand_block(stepper, &block);
    *out = witness;
  }
  mem_free(block.successors);
  mem_free(block.fired);
  return status;
}

static floe_status report_disagreement(const struct gpu_search *self, size_t property, const uint64_t *state) {
  diag_error(self->search.log, NULL, NOWHERE, "please report this with the model",
             "internal error: property '%s' triggered on the GPU in state %016" PRIx64 "%s, but does not on the CPU",
             self->search.task->model->properties[property].id, *state, self->tree.words ? " ..." : "");
  return FLOE_ERROR_INTERNAL;
}

/* Key of the state control.results.witness[property], for mem_free. NULL: no memory. */
static uint64_t *violations_state(const struct gpu_search *self, size_t property) {
  const uint64_t *least = &self->control.results.witness[property];
  uint64_t *state = mem_array(self->search.task->layout->key_words, sizeof *state);
  if (!state)
    return NULL;
  if (self->tree.words)
    gpu_tree_states(self, least, 1, state);
  else
    *state = *least;
  return state;
}

/* The error with which `state` triggers a property. */
static floe_status violations_error(const struct gpu_search *self, size_t property, const uint64_t *state,
                                    struct step_error *out) {
  struct witness witness;
  FLOE_TRY(evaluate_state(self, state, &witness));
  if (!(witness.properties >> property & 1))
    return report_disagreement(self, property, state);
  *out = witness.error;
  return FLOE_OK;
}

static floe_status collect_witness(const struct gpu_search *self, size_t property, uint32_t depth,
                                   struct engine_violation *violation) {
  struct step_error error;
  uint64_t *state = violations_state(self, property);
  if (!state)
    return FLOE_ERROR_MEMORY;
  floe_status status = violations_error(self, property, state, &error);
  if (status == FLOE_OK)
    violation_keep_least(violation, state, self->search.task->layout->key_words, depth, error);
  mem_free(state);
  return status;
}

floe_status violations_collect(struct gpu_search *self, uint32_t depth, uint64_t triggered,
                               struct engine_violation *violations) {
  if (triggered)
    FLOE_TRY(gpu_tree_copy(self));
  for (uint64_t rest = triggered; rest; rest &= rest - 1) {
    const size_t property = (size_t)__builtin_ctzll(rest);
    FLOE_TRY(collect_witness(self, property, depth, &violations[property]));
  }
  return FLOE_OK;
}

void violations_forget(struct gpu_search *self) {
  self->control.level.triggered = 0;
  for (size_t i = 0; i < GPU_PROPERTIES; i++)
    self->control.results.witness[i] = UINT64_MAX;
}

floe_status violations_gather(struct gpu_search *self, uint32_t depth) {
  const uint64_t triggered = self->control.level.triggered & self->control.level.requested_properties;
  FLOE_TRY(violations_collect(self, depth, triggered, self->search.violations));
  search_note_violations(&self->search, triggered);
  violations_forget(self);
  return FLOE_OK;
}
