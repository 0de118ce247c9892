#include "step/state_properties.h"

#include "model/property_kind.h"

const struct step_error no_step_error = {NO_TRANSITION, NO_SITE};

static uint64_t property_bit(uint32_t property) { return (uint64_t)1 << property; }

static uint64_t properties_of_kind(const struct model *model, floe_property_kind kind) {
  for (uint32_t i = 0; i < model->property_count; i++)
    if (model->properties[i].kind == kind)
      return property_bit(i);
  return 0;
}

struct state_properties state_properties_of(const struct model *model) {
  return (struct state_properties){model, properties_of_kind(model, FLOE_DEADLOCK),
                                   properties_of_kind(model, FLOE_ERRORS)};
}

void set_first_step_error(struct step_error *error, uint32_t transition, uint32_t site) {
  if (error->site == NO_SITE)
    *error = (struct step_error){transition, site};
}

uint64_t state_properties_evaluate(const struct state_properties *self, const int64_t *values, uint64_t requested,
                                   uint64_t *failed, struct step_error *error) {
  const struct model *model = self->model;
  uint64_t triggered = 0;
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    if (!(requested & property_bit(i)) || !property_is_evaluated(property))
      continue;
    int64_t value;
    uint32_t site = interpreter_eval(model, property->expr, values, NULL, NULL, &value);
    if (site != NO_SITE) {
      set_first_step_error(error, NO_TRANSITION, site);
      *failed |= property_bit(i);
    } else if (property_kind_is_local(property->kind) && (value != 0) == property_kinds[property->kind].triggers_on)
      triggered |= property_bit(i);
  }
  return triggered;
}

uint64_t state_properties_begin(const struct state_properties *self, const int64_t *values, struct step_block *block,
                                struct step_error *error) {
  return block->requested_properties & state_properties_evaluate(self, values,
                                                                 block->requested_properties | block->errors_only,
                                                                 &block->failed, error);
}

static const struct expr *excuse_of(const struct state_properties *self) {
  for (uint32_t i = 0; i < self->model->property_count; i++)
    if (self->model->properties[i].kind == FLOE_DEADLOCK)
      return self->model->properties[i].expr;
  return NULL;
}

uint64_t state_properties_deadlock(const struct state_properties *self, const int64_t *values, struct step_block *block,
                                   struct step_error *error) {
  if (!(self->deadlock & (block->requested_properties | block->errors_only)))
    return 0;
  const struct expr *unless = excuse_of(self);
  int64_t excused = 0;
  uint32_t site = unless ? interpreter_eval(self->model, unless, values, NULL, NULL, &excused) : NO_SITE;
  if (site != NO_SITE) {
    set_first_step_error(error, NO_TRANSITION, site);
    block->failed |= self->deadlock;
  }
  return site == NO_SITE && !excused ? self->deadlock & block->requested_properties : 0;
}

static bool moves(const struct model *model, const int64_t *values, struct step_edge edge, int64_t *after) {
  const struct interpreter_choice chosen = {.transition = &model->transitions[edge.transition], .number = edge.choice};
  return !model->stuttering || edge.site != NO_SITE || interpreter_moves(model, chosen, values, after);
}

bool state_is_deadlock(const struct model *model, const int64_t *values, const struct step_edge *edges, size_t count,
                       int64_t *after) {
  for (size_t i = 0; i < count; i++)
    if (moves(model, values, edges[i], after))
      return false;
  return true;
}

void state_properties_end(const struct state_properties *self, struct step_block *block, uint64_t triggered,
                          struct step_error error) {
  if (block->ends)
    block->ends[block->next] = (uint32_t)block->produced;
  if (error.site != NO_SITE)
    triggered |= self->errors & block->requested_properties;
  block->triggered |= triggered;
  if (triggered)
    block->on_trigger(block->user, block->next, triggered, error);
}
