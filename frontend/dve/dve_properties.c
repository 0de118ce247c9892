/* Assertions become invariants; the property process, or else freedom from deadlock; errors are built in. */
#include "frontend/dve/dve_check.h"

#include <string.h>

/* "assert P.state", with a number from the second one of a state on. */
static const char *assertion_id(struct dve_check *c, const struct dve_process *process, size_t number) {
  const struct dve_assertion *all = process->assertions;
  size_t same = 1;
  for (size_t i = 0; i < number; i++)
    same += strcmp(all[i].state.text, all[number].state.text) == 0;
  const char *id = arena_printf(c->build.arena, "assert:%s.%s", process->name.text, all[number].state.text);
  return same > 1 ? arena_printf(c->build.arena, "%s:%zu", id, same) : id;
}

static const char *assertion_text(struct dve_check *c, const struct dve_process *process,
                                  const struct dve_assertion *assertion) {
  const struct dve_expr *e = assertion->expr;
  const char *text = dve_text(c, e->start, e->end);
  return arena_printf(c->build.arena, e->op == DVE_IMPLY ? "%s.%s imply (%s)" : "%s.%s imply %s", process->name.text,
                      assertion->state.text, text);
}

static void lower_assertion(struct dve_check *c, const struct dve_process_info *info, size_t number,
                            struct property *properties) {
  struct builder *b = &c->build;
  const struct dve_scope scope = {.check = c, .process = info};
  const struct dve_assertion *assertion = &info->written->assertions[number];
  const uint32_t state = dve_find_state(c, info, &assertion->state);
  const struct expr *holds = build_truth(b, dve_lower(&scope, assertion->expr));
  if (state == COMPOSE_NONE || !holds)
    return;
  const struct expr *here = build_binary(
      b, EXPR_NE, assertion->state.at,
      build_read(b, assertion->state.at, c->processes[info->number].location_variable, NULL), build_const(b, state));
  if (b->model->property_count == MODEL_MAX_PROPERTIES) {
    CHECK_ERROR(c, assertion->expr->at, "join assertions of a state by 'and'", "the model has more than %d assertions",
                MODEL_MAX_PROPERTIES);
    return;
  }
  properties[b->model->property_count++] =
      (struct property){.id = assertion_id(c, info->written, number),
                        .description = "",
                        .kind = FLOE_INVARIANT,
                        .expr = build_binary(b, EXPR_OR, assertion->expr->at, here, holds),
                        .text = assertion_text(c, info->written, assertion),
                        .at = assertion->expr->at};
}

void dve_lower_properties(struct dve_check *c) {
  struct model *model = c->build.model;
  struct property *properties = arena_array(c->build.arena, MODEL_MAX_PROPERTIES + 2, sizeof *properties);
  for (size_t i = 0; i < c->system->process_count; i++)
    for (size_t k = 0; c->infos[i].number != COMPOSE_NONE && k < c->system->processes[i].assertion_count; k++)
      lower_assertion(c, &c->infos[i], k, properties);
  if (c->property != COMPOSE_NONE)
    dve_lower_automaton(c, &properties[model->property_count++]);
  else
    properties[model->property_count++] =
        (struct property){.id = "deadlock", .description = "", .kind = FLOE_DEADLOCK, .text = "", .at = NOWHERE};
  properties[model->property_count++] =
      (struct property){.id = "errors", .description = "", .kind = FLOE_ERRORS, .text = "", .at = NOWHERE};
  model->properties = properties;
}
