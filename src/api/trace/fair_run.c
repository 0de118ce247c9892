#include "api/trace/fair_run.h"

#include "core/arena.h"
#include "core/diag.h"
#include "model/interpreter/interpreter.h"
#include "model/transition_set.h"

#include <string.h>

bool fairness_of_list(const struct model *model, size_t property, const char *list, struct arena *arena, floe_log *log,
                      struct fairness *out) {
  struct fairness_error error;
  if (!list)
    list = model->properties[property].temporal->fairness;
  if (fairness_parse(model, list, arena, out, &error))
    return true;
  diag_error(log, NULL, NOWHERE, error.hint, "fairness '%s', character %zu: %s", list, error.offset + 1, error.message);
  return false;
}

static bool is_enabled(const struct fair_run *run, const struct transition_set *set, size_t state) {
  const struct model *model = run->model;
  for (size_t t = 0; t < model->transition_count; t++)
    if (transition_in_set(model, &model->transitions[t], set) &&
        interpreter_fires(model, &model->transitions[t], run->values + state * run->stride))
      return true;
  return false;
}

static floe_fair judge_constraint(const struct fair_run *run, const struct fairness_constraint *constraint) {
  floe_fair fair = {.strong = constraint->strong, .reason = FLOE_FAIR_NEVER};
  for (size_t i = run->loop; i < run->count; i++)
    if (run->transitions[i] && transition_in_set(run->model, run->transitions[i], &constraint->set)) {
      fair.reason = FLOE_FAIR_TAKEN;
      fair.at = i;
      return fair;
    }
  size_t disabled = 0, states = 0;
  for (size_t i = run->loop; i < run->count; i++) {
    if (model_holder(run->model, run->values + i * run->stride)) /* it disables all others for some steps */
      continue;
    states++;
    if (!is_enabled(run, &constraint->set, i) && disabled++ == 0)
      fair.at = i;
  }
  if (disabled < states)
    fair.reason = disabled > 0 && !constraint->strong ? FLOE_FAIR_DISABLED : FLOE_FAIR_VIOLATED;
  return fair;
}

const floe_fair *judge_fairness(const struct fair_run *run, const struct fairness *fairness, struct arena *scratch,
                                struct arena *arena, size_t *count) {
  struct fairness all;
  fairness_with_instances(run->model, fairness, scratch, &all);
  floe_fair *const list = arena_array(arena, all.count, sizeof *list);
  for (size_t i = 0; i < all.count; i++) {
    list[i] = judge_constraint(run, &all.constraints[i]);
    list[i].name = arena_copy(arena, all.constraints[i].name, strlen(all.constraints[i].name));
    list[i].required = i < fairness->count;
  }
  *count = all.count;
  return list;
}

const floe_fair *unsatisfied_constraint(const floe_fair *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].required && list[i].reason == FLOE_FAIR_VIOLATED)
      return &list[i];
  return NULL;
}
