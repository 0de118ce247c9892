/* Marks of states that violate properties, evaluated by the interpreter while a graph is written. */
#include "api/graph/graph_write.h"

#include "model/property_kind.h"
#include "step/state_properties.h"

/* The value of a property's expression in worker->before. False: the evaluation fails, which is an error. */
static bool value_of(const floe_graph *graph, const struct graph_thread *worker, const struct property *property,
                     bool *value) {
  int64_t number = 0;
  if (property->expr && interpreter_eval(graph->model, property->expr, worker->before, NULL, NULL, &number) != NO_SITE)
    return false;
  *value = number != 0;
  return true;
}

static bool any_step_fails(const struct step_edge *edges, size_t degree) {
  for (size_t i = 0; i < degree; i++)
    if (edges[i].site != NO_SITE)
      return true;
  return false;
}

/* The properties that the state in worker->before violates, as a mask. Those of `unless` apply in deadlocks alone. */
static uint64_t violations_of(const floe_graph *graph, const struct graph_thread *worker, const struct step_edge *edges,
                              size_t degree) {
  const struct model *model = graph->model;
  const bool deadlock = state_is_deadlock(model, worker->before, edges, degree, worker->after);
  bool error = any_step_fails(edges, degree), value;
  uint64_t violated = 0, errors = 0;
  for (size_t i = 0; i < model->property_count; i++) {
    const struct property *property = &model->properties[i];
    const struct property_kind *kind = &property_kinds[property->kind];
    if (property->kind == FLOE_ERRORS)
      errors = (uint64_t)1 << i;
    else if (!kind->written && !kind->temporal && !deadlock)
      continue;
    else if (!value_of(graph, worker, property, &value))
      error = true;
    else if (property_kind_is_local(property->kind) && kind->found == FLOE_VIOLATED && value == kind->triggers_on)
      violated |= (uint64_t)1 << i;
  }
  return error ? violated | errors : violated;
}

uint64_t graph_violations(const floe_graph *graph, struct graph_thread *worker, uint64_t state,
                          const struct step_edge *edges, size_t degree) {
  layout_unpack(graph->model, graph->layout, graph_state(graph, state), worker->before);
  return violations_of(graph, worker, edges, degree);
}
