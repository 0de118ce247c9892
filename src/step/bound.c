#include "step/bound.h"

#include "core/mem.h"

static uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t saturating_product(uint64_t a, uint64_t b) { return b && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

uint64_t transition_choices(const struct transition *transition) {
  uint64_t choices = 1;
  for (size_t i = 0; i < transition->select_count; i++) {
    const struct select *select = &transition->selects[i];
    choices = saturating_product(choices, (uint64_t)(select->hi - select->lo) + 1);
  }
  return choices;
}

const struct location_test *initiator_test(const struct model *model, const struct transition *transition) {
  return model->groups[transition->group].located ? &transition->tests[0] : NULL;
}

/* Adds the bound of one group to *sum. */
static void add_group(const struct model *model, const struct transition_group *group, uint64_t *at_location,
                      uint64_t *sum) {
  const struct process *process = &model->processes[group->process];
  uint64_t most = 0;
  for (size_t l = 0; l < process->location_count; l++)
    at_location[l] = 0;
  for (size_t t = group->first; t < group->end; t++) {
    const struct transition *transition = &model->transitions[t];
    const struct location_test *test = initiator_test(model, transition);
    uint64_t *total = test ? &at_location[test->location] : sum;
    *total = saturating_add(*total, transition_choices(transition));
    if (test && *total > most)
      most = *total;
  }
  *sum = saturating_add(*sum, most);
}

/* The bound itself, whatever it is. */
static floe_status sum_of_groups(const struct model *model, uint64_t *sum) {
  size_t locations = 1;
  for (size_t p = 0; p < model->process_count; p++)
    if (model->processes[p].location_count > locations)
      locations = model->processes[p].location_count;
  uint64_t *at_location = mem_array(locations, sizeof *at_location);
  if (!at_location)
    return FLOE_ERROR_MEMORY;
  for (size_t g = 0; g < model->group_count; g++)
    add_group(model, &model->groups[g], at_location, sum);
  mem_free(at_location);
  return FLOE_OK;
}

static const struct transition *first_too_complex(const struct model *model) {
  for (size_t t = 0; t < model->transition_count; t++)
    if (model->transitions[t].select_count > MAX_SELECTS || model->transitions[t].temp_count > MAX_TEMPS)
      return &model->transitions[t];
  return NULL;
}

floe_status successor_bound(const struct model *model, floe_log *log, uint32_t *out) {
  uint64_t sum = 0;
  FLOE_TRY(sum_of_groups(model, &sum));
  const struct transition *complex = first_too_complex(model);
  if (sum > MAX_SUCCESSORS && log)
    diag_error(log, model->source, NOWHERE, "make the ranges of `select` smaller",
               "one state may have %llu successors; at most %llu are possible", (unsigned long long)sum,
               (unsigned long long)MAX_SUCCESSORS);
  if (complex && log)
    diag_error(log, model->source, model->edges[complex->participants[0].edge].at, NULL,
               "too many choices and receivers meet in one transition");
  if (sum > MAX_SUCCESSORS || complex)
    return FLOE_ERROR_MODEL;
  *out = sum ? (uint32_t)sum : 1;
  return FLOE_OK;
}
