/* Properties: no invalid end states, no errors, and temporal ones. */
#include "frontend/promela/properties/promela_temporal.h"

#include <string.h>

static bool has_label(const struct pr_model *tree, const struct pr_location *l, const char *prefix) {
  for (size_t i = 0; i < l->labels.n; i++)
    if (strncmp(tree->names.names[l->labels.items[i].id], prefix, strlen(prefix)) == 0)
      return true;
  return false;
}

bool pr_has_label(const struct pr_check *c, const struct pr_location *l, const char *prefix) {
  return has_label(c->tree, l, prefix);
}

bool pr_is_end(const struct pr_model *tree, const struct pr_graph *graph, uint32_t location) {
  const struct pr_location *l = &graph->locations[location];
  for (size_t i = l->first; i < l->first + l->count; i++)
    if (graph->steps[i].kind == PR_STEP_END)
      return true;
  return has_label(tree, l, "end");
}

const struct expr *pr_at_labels(struct pr_check *c, const char *prefix) {
  const struct expr *any = NULL;
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_process *p = &c->processes[i];
    for (uint32_t l = 0; l < p->graph.location_count; l++)
      for (uint32_t k = 0; k < p->instances && pr_has_label(c, &p->graph.locations[l], prefix); k++)
        any = any ? pr_or(c, any, pr_is_at(c, p, k, l)) : pr_is_at(c, p, k, l);
  }
  return any;
}

/* Every process that is alive is at its end or at a location with an end label, and so is the trace. */
static const struct expr *valid_end(struct pr_check *c) {
  const struct expr *all = pr_trace_may_end(c);
  for (size_t i = 0; i < c->tree->proctypes.n; i++) {
    const struct pr_process *p = &c->processes[i];
    for (uint32_t k = 0; k < p->instances; k++) {
      const struct expr *any = pr_is_at(c, p, k, p->absent);
      for (uint32_t l = 0; l < p->graph.location_count; l++)
        if (pr_is_end(c->tree, &p->graph, l))
          any = pr_or(c, any, pr_is_at(c, p, k, l));
      all = pr_and(c, all, any);
    }
  }
  return all;
}

void pr_make_properties(struct pr_check *c) {
  struct model *model = c->build.model;
  struct property *properties = arena_array(c->build.arena, 2 + pr_temporal_count(c), sizeof *properties);
  properties[model->property_count++] = (struct property){.id = "deadlock",
                                                          .description = "",
                                                          .kind = FLOE_DEADLOCK,
                                                          .expr = valid_end(c),
                                                          .text = "each process is at an end",
                                                          .at = NOWHERE};
  pr_make_temporal(c, properties);
  properties[model->property_count++] =
      (struct property){.id = "errors", .description = "", .kind = FLOE_ERRORS, .text = "", .at = NOWHERE};
  model->properties = properties;
}
