#include "model/reduce/simplify.h"

#include "logic/formula.h"

#include <string.h>

#define MOST_NODES (UINT64_C(1) << 28) /* of expressions that the passes look at */

/* ---- properties ---------------------------------------------------------------------------------- */

static bool is_asked_for(const struct simplify_request *request, const struct property *property) {
  if (!request->properties || property->kind == FLOE_ERRORS)
    return true;
  for (size_t i = 0; i < request->property_count; i++)
    if (strcmp(request->properties[i], property->id) == 0)
      return true;
  return false;
}

static const struct model *with_properties(const struct simplify_request *request, struct arena *arena) {
  const struct model *model = request->model;
  struct model *copy = arena_alloc(arena, sizeof *copy);
  struct property *properties = arena_array(arena, model->property_count, sizeof *properties);
  *copy = *model;
  copy->property_count = 0;
  for (size_t i = 0; i < model->property_count; i++)
    if (is_asked_for(request, &model->properties[i]))
      properties[copy->property_count++] = model->properties[i];
  copy->properties = properties;
  return copy;
}

/* ---- what the passes do not keep ----------------------------------------------------------------- */

static bool has_next(const struct formula *f) {
  for (uint32_t i = 0; i < f->count; i++)
    if (has_next(f->args[i]))
      return true;
  return f->op == FORMULA_NEXT;
}

/* The number of steps between two changes does not matter for "some step": only whether there is one. */
static bool is_any_step(const struct transition_set *set) {
  return set->process == NO_PROCESS && set->edge == NO_EDGE && !set->label;
}

static const char *counts_steps(const struct property *property, struct arena *arena) {
  const struct temporal *temporal = property->temporal;
  if (!temporal)
    return NULL;
  if (!temporal->formula)
    return arena_printf(arena, "`%s` is an automaton, which may count steps", property->id);
  if (has_next(temporal->formula))
    return arena_printf(arena, "`%s` has `next`", property->id);
  for (size_t i = 0; i < temporal->atom_count; i++)
    if (temporal->taken[i] && !is_any_step(temporal->taken[i]))
      return arena_printf(arena, "`%s` is about steps", property->id);
  for (size_t i = 0; i < temporal->antecedent_count; i++)
    if (!temporal->antecedents[i].holds)
      return arena_printf(arena, "`%s` is about steps", property->id);
  return NULL;
}

static bool is_fair(const struct model *model) {
  for (size_t i = 0; i < model->process_count; i++)
    if (model->processes[i].fair)
      return true;
  for (size_t i = 0; i < model->edge_count; i++)
    if (model->edges[i].fair)
      return true;
  for (size_t i = 0; i < model->property_count; i++)
    if (model->properties[i].temporal && model->properties[i].temporal->fairness)
      return true;
  return false;
}

static bool is_too_large(const struct model *model) {
  uint64_t nodes = 0;
  for (size_t t = 0; t < model->transition_count; t++) {
    for (size_t i = 0; i < model->transitions[t].guard_count; i++)
      nodes += model->transitions[t].guards[i]->size;
    for (size_t i = 0; i < model->transitions[t].statement_count; i++)
      nodes += model->transitions[t].statements[i].value->size;
  }
  return nodes > MOST_NODES;
}

/* For both passes; NULL: nothing is against them. */
static const char *obstacle(const struct model *model) {
  return !model->process_count ? "the model has no processes"
         : model->symmetry     ? "the model is explored with symmetry"
         : model->stuttering   ? "steps that change nothing matter"
         : is_too_large(model) ? "the expressions of the model are too large"
                               : NULL;
}

/* For `merge` alone. */
static const char *obstacle_to_merging(const struct model *model, struct arena *arena) {
  const char *why = is_fair(model) ? "the model has constraints of fairness" : NULL;
  for (size_t i = 0; i < model->property_count && !why; i++)
    why = counts_steps(&model->properties[i], arena);
  return why;
}

void model_simplify(const struct simplify_request *request, struct arena *arena, struct simplified *out) {
  *out = (struct simplified){.original = request->model};
  out->model = with_properties(request, arena);
  out->not_reset = obstacle(out->model);
  out->not_merged = out->not_reset ? out->not_reset : obstacle_to_merging(out->model, arena);
  if (request->merge && !out->not_merged)
    merge_transitions(arena, out);
  if (request->dead && !out->not_reset)
    reset_dead_locals(arena, out);
}
